/**
 * Reads and writes the master keys: an environment variable, or a file that only its owner may read. A power cut leaves
 * that file complete or absent.
 */
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type KeyRing, ringOf, SECRET_KEY_BYTES } from "./key-ring.ts";
import type { Random } from "./random.ts";
import { newToken } from "./secret.ts";

/** The key is missing, readable by others, or malformed. The message says what to do. */
export class SecretKeyUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SecretKeyUnusable";
  }
}

interface SecretKeySources {
  readonly keyFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly random: Random;
}

const UNFINISHED = ".new";
export const SECRET_KEY_VARIABLE = "WAXWING_SECRETS_KEY";

/** The accepted forms of a key, for messages. */
const FORMS = `${SECRET_KEY_BYTES} bytes in base64 or as ${SECRET_KEY_BYTES * 2} hexadecimal digits (openssl rand -base64 ${SECRET_KEY_BYTES} makes one)`;

export interface LoadedKeys extends KeyRing {
  /** Null: the keys come from the environment. */
  readonly keyFile: string | null;
  /** Whether this call created the file. */
  readonly isNew: boolean;
}

/**
 * The master keys, the current one first. The environment variable takes precedence over the file. With `create`, a
 * missing file is created in its existing directory. A file that changes later, because the key is rotated, is read
 * again before the next value is sealed, and when a value names an unknown key. Throws `SecretKeyUnusable` if there is no
 * key, if the value is not a key, or if others than the owner may access the file.
 */
export function loadKeys({ keyFile, env, random }: SecretKeySources, create: boolean): LoadedKeys {
  const fromEnv = env[SECRET_KEY_VARIABLE];
  if (fromEnv !== undefined) {
    const keys = parseKeys(fromEnv);
    // An empty variable is a mistake too: falling back to a file would seal new secrets with an unintended key.
    if (keys === null) throw new SecretKeyUnusable(`${SECRET_KEY_VARIABLE} is not a key: it must contain ${FORMS}`);
    return { ...ringOf(keys), keyFile: null, isNew: false };
  }
  const isNew = readKeyFile(keyFile) === null;
  if (isNew) makeKeyFile({ keyFile, env, random }, create);
  return { ...watchedRing(keyFile), keyFile, isNew };
}

/** Reads the file again when it has changed. A file that cannot be read leaves the keys as they are. */
function watchedRing(keyFile: string): KeyRing {
  let loaded = { version: versionOf(keyFile), ring: ringOf(requireKeyFile(keyFile)) };
  const refresh = (): KeyRing => {
    const version = versionOf(keyFile);
    if (version === null || version === loaded.version) return loaded.ring;
    try {
      loaded = { version, ring: ringOf(requireKeyFile(keyFile)) };
    } catch (error) {
      if (!(error instanceof SecretKeyUnusable)) throw error;
    }
    return loaded.ring;
  };
  return {
    current: () => refresh().current(),
    find: (id) => loaded.ring.find(id) ?? refresh().find(id),
    all: () => refresh().all(),
  };
}

