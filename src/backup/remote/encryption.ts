/**
 * Encryption of archives with age. The recipient is public and on the server; the recovery key, age's identity, is kept
 * elsewhere. An archive can also be decrypted by `age -d -i KEY`.
 */
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { ArchiveBroken } from "./tar.ts";

/** The recovery key is no key, or not the one of this archive. */
export class WrongRecoveryKey extends Error {
  override readonly name = "WrongRecoveryKey";
}

const IDENTITY = /^AGE-SECRET-KEY-[A-Z0-9-]+$/;
/** age encrypts in chunks of this size, each with a tag. */
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** More than the header of an archive for one recipient. */
const HEADER_BYTES = 4_096;

/** What the archive takes at most. */
export function encryptedBytes(bytes: number): number {
  return bytes + TAG_BYTES * (Math.ceil(bytes / CHUNK_BYTES) + 1) + HEADER_BYTES;
}

export async function newRecoveryKey(): Promise<{ recoveryKey: string; recipient: string }> {
  const recoveryKey = await generateIdentity();
  return { recoveryKey, recipient: await identityToRecipient(recoveryKey) };
}

/** Throws if the text is not an age recipient. */
export async function encrypt(
  recipient: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return iterate(await encrypter.encrypt(streamOf(pieces)));
}

/** The keys in the text of a file, as `age-keygen` writes it: one a line, comments begin with #. */
export function readRecoveryKeys(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0 || !keys.every((key) => IDENTITY.test(key)))
    throw new WrongRecoveryKey('it does not hold a recovery key, which begins with "AGE-SECRET-KEY-"');
  return keys;
}

export async function recipientsOf(keys: readonly string[]): Promise<string[]> {
  try {
    return await Promise.all(keys.map((key) => identityToRecipient(key)));
  } catch (error) {
    throw new WrongRecoveryKey(`the recovery key is not valid: ${messageOf(error)}`);
  }
}

/** Throws `WrongRecoveryKey`; while it is read, the result throws `ArchiveBroken`. */
export async function decrypt(
  keys: readonly string[],
  pieces: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  await recipientsOf(keys);
  const decrypter = new Decrypter();
  for (const key of keys) decrypter.addIdentity(key);
  const source = watched(pieces);
  try {
    return plain(await decrypter.decrypt(streamOf(source.pieces)), source);
  } catch (error) {
    if (source.error !== null) throw source.error;
    if (/no identity matched/i.test(messageOf(error)))
      throw new WrongRecoveryKey("the archive is encrypted for another recovery key");
    throw new ArchiveBroken(`its header cannot be read (${messageOf(error)})`);
  }
}

/** Remembers the error with which the source ended, which is not a fault of the archive. */
interface Source {
  pieces: AsyncIterable<Uint8Array>;
  error: unknown;
}

function watched(pieces: AsyncIterable<Uint8Array>): Source {
  const source: Source = { pieces, error: null };
  source.pieces = (async function* () {
    try {
      yield* pieces;
    } catch (error) {
      source.error = error;
      throw error;
    }
  })();
  return source;
}

async function* plain(stream: ReadableStream<Uint8Array>, source: Source): AsyncGenerator<Uint8Array> {
  try {
    yield* iterate(stream);
  } catch (error) {
    if (source.error !== null) throw source.error;
    throw new ArchiveBroken(`it was changed or is incomplete (${messageOf(error)})`);
  }
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}

async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
