/** Migrations are imported as text (`with { type: "text" }`), so that they are embedded in the executable. */
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler gives a text file as its default export.
  export default text;
}
