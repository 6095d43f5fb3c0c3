/**
 * Bundles the console's front end: one entry, lazily loaded screens, one style sheet, every file name with its hash, and
 * `first-screens.json`: what the page asks for at once, so that the browser does not find out about one script after the other.
 * The build embeds the result; a server run from source bundles in its own process when the console is first requested.
 *
 * Tailwind is called directly: its plugin for this bundler contains an older Tailwind, scans node_modules for class
 * names, and takes ten seconds for it.
 */
import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";

const checkout = resolve(import.meta.dir, "..");
const web = join(checkout, "src/web");

export interface BundledFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A script of the bundle. Paths of source files are relative to the checkout. */
export interface BundledScript {
  name: string;
  /** The source file that it is loaded for; null: several scripts share it. */
  entry: string | null;
  sources: readonly string[];
  /** Names of the scripts that the browser loads with it. */
  needs: readonly string[];
}

interface ConsoleBundle {
  files: BundledFile[];
  scripts: BundledScript[];
  /** What each source file imports, other than screens that it opens later. */
  imports: ReadonlyMap<string, readonly string[]>;
}

const MAIN = "src/web/app/main.tsx";

/** Source files, by the names in `first-screens.json`. */
const FIRST_SCREENS = {
  signIn: [MAIN, "src/web/features/sign-in/sign-in.tsx"],
  home: [MAIN, "src/web/features/home/home.tsx"],
  other: [MAIN],
} as const;

/** The same source gives the same bytes. Throws with the bundler's messages. */
export async function bundleConsole(): Promise<BundledFile[]> {
  return (await buildConsole()).files;
}

/** The bundle with what is in which of its scripts. */
export async function buildConsole(): Promise<ConsoleBundle> {
  const result = await Bun.build({
    entrypoints: [join(checkout, MAIN)],
    target: "browser",
    format: "esm",
    minify: true,
    splitting: true,
    sourcemap: "none",
    metafile: true,
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
  const { inputs = {}, outputs = {} } = result.metafile ?? {};
  const scripts = Object.entries(outputs)
    .filter(([path]) => path.endsWith(".js"))
    .map(([path, output]) => ({
      name: basename(path),
      entry: output.entryPoint === undefined ? null : fromCheckout(output.entryPoint),
      sources: Object.keys(output.inputs).map(fromCheckout),
      needs: output.imports.filter(isNeededAtOnce).map((imported) => basename(imported.path)),
    }));
  const firstScreens = Object.entries(FIRST_SCREENS).map(([screen, entries]) => [
    screen,
    scriptsFor(scripts, entries).filter((name) => !name.startsWith("main-")),
  ]);
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(firstScreens)));
  files.push({ name: "first-screens.json", bytes });
  return {
    files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    scripts,
    imports: new Map(
      Object.entries(inputs).map(([path, { imports }]) => {
        return [fromCheckout(path), imports.filter(isNeededAtOnce).map((one) => fromCheckout(one.path))];
      }),
    ),
  };
}

/** The bundler names source files as seen from the directory in which the process runs. */
function fromCheckout(path: string): string {
  return relative(checkout, resolve(path));
}

function isNeededAtOnce({ kind }: { kind: string }): boolean {
  return kind !== "dynamic-import";
}

/** Names of the scripts that the browser loads for these source files, sorted. Throws if there is none for one of them. */
export function scriptsFor(scripts: readonly BundledScript[], entries: readonly string[]): string[] {
  const byName = new Map(scripts.map((script) => [script.name, script]));
  const found = new Set(
    entries.map((entry) => {
      const script = scripts.find((one) => one.entry === entry);
      if (script === undefined) throw new Error(`no script of the console is loaded for ${entry}`);
      return script.name;
    }),
  );
  for (const name of found) for (const needed of byName.get(name)?.needs ?? []) found.add(needed);
  return [...found].toSorted();
}

async function loadStyles({ path }: { path: string }): Promise<{ contents: string; loader: "css" }> {
  const source = await readFile(path, "utf8");
  const compiler = await compile(source, { base: dirname(path), onDependency: () => undefined });
  const scanner = new Scanner({ sources: [{ base: web, pattern: "**/*.{ts,tsx}", negated: false }] });
  return { contents: optimize(compiler.build(scanner.scan()), { minify: true }).code, loader: "css" };
}
