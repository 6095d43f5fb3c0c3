/**
 * What a file of rows is written in, found out by looking at it: its encoding, and what separates its columns. Guesses
 * are only made where the file itself leaves no doubt; the rest is what spreadsheets write by default.
 */
import { createReadStream, readSync } from "node:fs";

/** A path, or a file that is open already: a command of root's opens what it is given before it gives its rights up. */
export type FileSource = string | number;

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Spreadsheets of countries with a decimal comma separate by semicolons; tabs come from the clipboard. */
const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * By the mark at the beginning; without one UTF-8 where the whole file is valid UTF-8, else what Western spreadsheets
 * write. Reads the file once, without keeping it.
 */
export async function detectEncoding(source: FileSource): Promise<Encoding> {
  let isFirst = true;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of bytesOf(source)) {
      if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) return "utf-16le";
      if (isFirst && chunk[0] === 0xfe && chunk[1] === 0xff) return "utf-16be";
      isFirst = false;
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return "utf-8";
  } catch (error) {
    if (error instanceof TypeError) return "windows-1252";
    throw error;
  }
}

/** Whatever stands most often in the header, outside quotes. A file of one column has none: then a comma. */
export function detectDelimiter(header: string): Delimiter {
  const outside = header.replace(/"(?:[^"]|"")*"/g, "");
  let best: Delimiter = ",";
  for (const delimiter of DELIMITERS) {
    if (outside.split(delimiter).length > outside.split(best).length) best = delimiter;
  }
  return best;
}

/** The file as text, piece by piece, without a mark at its beginning. */
export async function* readText(source: FileSource, encoding: Encoding): AsyncGenerator<string> {
  // `TextDecoder` drops the mark by itself.
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytesOf(source)) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

function bytesOf(source: FileSource): AsyncIterable<Buffer> | Iterable<Buffer> {
  const highWaterMark = 256 * 1024;
  return typeof source === "string" ? createReadStream(source, { highWaterMark }) : piecesOf(source, highWaterMark);
}

/** From its beginning, however often; it stays open. Only commands read so, which have nothing else to do meanwhile. */
function* piecesOf(handle: number, length: number): Generator<Buffer> {
  for (let at = 0; ; ) {
    const piece = Buffer.alloc(length);
    const read = readSync(handle, piece, 0, length, at);
    if (read === 0) return;
    yield piece.subarray(0, read);
    at += read;
  }
}
