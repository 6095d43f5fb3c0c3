/** The bytes of a file of people, from its start, in pieces. */
import { createReadStream, readSync } from "node:fs";
import { decoderOf, type Encoding } from "./encodings.ts";

/** A path or an open file descriptor: a command run as root opens its input before it drops privileges. */
export type FileSource = string | number;

/** A piece is parsed in one go, on the thread that answers requests where it is the start of an uploaded file. */
const PIECE_BYTES = 64 * 1024;

export function bytesOf(source: FileSource): AsyncIterable<Buffer> | Iterable<Buffer> {
  const highWaterMark = PIECE_BYTES;
  return typeof source === "string" ? createReadStream(source, { highWaterMark }) : piecesOf(source, highWaterMark);
}

/** In hex. */
export async function sha256Of(source: FileSource): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of bytesOf(source)) hash.update(piece);
  return hash.digest("hex");
}

/**
 * Reads from the start of the file on every call and leaves it open. The synchronous reads are acceptable because only
 * commands use this, and they have nothing else to do meanwhile.
 */
function* piecesOf(handle: number, length: number): Generator<Buffer> {
  for (let at = 0; ; ) {
    const piece = Buffer.alloc(length);
    const read = readSync(handle, piece, 0, length, at);
    if (read === 0) return;
    yield piece.subarray(0, read);
    at += read;
  }
}

/** The file as text in pieces, without a byte order mark. */
export async function* textOfFile(file: FileSource, encoding: Encoding): AsyncGenerator<string> {
  // The decoder drops the byte order mark.
  const decoder = decoderOf(encoding);
  for await (const chunk of bytesOf(file)) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}
