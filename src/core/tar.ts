/**
 * Tar archives as streams with bounded memory. What is read may come from anybody: the entries are only handed out, so a
 * name, a link or a mode in an archive has no effect that the caller does not give it.
 */
import { closeSync, fstatSync, openSync } from "node:fs";
import { createTarDecoder, createTarPacker, type TarPackController } from "modern-tar";
import { piecesFrom, SourceStream } from "./pieces.ts";

/** The header of an entry, the extended header of one over 8 GB, and what fills up its last block. */
const ENTRY_BYTES_MAX = 4 * 512;
const END_BYTES = 2 * 512;

/** The content is in memory, or is a file's. */
export interface TarEntry {
  name: string;
  bytes: number;
  content: Uint8Array | { path: string };
}

/** The bytes are not those of the archive that was written. */
export class ArchiveBroken extends Error {
  override readonly name = "ArchiveBroken";
}

export function textEntry(name: string, text: string): TarEntry {
  const content = Buffer.from(text);
  return { name, bytes: content.length, content };
}

/** What the archive takes at most. */
export function maxTarBytes(entries: readonly TarEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes + ENTRY_BYTES_MAX, END_BYTES);
}

/** Files with the mode 0600, without owner and time. Throws if a file has another size than its entry names. */
export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const packing = pack(entries, controller);
  yield* readable;
  await packing;
}

async function pack(entries: Iterable<TarEntry>, controller: TarPackController): Promise<void> {
  try {
    for (const { name, bytes, content } of entries) {
      const writer = controller.add({ name, size: bytes, mode: 0o600, mtime: new Date(0) }).getWriter();
      // The stream's own state is an error then, which the next write meets.
      writer.closed.catch(() => undefined);
      for (const piece of content instanceof Uint8Array ? [content] : piecesOf(content.path, bytes))
        await writer.write(piece);
      await writer.close();
    }
    controller.finalize();
  } catch (error) {
    controller.error(error);
  }
}

function* piecesOf(path: string, bytes: number): Generator<Uint8Array> {
  const handle = openSync(path, "r");
  try {
    if (fstatSync(handle).size !== bytes) throw new Error(`${path} changed while it was read`);
    let left = bytes;
    for (const piece of piecesFrom(handle, 0, bytes)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new Error(`${path} became shorter while it was read`);
  } finally {
    closeSync(handle);
  }
}

export interface ReadEntry {
  name: string;
  bytes: number;
  /** Not a link, a directory or a device. */
  isFile: boolean;
  /** To be read before the next entry is asked for; what is left of it is skipped. */
  pieces: AsyncIterable<Uint8Array>;
}

/** Throws `ArchiveBroken`, also when the pieces of an entry are read, and what `pieces` throws. */
export async function* readTar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const source = new SourceStream(pieces);
  const broken = (error: unknown) => source.fault ?? new ArchiveBroken(inWords(error));
  const stop = new AbortController();
  const decoder = createTarDecoder({ strict: true });
  try {
    for await (const { header, body } of source.stream.pipeThrough(decoder, { signal: stop.signal })) {
      const { name, size: bytes, type } = header;
      yield { name, bytes, isFile: type === "file", pieces: guarded(body, broken) };
      await body.cancel();
    }
  } catch (error) {
    throw broken(error);
  } finally {
    // Where the caller has seen enough, the source is closed too.
    stop.abort();
  }
}

async function* guarded(body: ReadableStream<Uint8Array>, broken: (error: unknown) => unknown) {
  try {
    yield* body;
  } catch (error) {
    throw broken(error);
  }
}

function inWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /truncated/i.test(message) ? "it ends too early" : `it is no archive, or damaged (${message})`;
}
