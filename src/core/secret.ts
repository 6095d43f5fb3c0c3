/**
 * Secrets at rest and in comparisons. A sealed value is AES-256-GCM under the installation's key and bound to its row:
 * a reader of the database or a backup learns nothing, and a value moved to another row does not open. The key comes
 * from the environment or from a file that only its owner may read; a power cut leaves that file complete or absent.
 * Tokens that only need to be recognised are stored as hashes.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Random } from "./random.ts";

export interface SecretBox {
  /**
   * Encrypts `text` for the place named by `context`, such as `webhook_secret:12`. Every call returns a different text.
   */
  seal(text: string, context: string): string;
  /** Decrypts a text sealed for this context. Throws `SecretUnreadable` if key, context or text do not match. */
  open(sealed: string, context: string): string;
}

/**
 * A sealed value does not open: it was sealed with another key or for another context, or is damaged. The error
 * contains no part of the value.
 */
export class SecretUnreadable extends Error {
  readonly context: string;

  constructor(context: string, reason: string) {
    super(`the stored secret ${context} cannot be read: ${reason}`);
    this.name = "SecretUnreadable";
    this.context = context;
  }
}

const SECRET_KEY_BYTES = 32;

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `key` must be 32 bytes; throws a RangeError otherwise. */
export function createSecretBox(key: Uint8Array, random: Random): SecretBox {
  if (key.length !== SECRET_KEY_BYTES) {
    throw new RangeError(`a secret key has ${SECRET_KEY_BYTES} bytes, not ${key.length}`);
  }
  // Copied, because a caller that wipes or reuses its bytes must not change the key.
  const ownKey = Uint8Array.from(key);
  // The version is authenticated too, so that a later format cannot be passed off as this one.
  const boundTo = (context: string): Uint8Array => Buffer.from(`${VERSION}.${context}`, "utf8");

  return {
    seal(text, context) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", ownKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(context));
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${sealed.toString("base64url")}`;
    },

    open(sealed, context) {
      const [version, payload = "", ...rest] = sealed.split(".");
      if (version !== VERSION || rest.length > 0) throw new SecretUnreadable(context, "it is in no known format");
      const bytes = Buffer.from(payload, "base64url");
      // Node ignores characters that are not base64url; a payload that does not round-trip is damaged.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== payload) {
        throw new SecretUnreadable(context, "it is damaged");
      }
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", ownKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        throw new SecretUnreadable(context, "it was sealed with another key or for another purpose, or it is damaged");
      }
    },
  };
}

/** SHA-256 of the UTF-8 bytes, 32 bytes. For storing random tokens; too fast for passwords. */
export function hashToken(text: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(text, "utf8").digest());
}

/** Compares texts (as UTF-8) or bytes in a time that reveals neither the position of a difference nor the lengths. */
export function constantTimeEqual(a: Uint8Array | string, b: Uint8Array | string): boolean {
  // `timingSafeEqual` needs equal lengths, which hashes have; an early "no" would reveal the length.
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}

/**
 * `prefix` followed by random letters and digits with at least as many possibilities as `bytes` random bytes: 16 bytes
 * give 22 characters, 32 give 43.
 */
export function newToken(random: Random, prefix: string, bytes: number): string {
  const length = Math.ceil((bytes * 8) / Math.log2(ALPHABET.length));
  // 256 is not a multiple of 62: discard bytes above the last multiple, or the first letters would be more frequent.
  const usable = 256 - (256 % ALPHABET.length);
  let token = "";
  while (token.length < length) {
    for (const byte of random.bytes(length - token.length)) {
      if (byte < usable) token += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return prefix + token;
}

/** HMAC-SHA256 as 64 lower-case hexadecimal digits; texts are encoded as UTF-8. */
export function hmacSha256Hex(key: Uint8Array | string, data: Uint8Array | string): string {
  return createHmac("sha256", key).update(data).digest("hex");
}

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

const SECRET_KEY_VARIABLE = "WAXWING_SECRETS_KEY";

/** The accepted forms of a key, for messages. */
const FORMS = `${SECRET_KEY_BYTES} bytes in base64 or as ${SECRET_KEY_BYTES * 2} hexadecimal digits (openssl rand -base64 ${SECRET_KEY_BYTES} makes one)`;

/**
 * The 32 bytes of the key. The environment variable takes precedence over the file. With `create`, a missing file is
 * created in its existing directory. Throws `SecretKeyUnusable` if there is no key, if the value is not a key, or if
 * others than the owner may access the file.
 */
export function loadSecretKey({ keyFile, env, random }: SecretKeySources, create: boolean): Uint8Array {
  const fromEnv = env[SECRET_KEY_VARIABLE];
  if (fromEnv !== undefined) {
    const key = readKey(fromEnv);
    // An empty variable is a mistake too: falling back to a file would seal new secrets with an unintended key.
    if (key === null) throw new SecretKeyUnusable(`${SECRET_KEY_VARIABLE} is not a key: it must contain ${FORMS}`);
    return key;
  }
  const found = findKeyFile(keyFile);
  if (found !== null) return found;
  if (!create) {
    throw new SecretKeyUnusable(
      `there is no key at ${keyFile}: put the key of this installation there, or set ${SECRET_KEY_VARIABLE} or [secrets] key_file`,
    );
  }
  createKeyFile(keyFile, random);
  const created = findKeyFile(keyFile);
  if (created === null) throw new SecretKeyUnusable(`the key at ${keyFile} disappeared while it was created`);
  return created;
}

function findKeyFile(keyFile: string): Uint8Array | null {
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
    const key = readKey(readFileSync(file, "utf8"));
    if (key === null) throw new SecretKeyUnusable(`${keyFile} contains no key: it must contain ${FORMS}`);
    return key;
  } finally {
    closeSync(file);
  }
}

/** Does nothing if another process created the file first. */
function createKeyFile(keyFile: string, random: Random): void {
  const directory = dirname(keyFile);
  // Written under another name and linked when complete: unlike a rename, a link never replaces an existing key.
  const unfinished = `${keyFile}.${newToken(random, "", 8)}.new`;
  try {
    const file = openSync(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeFileSync(file, `${Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString("base64")}\n`);
      // A key that root creates in another user's directory must be readable by the server, which runs as that user.
      if (process.getuid?.() === 0) {
        const owner = statSync(directory);
        fchownSync(file, owner.uid, owner.gid);
      }
      fsyncSync(file);
      linkSync(unfinished, keyFile);
    } finally {
      closeSync(file);
      unlinkSync(unfinished);
    }
    syncDirectory(directory);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    throw new SecretKeyUnusable(
      `no key can be created at ${keyFile} (${codeOf(error)}): does ${directory} exist, and is it writable?`,
    );
  }
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

/** Base64 (either alphabet, padded or not) or hexadecimal, ignoring white space around it; null for anything else. */
function readKey(text: string): Uint8Array | null {
  const word = text.trim();
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

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replace(/'/g, `'\\''`)}'`;
}
