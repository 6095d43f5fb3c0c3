/**
 * The npm packages of a release, as `npm pack` would write them: `waxwing` with the launcher and the fixtures for tests,
 * and one package for each platform with its executable. npm installs only the platform's own, which is why they are
 * optional dependencies.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { type Entry, tar } from "./tar.ts";

interface NpmOptions {
  version: string;
  /** Seconds since the epoch, of every file. */
  time: number;
  /** The folder `packaging/npm`. */
  source: string;
  license: Uint8Array;
  /** By the name of the platform: `linux-x64`. */
  executables: ReadonlyMap<string, Uint8Array>;
  /** The platforms for which there are packages of this version, here or elsewhere. */
  platforms: readonly string[];
}

/** The archives by their names: `waxwing-1.2.3.tgz`, `waxwing-linux-x64-1.2.3.tgz`. */
export async function npmPackages(options: NpmOptions): Promise<Map<string, Uint8Array>> {
  const { version, time, source, license, executables, platforms } = options;
  const common = {
    version,
    license: "MIT",
    description: "A self-hosted server through which a business's software sends WhatsApp messages.",
  };
  const packages = new Map<string, Uint8Array>();
  const pack = async (manifest: Record<string, unknown>, files: readonly Entry[]): Promise<void> => {
    const entries = [
      { path: "package.json", mode: 0o644, bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
      { path: "LICENSE", mode: 0o644, bytes: license },
      ...files,
    ];
    const inFolder = entries.map((entry) => ({ ...entry, path: `package/${entry.path}` }));
    packages.set(`${manifest.name}-${version}.tgz`, gzipSync(await tar(inFolder, time)));
  };

  for (const [platform, executable] of executables) {
    const [os, cpu] = platform.split("-");
    await pack(
      { name: `waxwing-${platform}`, ...common, os: [os], cpu: [cpu], files: ["waxwing"], preferUnplugged: true },
      [{ path: "waxwing", mode: 0o755, bytes: executable }],
    );
  }
  const manifest = {
    name: "waxwing",
    ...common,
    bin: { waxwing: "bin/waxwing.cjs" },
    exports: {
      "./testing": { types: "./testing.d.cts", default: "./testing.cjs" },
      "./vitest": "./vitest.mjs",
      "./package.json": "./package.json",
    },
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [`waxwing-${platform}`, version])),
  };
  await pack(manifest, filesOf(source));
  return packages;
}

function filesOf(folder: string): Entry[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort()
    .map((path) => ({
      path: relative(folder, path),
      mode: path.includes("/bin/") ? 0o755 : 0o644,
      bytes: readFileSync(path),
    }));
}
