/**
 * The file of a planned move: a tar archive that any tar lists and unpacks. Its first entry says whether the file was
 * used and is rewritten in place; the last one is the SHA-256 of everything between them. Only the names that a move
 * writes are read, so that nothing in the file leads out of a directory. Contents pass in pieces, whatever their size.
 */
import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { FileUse } from "./states.ts";

const BLOCK = 512;
const PIECE_BYTES = 1 << 20;
const STATE = "STATE";
const DIGEST = "DIGEST";
const STATE_BYTES = 128;
const UNUSED = "unused";
/** Of a file that is still being written. */
const UNFINISHED = "unfinished";
/** The header's field holds no more; larger sizes are written in base 256, as GNU tar does. */
const OCTAL_MAX = 0o77777777777;
const SIZE_AT = 124;
const SUM_AT = 148;

/** In the order in which a file has them. */
const NAMES = [
  /^move\.json$/,
  /^waxwing\.db$/,
  /^waxwing\.key$/,
  /^waxwing\.key\.old-[0-9a-z-]{1,80}$/,
  /^waxwing\.toml$/,
  /^media\/\d{1,15}-[0-9a-f]{64}$/,
];

/** The file is not a complete move file, or not the one that was written. */
export class MoveFileBroken extends Error {
  override readonly name = "MoveFileBroken";
}

/** True for a name that a move file may hold. */
export function isMoveName(name: string): boolean {
  return NAMES.some((pattern) => pattern.test(name));
}

export class MoveFileWriter {
  readonly #handle: number;
  readonly #hash = createHash("sha256");
  #at = 0;

  constructor(handle: number) {
    this.#handle = handle;
    this.#write(headerOf(STATE, STATE_BYTES), false);
    this.#write(stateBlock(UNFINISHED), false);
  }

  addText(name: string, text: string): void {
    const bytes = Buffer.from(text, "utf8");
    this.#write(headerOf(name, bytes.length));
    this.#write(bytes);
    this.#write(paddingFor(bytes.length));
  }

  addFile(name: string, path: string): void {
    const source = openSync(path, "r");
    try {
      const { size } = fstatSync(source);
      this.#write(headerOf(name, size));
      const piece = Buffer.alloc(PIECE_BYTES);
      let left = size;
      while (left > 0) {
        const length = readSync(source, piece, 0, Math.min(left, piece.length), null);
        if (length === 0) throw new Error(`${path} became shorter while it was read`);
        this.#write(piece.subarray(0, length));
        left -= length;
      }
      this.#write(paddingFor(size));
    } finally {
      closeSync(source);
    }
  }

