/** The style sheet is imported as text (`with { type: "text" }`), so that it is part of the executable. */
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}
