/**
 * Makes a whole release in one directory: executables, checksums with their signature, the list of what is inside, a
 * Debian package for each processor, npm packages, and an OCI image. Two runs on one commit with one key make the same bytes, wherever
 * the checkout is.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { migrations } from "../src/db/migrations.ts";
import { buildExecutable, checkout, readCommit, readReleaseSource, readVersion } from "./build.ts";
import { writeDeb } from "./release/deb.ts";
import { type Architecture, debianFiles } from "./release/debian.ts";
import { npmPackages } from "./release/npm.ts";
import { ociArchive } from "./release/oci.ts";
import { sbom } from "./release/sbom.ts";

const usage = `./install.sh release [--version V] [--key FILE] [--address URL] [--only PLATFORM]

  --version V        the release's version (default: that of package.json)
  --key FILE         the Ed25519 private key that signs it, in PEM; without one a throwaway key is made, which no
                     install.sh and no executable knows
  --address URL      where the release will be found: written into its install.sh and its executables
  --only PLATFORM    one platform's executable alone, without packages (for tests): linux-x64, linux-arm64, darwin-arm64`;

interface Platform {
  name: string;
  target: Bun.Build.CompileTarget;
  /** Its name in install.sh's list of runtimes. */
  runtime: string;
  /** Whether an executable for it has ever been run by those who build the release. */
  isRun: boolean;
  architecture: Architecture | null;
}

const platforms: readonly Platform[] = [
  { name: "linux-x64", target: "bun-linux-x64", runtime: "linux-x64", isRun: true, architecture: "amd64" },
  { name: "linux-arm64", target: "bun-linux-arm64", runtime: "linux-aarch64", isRun: true, architecture: "arm64" },
  { name: "darwin-arm64", target: "bun-darwin-arm64", runtime: "darwin-aarch64", isRun: false, architecture: null },
];

const destination = join(checkout, "dist/release");

await main();

