/**
 * Checks a release as those who take it would: `bun scripts/release/check.ts [--release DIR] [--clients DIR]`. Every file is
 * there and signed; the executable, the Debian package, the npm packages, the image and the clients of this machine's
 * processor run. As root, for the image. Exit code 1 if a check fails or a tool is missing.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkout } from "../build.ts";
import { IN_CONTAINER, makeBareMachine } from "./bare.ts";

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
  ...["CHANGELOG.md", "install.sh", "release.json", "sbom.cdx.json", "waxwing-oci.tar", `waxwing-${version}.tgz`],
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

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Of this machine's processor: the release's own executable. */
const executable = join(release, `waxwing-${platform}`);
const MESSAGE = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "A-1042"] };

/** Runs a script of the shell on a machine with one language and these files in `/packages`. */
function onBareMachine(language: "node" | "python", files: Record<string, string>, script: string): string {
  const root = folder(`bare-${language}`);
  const program = makeBareMachine(root, language, [executable]);
  mkdirSync(join(root, "packages"));
  for (const [name, from] of Object.entries(files)) {
    if (existsSync(from)) copyFileSync(from, join(root, "packages", name));
    else writeFileSync(join(root, "packages", name), from);
  }
  return run([...IN_CONTAINER, root, "/bin/sh", "-ec", script, program]);
}

const checks: Readonly<Record<string, () => void | Promise<void>>> = {
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
  "the image: both processors, its program runs, and a first message": async () => {
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
    const words = ["dev", "--json", "--listen", "127.0.0.1:0"];
    const server = Bun.spawn([...IN_CONTAINER, root, ...program, ...words], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "ignore" },
    });
    try {
      const { value } = await server.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
      const ready = JSON.parse(value?.split("\n")[0] ?? "") as { base_url: string; api_key: string };
      const headers = { authorization: `Bearer ${ready.api_key}`, "content-type": "application/json" };
      const body = JSON.stringify(MESSAGE);
      const answer = await fetch(`${ready.base_url}/messages`, { method: "POST", headers, body });
      expectText("its first message", await answer.text(), '"status":"sent"');
    } finally {
      server.kill("SIGKILL");
      await server.exited;
    }
  },
  "the image in Podman: a first message and the test control, from outside": () => {
    const loaded = run(["podman", "load", "--input", join(release, "waxwing-oci.tar")]);
    expectText("podman load", loaded, `localhost/waxwing:${version}`);
    const script = join(checkout, "examples/testing/waxwing_container.py");
    const env = { ENGINE: "podman", IMAGE: `localhost/waxwing:${version}` };
    expectText("the first test", run(["python3", script], work, env), "the first test passes");
  },
  "npm on a bare machine: server and client from their files, and a first message": () => {
    const names = [`waxwing-${version}.tgz`, `waxwing-${platform}-${version}.tgz`];
    const client = `waxwing-client-${version}.tgz`;
    const files = Object.fromEntries(names.map((name) => [name, join(release, name)]));
    const packages = [...names, client].map((name) => `/packages/${name}`).join(" ");
    const program = `import { startWaxwing } from "waxwing/testing";
      import { Waxwing } from "waxwing-client";
      const { ready, stop } = await startWaxwing();
      const message = await new Waxwing({ baseUrl: ready.base_url, key: ready.api_key }).sendMessage(${JSON.stringify(MESSAGE)});
      await stop();
      console.log("a message with the status", message.status);`;
    const said = onBareMachine(
      "node",
      { ...files, [client]: join(clients, client), "first.mjs": program },
      `PATH="\${0%/*}:$PATH"
      cd /tmp
      node ${realpathSync(Bun.which("npm") ?? "npm")} install --no-audit --no-fund --offline --cache /tmp/cache ${packages}
      node --input-type=module - </packages/first.mjs`,
    );
    expectText("it", said, "a message with the status sent");
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
  "PyPI on a bare machine: the client from its file, and a first message": () => {
    const wheel = readdirSync(clients).find((name) => name.startsWith(`waxwing_client-${version}-`)) ?? "";
    const program = `import json, subprocess
from waxwing import Waxwing
words = ["/packages/waxwing", "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent"]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
ready = json.loads(server.stdout.readline())
message = Waxwing(ready["base_url"], ready["api_key"]).send_message(json.loads('${JSON.stringify(MESSAGE)}'))
server.stdin.close()
server.wait()
print("a message with the status", message["status"])
`;
    const said = onBareMachine(
      "python",
      { [wheel]: join(clients, wheel), waxwing: executable, "first.py": program },
      `"$0" -m venv /tmp/place
      /tmp/place/bin/python -m pip install --quiet --no-index /packages/${wheel}
      /tmp/place/bin/python /packages/first.py`,
    );
    expectText("it", said, "a message with the status sent");
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
    await check();
    console.log(`ok      ${what}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : error}`);
  }
}
rmSync(work, { recursive: true, force: true });
console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
// What a container's process leaves open would keep this one alive.
process.exit(failed === 0 ? 0 : 1);
