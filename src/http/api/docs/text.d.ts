/** These files are imported as text (`with { type: "text" }`), so that they are part of the executable. */
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}

declare module "*.js" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}

declare module "*.py" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}

declare module "*.sh" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}

declare module "*.yml" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file as its default.
  export default text;
}
