/**
 * Secrets at rest and in comparisons. A sealed value is AES-256-GCM under a key derived from the master key, carries that
 * key's id and is bound to its row: a reader of the database or a backup learns nothing, and a value moved to another row
 * does not open. Tokens that only need to be recognised are stored as hashes.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyRing, ringOf } from "./key-ring.ts";
import type { Random } from "./random.ts";

export interface SecretBox {
  /**
   * Encrypts `text` for the place named by `context`, such as `webhook_secret:12`. Every call returns a different text.
   */
  seal(text: string, context: string): string;
  /** Decrypts a text sealed for this context. Throws `SecretUnreadable` if key, context or text do not match. */
  open(sealed: string, context: string): string;
  /** The id of the key that `seal` uses now. */
  currentKeyId(): string;
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

/** What `open` returns; null: a secret that it opens is unreadable. */
export function ifReadable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `master`: one key of 32 bytes, or keys that may change while this process runs. */
export function createSecretBox(master: Uint8Array | KeyRing, random: Random): SecretBox {
  const ring = master instanceof Uint8Array ? ringOf([master]) : master;
  const sealingKeys = new Map<string, Uint8Array>();
  const sealingKey = (id: string, bytes: Uint8Array): Uint8Array => {
    const known = sealingKeys.get(id) ?? deriveKey(bytes, "seal");
    sealingKeys.set(id, known);
    return known;
  };
  // Version and key are authenticated too, so that a later format cannot be passed off as this one.
  const boundTo = (id: string, context: string): Uint8Array => Buffer.from(`${VERSION}.${id}.${context}`, "utf8");

  return {
    currentKeyId: () => ring.current().id,

    seal(text, context) {
      const { id, bytes } = ring.current();
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealingKey(id, bytes), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(id, context));
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${id}.${sealed.toString("base64url")}`;
    },

    open(sealed, context) {
      const [version, id = "", payload = "", ...rest] = sealed.split(".");
      if (version !== VERSION || rest.length > 0) throw new SecretUnreadable(context, "it is in no known format");
      const bytes = Buffer.from(payload, "base64url");
      // Node ignores characters that are not base64url; a payload that does not round-trip is damaged.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== payload) {
        throw new SecretUnreadable(context, "it is damaged");
      }
      const key = ring.find(id);
      if (key === undefined) throw new SecretUnreadable(context, `its key ${shownId(id)} is not among the keys given`);
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", sealingKey(id, key.bytes), nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(id, context));
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

/** More than the numbers and webhooks that are in use at the same time on one machine. */
const KEPT_MAX = 1_000;
const keptTexts = new WeakMap<SecretBox, Map<string, { context: string; text: string }>>();

/**
 * As `box.open`, for a secret that every message or delivery needs: opening one costs as much as three statements. A sealed
 * value never changes, and a new secret is another value, so what was opened once stays right.
 */
export function openKept(box: SecretBox, sealed: string, context: string): string {
  const kept = keptTexts.get(box) ?? new Map<string, { context: string; text: string }>();
  keptTexts.set(box, kept);
  const known = kept.get(sealed);
  if (known?.context === context) return known.text;
  const text = box.open(sealed, context);
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(sealed, { context, text });
  return text;
}

/** The id of the key that sealed the value; null if it is not in the format of a sealed value. */
export function keyIdOf(sealed: string): string | null {
  const [version, id = ""] = sealed.split(".");
  return version === VERSION && KEY_ID.test(id) ? id : null;
}

const KEY_ID = /^[0-9a-f]{8}$/;

/** A damaged value may hold anything in place of the id. */
function shownId(id: string): string {
  return KEY_ID.test(id) ? id : "(unknown)";
}

/**
 * SHA-256 of the UTF-8 bytes, 32 bytes. For storing random tokens; too fast for passwords. The runtime's own hash takes
 * half the time of `node:crypto`, and in one call, half of that.
 */
export function hashToken(text: string): Uint8Array {
  const hash = new Uint8Array(32);
  Bun.SHA256.hash(text, hash);
  return hash;
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
