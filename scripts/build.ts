/**
 * Builds the executable: one file that needs no Bun, no Node and no node_modules where it runs. It contains neither the
 * time nor the directory of the build. It appears under its name only when it is complete, so a running copy is never
 * half replaced.
 */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { bundleConsole } from "./console-bundle.ts";

const compress = promisify(brotliCompress);

const usage = `bun scripts/build.ts [--outfile dist/waxwing] [--target TARGET]

  --outfile FILE    where the executable goes, relative to the checkout
  --target TARGET   another platform than this one: bun-linux-x64, bun-linux-arm64, bun-darwin-arm64, bun-darwin-x64
                    (needs a network: the Bun of that platform is fetched)`;

export const checkout = resolve(import.meta.dir, "..");

// The first entry is the program. The others are the files of Workers: the executable contains a Worker's file only
// when it is named here, and finds it by its path from the checkout ("./src/db/reader-worker.ts").
const entrypoints = [
  "src/main.ts",
  "src/db/reader-worker.ts",
  "src/db/log-copier-worker.ts",
  "src/transfer/preparation-worker.ts",
  "src/backup/backup-worker.ts",
];

/** Files of Swagger UI. */
const explorerNames = ["swagger-ui-bundle.js", "swagger-ui.css"] as const;

if (import.meta.main) await main();

