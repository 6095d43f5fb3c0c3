/**
 * Encryption of archives with age. The recipient is public and on the server; the recovery key, age's identity, is kept
 * elsewhere. An archive can also be decrypted by `age -d -i KEY`.
 */
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { SourceStream } from "#src/core/pieces.ts";
import { ArchiveBroken } from "#src/core/tar.ts";

/** The recovery key is malformed or belongs to another archive. */
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
  return encrypter.encrypt(new SourceStream(pieces).stream);
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
  const source = new SourceStream(pieces);
  try {
    return plain(await decrypter.decrypt(source.stream), source);
  } catch (error) {
    if (source.fault !== null) throw source.fault;
    if (/no identity matched/i.test(messageOf(error)))
      throw new WrongRecoveryKey("the archive is encrypted for another recovery key");
    throw new ArchiveBroken(`its header cannot be read (${messageOf(error)})`);
  }
}

async function* plain(stream: ReadableStream<Uint8Array>, source: SourceStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw source.fault ?? new ArchiveBroken(`it was changed or is incomplete (${messageOf(error)})`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
