/** Writes the npm packages of one executable: `bun scripts/npm.ts --executable FILE [--platform linux-x64] [--out DIR]`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkout, readVersion } from "./build.ts";
import { npmPackages } from "./release/npm.ts";

const npmPlatforms = ["linux-x64", "linux-arm64", "darwin-arm64"];

const { values } = parseArgs({
  options: {
    executable: { type: "string", default: join(checkout, "dist/waxwing") },
    platform: { type: "string", default: `${process.platform}-${process.arch}` },
    out: { type: "string", default: join(checkout, "dist/npm") },
  },
});

const packages = await npmPackages({
  version: await readVersion(),
  time: 0,
  source: join(checkout, "packaging/npm"),
  license: readFileSync(join(checkout, "LICENSE")),
  executables: new Map([[values.platform, readFileSync(resolve(values.executable))]]),
  platforms: npmPlatforms,
});
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
for (const [name, bytes] of packages) writeFileSync(join(out, name), bytes);
console.log([...packages.keys()].map((name) => join(out, name)).join("\n"));
