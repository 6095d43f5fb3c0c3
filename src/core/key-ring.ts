/**
 * The master keys of an installation: the current one, which seals, and earlier ones, which still open what they have
 * sealed. What is computed with a key uses another one derived from it for that purpose (HKDF), never the master key
 * itself.
 */
import { hkdfSync } from "node:crypto";

export const SECRET_KEY_BYTES = 32;

/** What a derived key is for. Each text gives an unrelated key, so a text must never change. */
const PURPOSES = {
  /** Encrypts stored secrets. */
  seal: "waxwing seal v1",
  /** Hashes values that must be recognised without being stored. */
  hash: "waxwing keyed hash v1",
  /** Signs links to media. */
  link: "waxwing media link v1",
} as const;

const ID = "waxwing key id v1";
const ID_BYTES = 4;

interface MasterKey {
  /** Eight hexadecimal digits that name the key and reveal nothing of it. */
  id: string;
  bytes: Uint8Array;
}

export interface KeyRing {
  current(): MasterKey;
  find(id: string): MasterKey | undefined;
  /** The current key first. */
  all(): readonly MasterKey[];
}

export function deriveKey(master: Uint8Array, purpose: keyof typeof PURPOSES): Uint8Array {
  return derive(master, PURPOSES[purpose], SECRET_KEY_BYTES);
}

function masterKey(bytes: Uint8Array): MasterKey {
  if (bytes.length !== SECRET_KEY_BYTES) {
    throw new RangeError(`a secret key has ${SECRET_KEY_BYTES} bytes, not ${bytes.length}`);
  }
  // Copied, because a caller that wipes or reuses its bytes must not change the key.
  return { id: Buffer.from(derive(bytes, ID, ID_BYTES)).toString("hex"), bytes: Uint8Array.from(bytes) };
}

/** Keys that do not change while the process runs. */
export function ringOf(keys: readonly Uint8Array[]): KeyRing {
  const all = keys.map(masterKey);
  const [current] = all;
  if (current === undefined) throw new RangeError("a ring needs a key");
  return { current: () => current, find: (id) => all.find((key) => key.id === id), all: () => all };
}

function derive(master: Uint8Array, info: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", master, new Uint8Array(0), info, length));
}