/** Changes whenever the file is replaced or rewritten; null if there is none. */
function versionOf(keyFile: string): string | null {
  const stat = statSync(keyFile, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/** Throws `SecretKeyUnusable` if the file is missing as well. */
function requireKeyFile(keyFile: string): Uint8Array[] {
  const found = readKeyFile(keyFile);
  if (found === null) throw new SecretKeyUnusable(`the key at ${keyFile} disappeared`);
  return found;
}

function makeKeyFile({ keyFile, random }: SecretKeySources, create: boolean): void {
  if (!create) {
    throw new SecretKeyUnusable(
      `there is no key at ${keyFile}: put the key of this installation there, or set ${SECRET_KEY_VARIABLE} or [secrets] key_file`,
    );
  }
  createKeyFile(keyFile, random);
}

/** Null: there is none. Throws `SecretKeyUnusable`. */
export function readKeyFile(keyFile: string): Uint8Array[] | null {
  let file: number;
  try {
    // Without O_NONBLOCK, a named pipe in place of the key file would block the start forever.
    file = openSync(keyFile, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new SecretKeyUnusable(
      `the key at ${keyFile} cannot be read (${codeOf(error)}): run as the owner of the file`,
    );
  }
  try {
    // Checks the open file rather than the path, so that the file checked is the file read.
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new SecretKeyUnusable(`${keyFile} is not a file: a key file contains ${FORMS}`);
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, "0");
      throw new SecretKeyUnusable(
        `the key at ${keyFile} is accessible to other users (mode ${mode}): run chmod 600 ${shellWord(keyFile)}`,
      );
    }
    const keys = parseKeys(readFileSync(file, "utf8"));
    if (keys === null) throw new SecretKeyUnusable(`${keyFile} contains no key: it must contain ${FORMS}`);
    return keys;
  } finally {
    closeSync(file);
  }
}

/** Does nothing if another process created the file first. */
function createKeyFile(keyFile: string, random: Random): void {
  try {
    // Unlike a rename, a link never replaces an existing key.
    withUnfinished(keyFile, [random.bytes(SECRET_KEY_BYTES)], random, (unfinished) => linkSync(unfinished, keyFile));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    throw new SecretKeyUnusable(
      `no key can be created at ${keyFile} (${codeOf(error)}): does ${dirname(keyFile)} exist, and is it writable?`,
    );
  }
}

/** Replaces the file by one with these keys, the current one first; a crash leaves either the old or the new file. */
export function replaceKeyFile(keyFile: string, keys: readonly Uint8Array[], random: Random): void {
  withUnfinished(keyFile, keys, random, (unfinished) => renameSync(unfinished, keyFile));
}

/** Writes the keys to a file of their own, unless it exists. */
export function keepKeyFile(keyFile: string, keys: readonly Uint8Array[], random: Random): void {
  try {
    withUnfinished(keyFile, keys, random, (unfinished) => linkSync(unfinished, keyFile));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Deletes what a process left that was killed while it wrote the file. */
export function removeUnfinishedKeyFiles(keyFile: string): void {
  const start = `${basename(keyFile)}.`;
  for (const name of readdirSync(dirname(keyFile))) {
    if (name.startsWith(start) && name.endsWith(UNFINISHED)) rmSync(join(dirname(keyFile), name), { force: true });
  }
}

/** Writes a complete, synced file under another name for `place` to put in its place. */
function withUnfinished(
  keyFile: string,
  keys: readonly Uint8Array[],
  random: Random,
  place: (unfinished: string) => void,
): void {
  const directory = dirname(keyFile);
  const unfinished = `${keyFile}.${newToken(random, "", 8)}${UNFINISHED}`;
  const file = openSync(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeFileSync(file, keys.map((key) => `${Buffer.from(key).toString("base64")}\n`).join(""));
    // A key that root creates in another user's directory must be readable by the server, which runs as that user.
    if (process.getuid?.() === 0) {
      const owner = statSync(directory);
      fchownSync(file, owner.uid, owner.gid);
    }
    fsyncSync(file);
    place(unfinished);
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
  syncDirectory(directory);
}

/** Without this, a power cut could lose the new name while secrets sealed with the key are already on disk. */
function syncDirectory(directory: string): void {
  const folder = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Several keys are separated by white space; null if there is none, or one of the words is not a key. */
export function parseKeys(text: string): Uint8Array[] | null {
  const keys = text.split(/\s+/).flatMap((word) => (word === "" ? [] : [readKey(word)]));
  return keys.length === 0 || keys.includes(null) ? null : (keys as Uint8Array[]);
}

/** Base64 (either alphabet, padded or not) or hexadecimal; null for anything else. */
function readKey(word: string): Uint8Array | null {
  if (/^[0-9a-fA-F]{64}$/.test(word)) return Uint8Array.from(Buffer.from(word, "hex"));
  const standard = word.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  const bytes = Buffer.from(standard, "base64");
  // Decoding ignores unknown characters; only a text that round-trips is a key.
  const same = bytes.toString("base64").replace(/=+$/, "") === standard;
  return same && bytes.length === SECRET_KEY_BYTES ? Uint8Array.from(bytes) : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replace(/'/g, `'\\''`)}'`;
}
