/**
 * Bundles the console's front end: one entry, lazily loaded screens, one style sheet, every file name with its hash.
 * The build embeds the result; a server run from source bundles in its own process when the console is first requested.
 *
 * Tailwind is called directly: its plugin for this bundler contains an older Tailwind, scans node_modules for class
 * names, and takes ten seconds for it.
 */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";

const checkout = resolve(import.meta.dir, "..");
const web = join(checkout, "src/web");

export interface BundledFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The same source gives the same bytes. Throws with the bundler's messages. */
export async function bundleConsole(): Promise<BundledFile[]> {
  const result = await Bun.build({
    entrypoints: [join(web, "app/main.tsx")],
    target: "browser",
    format: "esm",
    minify: true,
    splitting: true,
    sourcemap: "none",
    publicPath: "/console/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [{ name: "tailwind", setup: (build) => void build.onLoad({ filter: /\/styles\.css$/ }, loadStyles) }],
  });
  const files = await Promise.all(
    result.outputs.map(async (output) => ({
      name: output.path.replace(/^.*[\\/]/, ""),
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function loadStyles({ path }: { path: string }): Promise<{ contents: string; loader: "css" }> {
  const source = await readFile(path, "utf8");
  const compiler = await compile(source, { base: dirname(path), onDependency: () => undefined });
  const scanner = new Scanner({ sources: [{ base: web, pattern: "**/*.{ts,tsx}", negated: false }] });
  return { contents: optimize(compiler.build(scanner.scan()), { minify: true }).code, loader: "css" };
}