  /** The file is complete on disk when it returns. Its last change is the one that makes it usable. */
  finish(): void {
    const digest = Buffer.from(`${this.#hash.digest("hex")}\n`, "utf8");
    this.#write(headerOf(DIGEST, digest.length), false);
    this.#write(digest, false);
    this.#write(paddingFor(digest.length), false);
    this.#write(Buffer.alloc(2 * BLOCK), false);
    fsyncSync(this.#handle);
    writeWhole(this.#handle, stateBlock(UNUSED), BLOCK);
    fsyncSync(this.#handle);
  }

  #write(bytes: Buffer, isHashed = true): void {
    if (isHashed) this.#hash.update(bytes);
    writeWhole(this.#handle, bytes, this.#at);
    this.#at += bytes.length;
  }
}

export interface Sink {
  write(piece: Buffer): void;
  end(): void;
}

/**
 * Reads the whole file and returns whether it was used. `onEntry` gets each entry with its size; what it returns gets
 * the contents. Nothing is proved before the end: the digest comes last. Throws `MoveFileBroken`.
 */
export function readMoveFile(handle: number, onEntry: (name: string, bytes: number) => Sink | null): FileUse {
  const reader = new Reader(handle);
  const state = reader.header();
  if (state.name !== STATE || state.bytes !== STATE_BYTES) throw new MoveFileBroken("it is no move file");
  const use = readState(reader.take(BLOCK));
  const hash = createHash("sha256");
  let before = "";
  for (let entry = reader.header(hash); entry.name !== DIGEST; entry = reader.header(hash)) {
    const order = orderOf(entry.name);
    if (order <= before) throw new MoveFileBroken(`${JSON.stringify(entry.name)} is out of order in it`);
    before = order;
    reader.contents(entry.bytes, hash, onEntry(entry.name, entry.bytes));
  }
  const digest = reader.take(BLOCK);
  if (!digest.equals(padded(`${hash.digest("hex")}\n`))) throw new MoveFileBroken("its digest does not match");
  if (!reader.take(2 * BLOCK).equals(Buffer.alloc(2 * BLOCK)) || !reader.isAtEnd())
    throw new MoveFileBroken("something was added at its end");
  return use;
}

/** On disk when it returns. */
export function markUsed(handle: number, at: number, by: string): void {
  writeWhole(handle, stateBlock(`used ${at} ${by}`), BLOCK);
  fsyncSync(handle);
}

/** True if the handle may be written to; changes nothing in the file. */
export function isMarkable(handle: number): boolean {
  const block = Buffer.alloc(BLOCK);
  if (readSync(handle, block, 0, BLOCK, BLOCK) !== BLOCK) return false;
  try {
    writeWhole(handle, block, BLOCK);
    return true;
  } catch {
    return false;
  }
}

class Reader {
  readonly #handle: number;
  readonly #piece = Buffer.alloc(PIECE_BYTES);
  #at = 0;

  constructor(handle: number) {
    this.#handle = handle;
  }

  take(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    this.#fill(bytes);
    return bytes;
  }

  /** The hash gets the header, except the digest's own. */
  header(hash: Hash | null = null): { name: string; bytes: number } {
    const block = this.take(BLOCK);
    const end = block.indexOf(0);
    const name = block.toString("latin1", 0, end === -1 ? 100 : Math.min(end, 100));
    const bytes = readSize(block);
    const isKnown = [STATE, DIGEST].includes(name) || isMoveName(name);
    // Whatever else a header may say (links, owners, other types) is not what a move writes.
    if (!isKnown || !headerOf(name, bytes).equals(block))
      throw new MoveFileBroken(`it holds what no move writes (${JSON.stringify(name.slice(0, 60))})`);
    if (name !== DIGEST) hash?.update(block);
    return { name, bytes };
  }

  contents(bytes: number, hash: Hash, sink: Sink | null): void {
    for (let left = bytes; left > 0; ) {
      const piece = this.#piece.subarray(0, Math.min(left, PIECE_BYTES));
      this.#fill(piece);
      hash.update(piece);
      sink?.write(piece);
      left -= piece.length;
    }
    hash.update(this.take((BLOCK - (bytes % BLOCK)) % BLOCK));
    sink?.end();
  }

  isAtEnd(): boolean {
    return readSync(this.#handle, Buffer.alloc(1), 0, 1, this.#at) === 0;
  }

  #fill(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      const length = readSync(this.#handle, bytes, done, bytes.length - done, this.#at);
      if (length === 0) throw new MoveFileBroken("its end is missing");
      done += length;
      this.#at += length;
    }
  }
}

function readState(block: Buffer): FileUse {
  const text = block.toString("latin1", 0, STATE_BYTES).trimEnd();
  if (!stateBlock(text).equals(block)) throw new MoveFileBroken("its state is damaged");
  const used = /^used (\d{1,15}) ([0-9a-z]{8,64})$/.exec(text);
  if (used !== null) return { kind: "used", at: Number(used[1]), by: used[2] ?? "" };
  if (text === UNUSED) return { kind: "unused" };
  throw new MoveFileBroken(text === UNFINISHED ? "move out was interrupted while it wrote it" : "its state is damaged");
}

function orderOf(name: string): string {
  return `${NAMES.findIndex((pattern) => pattern.test(name))} ${name}`;
}

/** A ustar header of a regular file, mode 0600, without an owner and a time: the file says nothing else about itself. */
function headerOf(name: string, bytes: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100, "latin1");
  block.write("0000600\0" + "0000000\0" + "0000000\0", 100, "latin1");
  if (bytes <= OCTAL_MAX) block.write(`${bytes.toString(8).padStart(11, "0")}\0`, SIZE_AT, "latin1");
  else {
    block[SIZE_AT] = 0x80;
    block.writeBigUInt64BE(BigInt(bytes), SIZE_AT + 4);
  }
  block.write("00000000000\0", 136, "latin1");
  block.write("        0", SUM_AT, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, SUM_AT, "latin1");
  return block;
}

function readSize(block: Buffer): number {
  if (block[SIZE_AT] === 0x80) return Number(block.readBigUInt64BE(SIZE_AT + 4));
  const text = block.toString("latin1", SIZE_AT, SIZE_AT + 11);
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : 0;
}

function paddingFor(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

/** One block: the entry's contents, and what fills it up. */
function stateBlock(text: string): Buffer {
  return padded(`${text.padEnd(STATE_BYTES - 1)}\n`);
}

function padded(text: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(text, 0, "latin1");
  return block;
}

function writeWhole(handle: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, at + done);
}