async function main(): Promise<void> {
  const { version, key, address, only, runtimes } = await readOptions();
  const commit = readCommit();
  const time = readCommitTime();
  if (commit.endsWith("-dirty"))
    say("the checkout has changes that are not committed: another machine cannot make this release");
  const isThrowaway = key === null;
  const signer = key ?? generateKeyPairSync("ed25519").privateKey;
  const publicKey = createPublicKey(signer);
  const releaseKey = isThrowaway ? "" : rawKey(publicKey);
  const chosen = platforms.filter(({ name }) => only === undefined || name === only);

  await mkdir(join(checkout, "dist"), { recursive: true });
  const directory = await mkdtemp(join(checkout, "dist/.release-"));
  try {
    const installer = await writeInstaller(directory, releaseKey, address);
    const built = new Map<string, Uint8Array>();
    for (const { name, target, runtime, isRun } of chosen) {
      say(`building waxwing-${name}${isRun ? "" : " (an executable for this platform has never been run)"}`);
      const file = join(directory, `waxwing-${name}`);
      await buildExecutable(file, {
        ...{ target, version, commit, releaseKey, releaseAddress: address },
        // Made here by the same version of Bun; an executable that is never run has none: a fault of it would not be seen.
        bytecode: isRun,
        runtime: join(runtimes, runtime, "bun"),
      });
      built.set(name, await readFile(file));
    }
    await writeFile(join(directory, "sbom.cdx.json"), await makeSbom(version, commit, runtimes));
    if (only === undefined) await writePackages(directory, { version, commit, time, built, installer });
    const facts = {
      version,
      commit: commit === "" ? null : commit,
      schema: migrations.at(-1)?.version ?? 0,
      throwaway_key: isThrowaway,
      public_key: rawKey(publicKey),
      platforms: chosen.map(({ name, isRun }) => ({ platform: name, file: `waxwing-${name}`, run: isRun })),
    };
    await writeFile(join(directory, "release.json"), `${JSON.stringify(facts, null, 2)}\n`);
    await copyFile(join(checkout, "CHANGELOG.md"), join(directory, "CHANGELOG.md"));
    await signAll(directory, signer);
    await writeFile(join(directory, "release-key.pem"), publicKey.export({ type: "spki", format: "pem" }));
    await chmod(directory, 0o755);
    await rm(destination, { recursive: true, force: true });
    await rename(directory, destination);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  say(`${destination}: waxwing ${version}`);
  if (isThrowaway) {
    say("signed with a throwaway key: to install it, name its public half, --public-key release-key.pem");
  }
}

async function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        version: { type: "string" },
        key: { type: "string" },
        address: { type: "string" },
        only: { type: "string" },
        runtimes: { type: "string", default: join(checkout, ".bun/runtimes") },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const version = values.version ?? (await readVersion());
    if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(version))
      throw new Error(`--version ${version}: write it as 1.2.3 or 1.2.3-rc.1`);
    if (values.only !== undefined && !platforms.some(({ name }) => name === values.only)) {
      throw new Error(`--only ${values.only}: there are ${platforms.map(({ name }) => name).join(", ")}`);
    }
    const address = values.address ?? (await readReleaseSource()).releaseAddress;
    if (address !== "" && !/^https:\/\/[^\s']+$/.test(address))
      throw new Error(`--address ${address}: write it as https://…`);
    const key = values.key === undefined ? null : readKey(await readFile(values.key, "utf8"), values.key);
    return { version, key, address, only: values.only, runtimes: resolve(values.runtimes) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

function readKey(pem: string, file: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") {
    throw new Error(
      `--key ${file} is not an Ed25519 key: make one with openssl genpkey -algorithm ed25519 -out ${file}`,
    );
  }
  return key;
}

/** install.sh as it is here, but for the key and the address of this release. */
async function writeInstaller(directory: string, releaseKey: string, address: string): Promise<Uint8Array> {
  const script = (await readFile(join(checkout, "install.sh"), "utf8"))
    .replace(/^RELEASE_KEY='.*'$/m, `RELEASE_KEY='${releaseKey}'`)
    .replace(/^RELEASE_ADDRESS='.*'$/m, `RELEASE_ADDRESS='${address}'`);
  await writeFile(join(directory, "install.sh"), script, { mode: 0o755 });
  return Buffer.from(script);
}

async function makeSbom(version: string, commit: string, runtimes: string): Promise<string> {
  const sha256: Record<string, string> = {};
  for (const { runtime } of platforms) {
    const file = Bun.file(join(runtimes, runtime, "bun"));
    if (await file.exists()) sha256[runtime] = hash(await file.bytes());
  }
  const lockfile = await readFile(join(checkout, "bun.lock"), "utf8");
  return sbom({ version, commit, lockfile, bun: { version: Bun.version, sha256 } });
}

interface PackageOptions {
  version: string;
  commit: string;
  time: number;
  built: ReadonlyMap<string, Uint8Array>;
  installer: Uint8Array;
}

async function writePackages(
  directory: string,
  { version, commit, time, built, installer }: PackageOptions,
): Promise<void> {
  const license = await readFile(join(checkout, "LICENSE"));
  const images = [];
  for (const { name, architecture } of platforms) {
    const executable = built.get(name);
    if (architecture === null || executable === undefined) continue;
    const file = `waxwing_${version}_${architecture}.deb`;
    if (Bun.which("dpkg-deb") === null) say(`no ${file}: dpkg-deb is not here`);
    else {
      say(`writing ${file}`);
      writeDeb(join(directory, file), { version, architecture, executable, installer, license, time });
    }
    const system = debianFiles(architecture, join(checkout, ".bun/debian"));
    if (typeof system === "string") say(`no OCI image for ${architecture}: ${system}`);
    else images.push({ architecture, system, executable });
  }
  const names = platforms.map(({ name }) => name);
  const source = join(checkout, "packaging/npm");
  for (const [name, bytes] of await npmPackages({
    version,
    time,
    source,
    license,
    executables: built,
    platforms: names,
  })) {
    say(`writing ${name}`);
    await writeFile(join(directory, name), bytes);
  }
  if (images.length === 0) return;
  say("writing waxwing-oci.tar");
  await writeFile(join(directory, "waxwing-oci.tar"), await ociArchive({ version, commit, time, platforms: images }));
}

/** The checksums of everything that is there, and the signature of the checksums. */
async function signAll(directory: string, key: KeyObject): Promise<void> {
  const names = [...new Bun.Glob("*").scanSync({ cwd: directory })].sort();
  const lines = await Promise.all(
    names.map(async (name) => `${hash(await readFile(join(directory, name)))}  ${name}\n`),
  );
  const sums = Buffer.from(lines.join(""));
  await writeFile(join(directory, "SHA256SUMS"), sums);
  await writeFile(join(directory, "SHA256SUMS.sig"), sign(null, sums, key));
}

function rawKey(key: KeyObject): string {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of the commit, so that the archives' times are the same in every build of it. */
function readCommitTime(): number {
  if (Bun.which("git") === null) return 0;
  const answer = Bun.spawnSync(["git", "log", "-1", "--format=%ct"], { cwd: checkout, stderr: "ignore" });
  return answer.success ? Number(answer.stdout.toString().trim()) : 0;
}

function say(text: string): void {
  console.error(`waxwing: ${text}`);
}
