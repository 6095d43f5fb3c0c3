/**
 * Writes and reads tar archives as streams (POSIX ustar, with GNU's form of sizes over 8 GB), so that an archive can be
 * unpacked without Waxwing. The reader accepts what this writer writes: plain files, and nothing else.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const BLOCK = 512;
const PIECE_BYTES = 256 * 1024;
const NAME_BYTES = 100;
const OCTAL_SIZE_MAX = 8 ** 11 - 1;

/** The content is in memory, or is a file's. */
export interface TarEntry {
  name: string;
  bytes: number;
  content: Uint8Array | { path: string };
}

/** Whether a stream of bytes is not the archive that was written. */
export class ArchiveBroken extends Error {
  override readonly name = "ArchiveBroken";
}

export function tarBytes(entries: readonly TarEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + BLOCK + padded(bytes), 0) + 2 * BLOCK;
}

/** Throws if a file no longer has the size that its entry names. */
export async function* writeTar(entries: readonly TarEntry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield headerOf(entry);
    if (entry.content instanceof Uint8Array) yield entry.content;
    else yield* piecesOf(entry.content.path, entry.bytes);
    const padding = padded(entry.bytes) - entry.bytes;
    if (padding > 0) yield new Uint8Array(padding);
  }
  yield new Uint8Array(2 * BLOCK);
}

function* piecesOf(path: string, bytes: number): Generator<Uint8Array> {
  const handle = openSync(path, "r");
  try {
    if (fstatSync(handle).size !== bytes) throw new Error(`${path} changed while it was read`);
    for (let left = bytes; left > 0; ) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, left));
      const length = readSync(handle, piece);
      if (length === 0) throw new Error(`${path} became shorter while it was read`);
      left -= length;
      yield piece.subarray(0, length);
    }
  } finally {
    closeSync(handle);
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function headerOf({ name, bytes }: TarEntry): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for an archive`);
  header.write(name, 0);
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  if (bytes <= OCTAL_SIZE_MAX) header.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124);
  else {
    header.writeBigUInt64BE(BigInt(bytes), 128);
    header[124] = 0x80;
  }
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The sum of the header's bytes, with its own field as spaces. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

export interface EntrySink {
  write(piece: Uint8Array): void;
  end(): void;
}

/** Reads the whole stream; `open` says where each entry goes. Throws `ArchiveBroken`, and what `open` throws. */
export async function readTar(
  stream: AsyncIterable<Uint8Array>,
  open: (name: string, bytes: number) => EntrySink,
): Promise<void> {
  const reader = new TarReader(open);
  for await (const piece of stream) reader.push(piece);
  reader.end();
}

class TarReader {
  readonly #open: (name: string, bytes: number) => EntrySink;
  /** The block that is not complete yet: of a header, or of the end. */
  readonly #block = Buffer.alloc(BLOCK);
  #filled = 0;
  #entry: { sink: EntrySink; left: number; padding: number } | null = null;
  #emptyBlocks = 0;

  constructor(open: (name: string, bytes: number) => EntrySink) {
    this.#open = open;
  }

  push(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0; ) rest = this.#entry === null ? this.#header(rest) : this.#content(rest);
  }

  end(): void {
    if (this.#entry !== null || this.#filled > 0 || this.#emptyBlocks < 2) throw new ArchiveBroken("it ends too early");
  }

  #content(piece: Uint8Array): Uint8Array {
    const entry = this.#entry;
    if (entry === null) return piece;
    const taken = Math.min(entry.left, piece.length);
    if (taken > 0) entry.sink.write(piece.subarray(0, taken));
    entry.left -= taken;
    const skipped = entry.left > 0 ? 0 : Math.min(entry.padding, piece.length - taken);
    entry.padding -= skipped;
    this.#finish();
    return piece.subarray(taken + skipped);
  }

  #finish(): void {
    if (this.#entry === null || this.#entry.left > 0 || this.#entry.padding > 0) return;
    this.#entry.sink.end();
    this.#entry = null;
  }

  #header(piece: Uint8Array): Uint8Array {
    const taken = Math.min(BLOCK - this.#filled, piece.length);
    this.#block.set(piece.subarray(0, taken), this.#filled);
    this.#filled += taken;
    if (this.#filled === BLOCK) {
      this.#filled = 0;
      this.#begin();
    }
    return piece.subarray(taken);
  }

  #begin(): void {
    const block = this.#block;
    if (block.every((byte) => byte === 0)) {
      this.#emptyBlocks += 1;
      return;
    }
    if (this.#emptyBlocks > 0) throw new ArchiveBroken("something follows its end");
    const sum = Number.parseInt(block.toString("latin1", 148, 156), 8);
    if (sum !== checksumOf(block)) throw new ArchiveBroken("a header in it is damaged");
    if (block[156] !== 0x30) throw new ArchiveBroken("it holds something that is not a file");
    const name = block.toString("utf8", 0, NAME_BYTES).replace(/\0.*$/s, "");
    const bytes = sizeIn(block);
    this.#entry = { sink: this.#open(name, bytes), left: bytes, padding: padded(bytes) - bytes };
    this.#finish();
  }
}

function sizeIn(block: Buffer): number {
  const bytes =
    block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(block.toString("latin1", 124, 136), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new ArchiveBroken("a header in it names no size");
  return bytes;
}
