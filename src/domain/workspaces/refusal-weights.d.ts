/** A file that is part of the executable: where it can be read. */
declare module "*.bin" {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: the bundler gives the path as the default export.
  export default path;
}
