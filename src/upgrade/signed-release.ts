/**
 * A release that is verified: its list of checksums is signed by the key that is trusted, and what is read of it has the
 * checksum that the list names. Refuses before anything is written.
 */
import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { chmodSync, createReadStream, rmSync } from "node:fs";
import { notesSince, type VersionNotes } from "./release-notes.ts";
import { openSource, type ReleaseSource } from "./release-source.ts";

/** The release is not what its publisher signed. */
export class ReleaseRefused extends Error {
  override readonly name = "ReleaseRefused";
}

export interface Release {
  version: string;
  commit: string | null;
  /** The database's schema that its executables run on. */
  schema: number;
  /** Of this platform's executable. */
  sha256: string;
  /** What changed since `installed`; empty for a release without a changelog. Throws `ReleaseUnreadable` and `ReleaseRefused`. */
  readChanges(installed: string): Promise<VersionNotes[]>;
  /** Writes the executable to `path`, which must not exist, and compares it. Throws `ReleaseRefused`. */
  saveExecutable(path: string): Promise<void>;
}

interface ReleaseFacts {
  version: string;
  commit: string | null;
  schema: number;
  platforms: { platform: string; file: string }[];
}

const CHANGELOG = "CHANGELOG.md";
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(-[0-9A-Za-z.]{1,40})?$/;

/** Reads a public key: PEM, or its 32 bytes in base64. Throws if it is neither. */
export function readPublicKey(text: string): KeyObject {
  if (text.includes("BEGIN")) {
    const key = createPublicKey(text);
    if (key.asymmetricKeyType !== "ed25519") throw new Error("it is not an Ed25519 key");
    return key;
  }
  const bytes = Buffer.from(text.trim(), "base64");
  if (bytes.length !== 32) throw new Error("it is not an Ed25519 key, neither in PEM nor as 32 bytes in base64");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") }, format: "jwk" });
}

/** `platform`: linux-x64, for example. `limitMs`: of the download of one file. Throws `ReleaseUnreadable` and `ReleaseRefused`. */
export async function openRelease(from: string, key: KeyObject, platform: string, limitMs?: number): Promise<Release> {
  const source = openSource(from, limitMs);
  const sums = await source.read("SHA256SUMS");
  const signature = await source.read("SHA256SUMS.sig");
  if (signature.length !== 64 || !verify(null, sums, key, signature)) {
    throw new ReleaseRefused("the release is not signed by the key that is trusted, or its checksums were changed");
  }
  const listed = readSums(Buffer.from(sums).toString("utf8"));
  const facts = readFacts(await readVerified(source, "release.json", listed));
  const file = facts.platforms.find((one) => one.platform === platform)?.file;
  if (file === undefined) {
    const there = facts.platforms.map((one) => one.platform).join(", ");
    throw new ReleaseRefused(`the release has no executable for ${platform}; it has ${there}`);
  }
  const sha256 = checksumOf(listed, file);
  return {
    version: facts.version,
    commit: facts.commit,
    schema: facts.schema,
    sha256,
    async readChanges(installed) {
      if (!listed.has(CHANGELOG)) return [];
      return notesSince(await readVerified(source, CHANGELOG, listed), installed, facts.version);
    },
    async saveExecutable(path) {
      await source.save(file, path);
      if ((await hashFile(path)) !== sha256) {
        rmSync(path, { force: true });
        throw tampered(file);
      }
      chmodSync(path, 0o755);
    },
  };
}

/** SHA-256 in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part as Uint8Array);
  return hash.digest("hex");
}

async function readVerified(source: ReleaseSource, name: string, listed: ReadonlyMap<string, string>): Promise<string> {
  const bytes = await source.read(name);
  const wanted = Buffer.from(checksumOf(listed, name), "hex");
  const found = createHash("sha256").update(bytes).digest();
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) throw tampered(name);
  return Buffer.from(bytes).toString("utf8");
}

/** As `sha256sum` writes them. */
function readSums(text: string): Map<string, string> {
  const lines = text.split("\n").flatMap((line) => {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *]([\w.+~-]{1,200})$/.exec(line) ?? [];
    return sha256 === undefined || name === undefined ? [] : [[name, sha256] as const];
  });
  return new Map(lines);
}

function checksumOf(listed: ReadonlyMap<string, string>, name: string): string {
  const sha256 = listed.get(name);
  if (sha256 === undefined) throw new ReleaseRefused(`the release's checksums do not name ${name}`);
  return sha256;
}

function tampered(name: string): ReleaseRefused {
  return new ReleaseRefused(`${name} of the release was changed: it does not have the checksum that was signed`);
}

function readFacts(text: string): ReleaseFacts {
  const facts = JSON.parse(text) as Partial<ReleaseFacts>;
  const { version = "", commit = null, schema, platforms } = facts;
  if (!VERSION.test(version) || typeof schema !== "number" || !Array.isArray(platforms)) {
    throw new ReleaseRefused("release.json does not describe a release");
  }
  return { version, commit, schema, platforms };
}
