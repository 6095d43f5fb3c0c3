/**
 * The key of `keyedHash`. It must stay the same when the master key is rotated, because the values behind stored hashes
 * are not known any more. It is derived from the first master key; a rotation keeps it in the database, sealed with the
 * new one.
 */
import { deriveKey, type KeyRing } from "#src/core/key-ring.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Client } from "./driver.ts";

export const HASH_KEY_CONTEXT = "kept_key:hash";

/** The key for `keyedHash`, read at its first use. */
export function hashKeyOf(client: () => Client, ring: () => KeyRing, box: () => SecretBox): () => Uint8Array {
  let known: Uint8Array | null = null;
  return () => {
    known ??= readHashKey(client(), ring(), box());
    return known;
  };
}

function readHashKey(client: Client, ring: KeyRing, box: SecretBox): Uint8Array {
  const sealed = client.prepare("SELECT sealed FROM kept_keys WHERE purpose = 'hash'").pluck().get();
  if (typeof sealed === "string") return Uint8Array.from(Buffer.from(box.open(sealed, HASH_KEY_CONTEXT), "base64"));
  // Before the first rotation is complete, the first master key is the last of the ring.
  return deriveKey((ring.all().at(-1) ?? ring.current()).bytes, "hash");
}

/** Keeps the key that is in use now. To be called in the transaction of a rotation. */
export function keepHashKey(client: Client, ring: KeyRing, box: SecretBox): void {
  const text = Buffer.from(readHashKey(client, ring, box)).toString("base64");
  client
    .prepare("INSERT INTO kept_keys (purpose, sealed) VALUES ('hash', ?) ON CONFLICT DO NOTHING")
    .run(box.seal(text, HASH_KEY_CONTEXT));
}
