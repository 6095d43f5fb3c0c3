/**
 * Checks a release as those who take it would: `bun scripts/release/check.ts [--release DIR] [--clients DIR]`. Every file is
 * there and signed; the executable, the Debian package, the npm packages, the image and the clients of this machine's
 * processor run. As root, for the image. Exit code 1 if a check fails or a tool is missing.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkout } from "../build.ts";

const { values } = parseArgs({
  options: {
    release: { type: "string", default: join(checkout, "dist/release") },
    clients: { type: "string", default: join(checkout, "dist/clients") },
  },
});
const release = resolve(values.release);
const clients = resolve(values.clients);
const work = mkdtempSync(join(tmpdir(), "waxwing-check-"));
const { version } = JSON.parse(readFileSync(join(release, "release.json"), "utf8")) as { version: string };
const debian = process.arch === "arm64" ? "arm64" : "amd64";
const platform = `linux-${process.arch}`;
const npm = ["--no-audit", "--no-fund", "--offline", "--cache", join(work, "cache")];

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64"];
const FILES = [
  ...["install.sh", "release.json", "sbom.cdx.json", "waxwing-oci.tar", `waxwing-${version}.tgz`],
  ...PLATFORMS.flatMap((name) => [`waxwing-${name}`, `waxwing-${name}-${version}.tgz`]),
  ...["amd64", "arm64"].map((name) => `waxwing_${version}_${name}.deb`),
];

/** Throws with what the program said, if it fails. Returns its output. */
function run(command: string[], cwd = work, env: Record<string, string> = {}): string {
  if (Bun.which(command[0] ?? "") === null) throw new Error(`${command[0]} is not here`);
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: exit ${exitCode}\n${stdout}${stderr}`);
  return stdout.toString();
}

function expectText(what: string, text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${what} does not say ${part}: ${text}`);
}

function folder(name: string): string {
  const path = join(work, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** What a container runtime gives a program: `/proc`, `/dev`, a `/tmp`, and the image's user. */
const IN_CONTAINER = [
  ...["unshare", "--mount", "--pid", "--fork", "sh", "-c"],
  `cd "$1" && mkdir -p proc dev tmp && mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs tmp &&
   shift && exec chroot --userspec=65532:65532 . "$@"`,
  "sh",
];

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

const checks: Readonly<Record<string, () => void>> = {
  "the checksums, their signature, and every file": () => {
    const sums = readFileSync(join(release, "SHA256SUMS"));
    const key = createPublicKey(readFileSync(join(release, "release-key.pem")));
    if (!verify(null, sums, key, readFileSync(join(release, "SHA256SUMS.sig"))))
      throw new Error("the signature is wrong");
    const signed = new Map(
      sums
        .toString()
        .trim()
        .split("\n")
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    );
    for (const name of FILES) {
      if (signed.get(name) !== sha256(join(release, name))) throw new Error(`${name} is not the file that was signed`);
    }
  },
  "the executable": () => {
    const said = run([join(release, `waxwing-${platform}`), "version", "--json"]);
    expectText("it", said, `"${version}"`);
  },
  "the Debian package": () => {
    const file = join(release, `waxwing_${version}_${debian}.deb`);
    expectText("it", run(["dpkg-deb", "--field", file, "Version"]), version.replaceAll("-", "~"));
    run(["dpkg-deb", "--extract", file, folder("deb")]);
    if (sha256(join(work, "deb/usr/lib/waxwing/waxwing")) !== sha256(join(release, `waxwing-${platform}`)))
      throw new Error("it carries another executable");
  },
  "the npm packages: installed from their files, npx, and a first test": () => {
    const shop = folder("shop");
    const files = ["", `${platform}-`].map((name) => join(release, `waxwing-${name}${version}.tgz`));
    run(["npm", "install", ...files, ...npm], shop);
    expectText("npx waxwing version", run(["npx", "--offline", "waxwing", "version"], shop), version);
    copyFileSync(join(checkout, "examples/testing/first.mjs"), join(shop, "first.mjs"));
    expectText("the first test", run(["node", "first.mjs"], shop), "the first assertion holds");
  },
  "the image: both processors, and its program runs": () => {
    const image = folder("image");
    run(["tar", "-xf", join(release, "waxwing-oci.tar"), "-C", image]);
    const read = (digest: string) =>
      JSON.parse(readFileSync(join(image, "blobs", digest.replace(":", "/")), "utf8")) as Manifest;
    const index = JSON.parse(readFileSync(join(image, "index.json"), "utf8")) as Manifest;
    const all = read(index.manifests?.[0]?.digest ?? "").manifests ?? [];
    const found = all.map((one) => one.platform?.architecture).toSorted();
    if (String(found) !== "amd64,arm64") throw new Error(`it is for ${found}`);
    const manifest = read(all.find((one) => one.platform?.architecture === debian)?.digest ?? "");
    const root = folder("root");
    for (const { digest } of manifest.layers ?? [])
      run(["tar", "-xf", join(image, "blobs", digest.replace(":", "/")), "-C", root]);
    const program = read(manifest.config?.digest ?? "").config?.Entrypoint ?? [];
    expectText("it", run([...IN_CONTAINER, root, ...program, "version"]), version);
  },
  "the client of npm": () => {
    const place = folder("client");
    run(["npm", "install", join(clients, `waxwing-client-${version}.tgz`), ...npm], place);
    const program = 'const { Waxwing } = await import("waxwing-client"); console.log(typeof Waxwing)';
    expectText("it", run(["node", "--input-type=module", "-e", program], place), "function");
  },
  "the client of PyPI": () => {
    const place = folder("python");
    if (!existsSync(join(clients, `waxwing_client-${version}.tar.gz`)))
      throw new Error("its source archive is missing");
    const wheel = readdirSync(clients).find((name) => name.startsWith(`waxwing_client-${version}-`)) ?? "";
    run(["python3", "-m", "venv", place]);
    run([join(place, "bin/pip"), "install", "--quiet", "--no-index", join(clients, wheel)]);
    expectText(
      "it",
      run([join(place, "bin/python"), "-c", "import waxwing; print(waxwing.Waxwing.__name__)"]),
      "Waxwing",
    );
  },
};

interface Manifest {
  manifests?: { digest: string; platform?: { architecture: string } }[];
  layers?: { digest: string }[];
  config?: { digest: string; Entrypoint?: string[] };
}

let failed = 0;
for (const [what, check] of Object.entries(checks)) {
  try {
    check();
    console.log(`ok      ${what}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : error}`);
  }
}
rmSync(work, { recursive: true, force: true });
console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
process.exitCode = failed === 0 ? 0 : 1;