async function main(): Promise<void> {
  const { outfile, target } = readArguments();
  const startedAt = performance.now();
  const version = await readVersion();
  const commit = readCommit();
  const { releaseKey, releaseAddress } = await readReleaseSource();
  await buildExecutable(outfile, {
    ...{ target, version, commit, releaseKey, releaseAddress },
    // Bytecode of another Bun than the one that runs here: only a release, which fetches that one, makes it.
    bytecode: target === undefined,
  });

  const megabytes = ((await stat(outfile)).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const name = commit === "" ? version : `${version} (${commit})`;
  console.log(`${outfile}: waxwing ${name}${target ? ` for ${target}` : ""}, ${megabytes} MB, built in ${seconds} s`);
}

interface BuildOptions {
  target: Bun.Build.CompileTarget | undefined;
  version: string;
  commit: string;
  /** The public key that verifies releases, in base64; empty: the executable knows none. */
  releaseKey: string;
  /** Where releases are; empty: the executable knows no place. */
  releaseAddress: string;
  bytecode: boolean;
  /** The Bun of the target, if it is here already. */
  runtime?: string;
}

export async function buildExecutable(outfile: string, options: BuildOptions): Promise<void> {
  await mkdir(dirname(outfile), { recursive: true });
  // Beside the target, so that the rename at the end stays on one file system.
  const buildDirectory = await mkdtemp(join(dirname(outfile), ".build-"));
  try {
    const unfinished = join(buildDirectory, basename(outfile));
    const assets = await writeAssets(join(buildDirectory, "console"));
    const explorer = await writeExplorer(join(buildDirectory, "explorer"));
    await bundle(unfinished, { ...options, assets, explorer });
    await rename(unfinished, outfile);
  } finally {
    await rm(buildDirectory, { recursive: true, force: true });
  }
}

/** The release key and address that install.sh names: one place for both, so that the two never differ. */
export async function readReleaseSource(): Promise<{ releaseKey: string; releaseAddress: string }> {
  const script = await Bun.file(join(checkout, "install.sh")).text();
  const value = (name: string): string => new RegExp(`^${name}='([^']*)'$`, "m").exec(script)?.[1] ?? "";
  return { releaseKey: value("RELEASE_KEY"), releaseAddress: value("RELEASE_ADDRESS") };
}

function readArguments(): { outfile: string; target: Bun.Build.CompileTarget | undefined } {
  try {
    const { values } = parseArgs({
      options: {
        outfile: { type: "string", default: "dist/waxwing" },
        target: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    // Bun itself refuses a target that it does not know, and lists the valid ones.
    return { outfile: resolve(checkout, values.outfile), target: values.target as Bun.Build.CompileTarget | undefined };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

/** Writes the front end's files to disk, each raw and as small as brotli makes it; returns their names. */
async function writeAssets(directory: string): Promise<{ directory: string; names: string[] }> {
  await mkdir(directory);
  const files = await bundleConsole();
  await Promise.all(
    files.map(async ({ name, bytes }) => {
      // With extensions that the bundler does not know: it would bundle the known ones instead of embedding them.
      await Bun.write(join(directory, `${name}.plain`), bytes);
      await Bun.write(join(directory, `${name}.br`), await compress(bytes));
    }),
  );
  return { directory, names: files.map(({ name }) => name) };
}

/** Source of the module that replaces `src/http/console/assets.ts`: every file, embedded. */
function assetsModule(names: readonly string[]): string {
  const imports = names.flatMap((name, index) => [
    `import plain${index} from ${JSON.stringify(`console-file:${name}.plain`)} with { type: "file" };`,
    `import brotli${index} from ${JSON.stringify(`console-file:${name}.br`)} with { type: "file" };`,
  ]);
  const entries = names.map(
    (name, index) => `{ name: ${JSON.stringify(name)}, plain: plain${index}, brotli: brotli${index} }`,
  );
  return `${imports.join("\n")}\nexport const embedded = [${entries.join(", ")}];\n`;
}

/** The files of Swagger UI, compressed. A client that takes no brotli gets them unpacked. */
async function writeExplorer(directory: string): Promise<string> {
  await mkdir(directory);
  for (const name of explorerNames) {
    const path = Bun.resolveSync(`swagger-ui-dist/${name}`, checkout);
    await Bun.write(join(directory, `${name}.br`), await compress(await Bun.file(path).bytes()));
  }
  return directory;
}

/** Source of the module that replaces `src/http/api/docs/explorer-files.ts`. */
function explorerModule(): string {
  const [script, style] = explorerNames;
  return `import { brotliDecompressSync } from "node:zlib";
import script from "explorer-file:${script}.br" with { type: "file" };
import style from "explorer-file:${style}.br" with { type: "file" };
const embedded = (path) => {
  const brotli = async () => new Uint8Array(await Bun.file(path).arrayBuffer());
  return { brotli, plain: async () => new Uint8Array(brotliDecompressSync(await brotli())) };
};
export const explorerFiles = { script: embedded(script), style: embedded(style) };
`;
}

interface BundleOptions extends BuildOptions {
  assets: { directory: string; names: string[] };
  /** The directory of its files. */
  explorer: string;
}

async function bundle(outfile: string, options: BundleOptions): Promise<void> {
  const { target, version, commit, releaseKey, releaseAddress, bytecode, runtime, assets, explorer } = options;
  await Bun.build({
    entrypoints: entrypoints.map((entry) => join(checkout, entry)),
    root: checkout,
    plugins: [
      {
        name: "console",
        setup: (build) => {
          // Not as files: the executable would contain a hash of the temporary directory's path, which differs in each
          // build.
          build.onResolve({ filter: /^console-file:/ }, ({ path }) => ({
            path: path.slice("console-file:".length),
            namespace: "console-file",
          }));
          build.onLoad({ filter: /./, namespace: "console-file" }, async ({ path }) => ({
            contents: new Uint8Array(await Bun.file(join(assets.directory, path)).arrayBuffer()),
            loader: "file",
          }));
          build.onResolve({ filter: /^explorer-file:/ }, ({ path }) => ({
            path: path.slice("explorer-file:".length),
            namespace: "explorer-file",
          }));
          build.onLoad({ filter: /./, namespace: "explorer-file" }, async ({ path }) => ({
            contents: new Uint8Array(await Bun.file(join(explorer, path)).arrayBuffer()),
            loader: "file",
          }));
          build.onLoad({ filter: /src\/http\/api\/docs\/explorer-files\.ts$/ }, () => ({
            contents: explorerModule(),
            loader: "ts",
          }));
          // The bundler would write this file's own directory into the executable, and so the place of the checkout. The
          // code that uses it looks for a native module on disk, and is never reached.
          build.onLoad({ filter: /better-sqlite3\/lib\/binding\.js$/ }, async ({ path }) => ({
            contents: (await Bun.file(path).text()).replaceAll("__dirname", '"/nowhere"'),
            loader: "js",
          }));
          build.onLoad({ filter: /src\/http\/console\/assets\.ts$/ }, () => ({
            contents: assetsModule(assets.names),
            loader: "ts",
          }));
        },
      },
    ],
    format: "esm",
    // A process reads and keeps only the chunks that its command needs; a worker shares them. `waxwing version` takes 24 ms of
    // processor time instead of 37, and the server 4 MB less.
    splitting: true,
    compile: {
      outfile,
      ...(target === undefined ? {} : { target }),
      ...(runtime === undefined ? {} : { executablePath: runtime }),
      // Files in the directory where it is started must not change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    define: {
      WAXWING_VERSION: JSON.stringify(version),
      WAXWING_COMMIT: JSON.stringify(commit),
      WAXWING_RELEASE_KEY: JSON.stringify(releaseKey),
      WAXWING_RELEASE_ADDRESS: JSON.stringify(releaseAddress),
    },
    // Measured, before there were chunks: `waxwing version` takes 30 ms with bytecode, 140 ms without; 10 MB more on 120.
    bytecode,
    minify: { whitespace: true, syntax: true, identifiers: false },
    // Embedded: stack traces name the file and line of the source. 0.8 MB, and no cost at the start.
    sourcemap: "linked",
  });
}

export async function readVersion(): Promise<string> {
  const { version } = (await Bun.file(join(checkout, "package.json")).json()) as { version: string };
  return version;
}

/**
 * Ends in "-dirty" if tracked files were changed. Empty outside a git checkout (a release archive, for example): the
 * version alone then names the build.
 */
export function readCommit(): string {
  if (Bun.which("git") === null) return "";
  const describe = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  const answer = Bun.spawnSync(describe, { cwd: checkout, stderr: "ignore" });
  return answer.success ? answer.stdout.toString().trim() : "";
}
