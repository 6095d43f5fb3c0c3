/**
 * Detects the encoding and delimiter of a CSV file. It guesses only where the file is unambiguous; otherwise it uses
 * what spreadsheets write by default.
 */
import { createReadStream, readSync } from "node:fs";

/** A path or an open file descriptor: a command run as root opens its input before it drops privileges. */
export type FileSource = string | number;

/** A chunk is parsed in one go, on the thread that answers requests where it is the start of an uploaded file. */
const CHUNK_BYTES = 64 * 1024;

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Spreadsheets in countries with a decimal comma write semicolons; the clipboard writes tabs. */
const DELIMITERS = [",", ";", "\t", "|"] as const;
type Delimiter = (typeof DELIMITERS)[number];

/**
 * Detects the encoding by its byte order mark. Without one, a file that is valid UTF-8 is UTF-8; otherwise
 * windows-1252, which Western spreadsheets write. Reads the file once, without keeping it in memory.
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

/**
 * The delimiter that occurs most often in the header, outside quotes. A comma if there is none, as in a file of one
 * column.
 */
export function detectDelimiter(header: string): Delimiter {
  const outside = header.replace(/"(?:[^"]|"")*"/g, "");
  let best: Delimiter = ",";
  for (const delimiter of DELIMITERS) {
    if (outside.split(delimiter).length > outside.split(best).length) best = delimiter;
  }
  return best;
}

/** The file as text in chunks, without a byte order mark. */
export async function* readText(source: FileSource, encoding: Encoding): AsyncGenerator<string> {
  // `TextDecoder` drops the byte order mark.
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytesOf(source)) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

function bytesOf(source: FileSource): AsyncIterable<Buffer> | Iterable<Buffer> {
  const highWaterMark = CHUNK_BYTES;
  return typeof source === "string" ? createReadStream(source, { highWaterMark }) : piecesOf(source, highWaterMark);
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
