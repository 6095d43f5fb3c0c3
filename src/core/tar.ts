/**
 * Tar archives as streams with bounded memory. What is read may come from anybody: the entries are only handed out, so a
 * name, a link or a mode in an archive has no effect that the caller does not give it.
 */
import { closeSync, fstatSync, openSync } from "node:fs";
import { createTarPacker, type TarPackController } from "modern-tar";
import { piecesFrom } from "./pieces.ts";

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

/**
 * Throws `ArchiveBroken`, also when the pieces of an entry are read, and what `pieces` throws. Reads all of `pieces`, unless
 * the caller stops before. The library's own reader is not used: on Bun 1.4.5 it waits for ever where the source ends while
 * a body of several pieces is read.
 */
export async function* readTar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const source = new Source(pieces);
  try {
    for (let extended: Partial<Header> = {}; ; ) {
      const block = await source.take(BLOCK_BYTES);
      if (block.every((byte) => byte === 0)) break;
      const { type, ...header } = { ...readHeader(block), ...extended };
      const padding = -header.bytes & (BLOCK_BYTES - 1);
      extended = {};
      if (type === EXTENDED) {
        if (header.bytes > EXTENDED_BYTES_MAX) throw new ArchiveBroken("it is no archive, or damaged");
        extended = readExtended(await source.take(header.bytes));
      } else {
        const body = new Body(source, header.bytes);
        yield { ...header, isFile: type === "0" || type === "\0", pieces: body.pieces() };
        await body.skip();
      }
      await source.take(padding);
    }
    for (let rest = await source.some(); rest !== null; rest = await source.some())
      if (rest.some((byte) => byte !== 0)) throw new ArchiveBroken("it is no archive, or damaged");
  } finally {
    // Where the caller has seen enough, the source is closed too.
    await source.close();
  }
}

const BLOCK_BYTES = 512;
/** An extended header says the size of an entry over 8 GB. */
const EXTENDED = "x";
const EXTENDED_BYTES_MAX = 64 * 1024;

interface Header {
  name: string;
  bytes: number;
  type: string;
}

function readHeader(block: Buffer): Header {
  const text = (from: number, length: number) => block.toString("utf8", from, from + length).replace(/\0.*$/s, "");
  const number = (from: number, length: number) => {
    const digits = text(from, length).trim();
    if (!/^[0-7]{1,11}$/.test(digits)) throw new ArchiveBroken("it is no archive, or damaged");
    return Number.parseInt(digits, 8);
  };
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (number(148, 8) !== sum) throw new ArchiveBroken("it is no archive, or damaged (checksum)");
  const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
  const name = prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  return { name, bytes: number(124, 12), type: block.toString("latin1", 156, 157) };
}

function readExtended(content: Buffer): Partial<Header> {
  const records = content.toString("utf8");
  const [, name] = /^\d+ path=(.+)$/m.exec(records) ?? [];
  const [, size] = /^\d+ size=(\d{1,15})$/m.exec(records) ?? [];
  return { ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { bytes: Number(size) }) };
}

/** The pieces, in the sizes that are asked for. */
class Source {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#iterator = pieces[Symbol.asyncIterator]();
  }

  /** At most `max` of the next bytes; null at the end. */
  async some(max = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    while (this.#held.length === 0) {
      const next = await this.#iterator.next();
      if (next.done === true) return null;
      this.#held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
    }
    const taken = this.#held.subarray(0, max);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const part = await this.some(left);
      if (part === null) throw new ArchiveBroken("it ends too early");
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }
}

/** The content of one entry. */
class Body {
  readonly #source: Source;
  #left: number;

  constructor(source: Source, bytes: number) {
    this.#source = source;
    this.#left = bytes;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) yield piece;
  }

  async skip(): Promise<void> {
    while ((await this.#next()) !== null);
  }

  async #next(): Promise<Buffer | null> {
    if (this.#left === 0) return null;
    const piece = await this.#source.some(this.#left);
    if (piece === null) throw new ArchiveBroken("it ends too early");
    this.#left -= piece.length;
    return piece;
  }
}
