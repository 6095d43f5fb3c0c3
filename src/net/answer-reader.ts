/**
 * Reads one HTTP/1.1 answer from the bytes of a connection, as they come. It keeps no more than its limits allow, and
 * looks at each byte once. How an answer ends has to be certain: one with two lengths, an unknown transfer coding or a
 * malformed chunk is unreadable. A header that cannot be read is skipped, because its answer may still be good.
 */

/** The headers of an answer, by their names in any case. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

export type Reading =
  | { kind: "more" }
  /** `isReusable`: another request may follow on the connection. */
  | { kind: "complete"; status: number; headers: AnswerHeaders; body: Buffer; isReusable: boolean }
  /** `reason` is the end of a sentence for people. */
  | { kind: "unreadable"; reason: string };

interface ReaderOptions {
  /** To a HEAD request: an answer without a body, whatever its headers say. */
  isHead: boolean;
  /** Bytes. */
  headMax: number;
  /** Bytes. */
  bodyMax: number;
  /** A longer body is cut off there, and the answer is complete; otherwise it is unreadable. */
  isCut?: boolean;
}

interface Head {
  status: number;
  headers: HeaderMap;
  isPersistent: boolean;
}

type State = "head" | "length" | "chunk_size" | "chunk" | "chunk_end" | "trailers" | "until_end" | "ended";

const MORE: Reading = { kind: "more" };
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
/** Room for a chunk's size with extensions, and for one trailer. */
const LINE_BYTES_MAX = 4_096;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that no value may contain; the head was read as Latin-1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is these characters that are looked for.
const FORBIDDEN_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;|$)/;

export class AnswerReader {
  readonly #options: ReaderOptions;
  #state: State = "head";
  #head: Head | null = null;
  /** The start of a head or a line whose end has not come; allocated at the limit, so that each byte is copied once. */
  #partial: Buffer | null = null;
  #partialLength = 0;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes missing of the body or of the current chunk. */
  #missing = 0;
  #trailerBytes = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Takes the next bytes, which the caller does not change later. Call no more once it is not `more`. */
  read(bytes: Buffer): Reading {
    let rest = bytes;
    for (;;) {
      const step = this.#step(rest);
      if ("kind" in step) return step;
      rest = step.rest;
    }
  }

  /** The host has ended the connection. */
  end(): Reading {
    if (this.#state === "until_end") return this.#complete(false);
    const when = this.#head === null ? "closed without an answer" : "lost during the answer";
    return { kind: "unreadable", reason: `the connection was ${when}` };
  }

  get hasHead(): boolean {
    return this.#head !== null;
  }

  /** Of the answer that has begun; null before its head is complete. */
  get status(): number | null {
    return this.#head?.status ?? null;
  }

  #step(bytes: Buffer): Reading | { rest: Buffer } {
    if (this.#state === "ended") return this.#complete(bytes.length === 0);
    if (bytes.length === 0) return MORE;
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "length":
      case "chunk":
      case "until_end":
        return this.#readBody(bytes);
      default:
        return this.#readLine(bytes);
    }
  }

  #readHead(bytes: Buffer): Reading | { rest: Buffer } {
    const found = this.#take(bytes, HEAD_END, this.#options.headMax);
    if (found === null) return MORE;
    if (found === "too_long") return unreadable(`the head of the answer had more than ${this.#options.headMax} bytes`);
    const [statusLine = "", ...lines] = found.text.split("\r\n");
    const [, version, statusText] = STATUS_LINE.exec(statusLine) ?? [];
    if (version === undefined) return unreadable("the answer was not HTTP/1.1");
    const status = Number(statusText);
    if (status === 101) return unreadable("the host tried to switch to another protocol (101)");
    // An interim answer: the real one follows.
    if (status < 200) return { rest: found.rest };
    const headers = HeaderMap.parse(lines);
    this.#head = { status, headers, isPersistent: isPersistent(version, headers) };
    return this.#beginBody(status, headers) ?? { rest: found.rest };
  }

  /** Decides where the answer ends. */
  #beginBody(status: number, headers: HeaderMap): Reading | null {
    const coding = headers.get("transfer-encoding");
    const lengths = headers.get("content-length");
    if (coding !== null) {
      if (lengths !== null) return unreadable("the answer had a length and a transfer coding");
      if (coding.toLowerCase() !== "chunked") return unreadable("the answer had an unknown transfer coding");
    }
    const length = lengths === null ? null : readLength(lengths);
    if (length === undefined) return unreadable("the answer had no certain length");
    if (this.#options.isHead || status === 204 || status === 304) this.#state = "ended";
    else if (coding !== null) this.#state = "chunk_size";
    else if (length === null) this.#state = "until_end";
    else return this.#expect(length, "length");
    return null;
  }

  /** The next `length` bytes belong to the body. */
  #expect(length: number, state: "length" | "chunk"): Reading | null {
    if (this.#size + length > this.#options.bodyMax && this.#options.isCut !== true) return this.#tooLong();
    this.#missing = length;
    this.#state = length === 0 ? "ended" : state;
    return null;
  }

  #readBody(bytes: Buffer): Reading | { rest: Buffer } {
    if (this.#state === "until_end") {
      this.#keep(bytes);
      return this.#size > this.#options.bodyMax ? this.#tooLong() : MORE;
    }
    const piece = bytes.subarray(0, this.#missing);
    this.#keep(piece);
    if (this.#size > this.#options.bodyMax) return this.#tooLong();
    this.#missing -= piece.length;
    if (this.#missing > 0) return MORE;
    this.#state = this.#state === "chunk" ? "chunk_end" : "ended";
    return { rest: bytes.subarray(piece.length) };
  }

  #readLine(bytes: Buffer): Reading | { rest: Buffer } {
    const found = this.#take(bytes, LINE_END, LINE_BYTES_MAX);
    if (found === null) return MORE;
    if (found === "too_long") return unreadable("a chunk of the answer was malformed");
    const fault = this.#useLine(found.text);
    return fault ?? { rest: found.rest };
  }

  #useLine(line: string): Reading | null {
    if (this.#state === "chunk_end") {
      this.#state = "chunk_size";
      return line === "" ? null : unreadable("a chunk of the answer was malformed");
    }
    if (this.#state === "trailers") {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > this.#options.headMax) return unreadable("the answer did not end");
      if (line === "") this.#state = "ended";
      return null;
    }
    const [, digits] = CHUNK_SIZE.exec(line) ?? [];
    if (digits === undefined) return unreadable("a chunk of the answer was malformed");
    const size = Number.parseInt(digits, 16);
    if (size > 0) return this.#expect(size, "chunk");
    this.#state = "trailers";
    return null;
  }

  /** The text before `mark`, without it, and the bytes after it; null: it has not come yet. */
  #take(bytes: Buffer, mark: Buffer, max: number): { text: string; rest: Buffer } | "too_long" | null {
    if (this.#partial === null) {
      const end = bytes.indexOf(mark);
      if (end > max || (end === -1 && bytes.length > max)) return "too_long";
      if (end !== -1) return { text: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + mark.length) };
      this.#partial = Buffer.allocUnsafe(max + mark.length);
      this.#partialLength = 0;
    }
    const partial = this.#partial;
    const before = this.#partialLength;
    const copied = bytes.copy(partial, before);
    const filled = before + copied;
    this.#partialLength = filled;
    const end = partial.subarray(0, filled).indexOf(mark, Math.max(0, before - mark.length + 1));
    if (end === -1) return filled === partial.length ? "too_long" : null;
    this.#partial = null;
    return { text: partial.toString("latin1", 0, end), rest: bytes.subarray(end + mark.length - before) };
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #complete(isAtEnd: boolean): Reading {
    const head = this.#head;
    if (head === null) return MORE;
    const [first, ...others] = this.#pieces;
    const body = first === undefined ? Buffer.alloc(0) : others.length === 0 ? first : Buffer.concat(this.#pieces);
    return {
      kind: "complete",
      status: head.status,
      headers: head.headers,
      body,
      isReusable: isAtEnd && head.isPersistent,
    };
  }

  #tooLong(): Reading {
    if (this.#options.isCut === true) {
      const { bodyMax } = this.#options;
      this.#pieces = [Buffer.concat(this.#pieces).subarray(0, bodyMax)];
      return this.#complete(false);
    }
    return unreadable(`the answer had more than ${this.#options.bodyMax} bytes`);
  }
}

function unreadable(reason: string): Reading {
  return { kind: "unreadable", reason };
}

/** The length in a `Content-Length`, which may be repeated; undefined: it says no length, or two. */
function readLength(text: string): number | undefined {
  const [first = "", ...others] = text.split(",").map((part) => part.trim());
  if (!LENGTH.test(first) || others.some((other) => other !== first)) return undefined;
  return Number(first);
}

function isPersistent(version: string, headers: HeaderMap): boolean {
  const options = (headers.get("connection") ?? "").toLowerCase().split(",");
  const has = (option: string): boolean => options.some((one) => one.trim() === option);
  return version === "1" ? !has("close") : has("keep-alive");
}

/** One line of a head; null: it cannot be read. */
type HeaderLine = { name: string; value: string } | null;

/**
 * Hosts repeat most of their header lines from answer to answer. Only short lines are kept, and only so many, because
 * a host chooses them.
 */
const knownLines = new Map<string, HeaderLine>();
const KNOWN_LINES_MAX = 256;
const KNOWN_LINE_LENGTH_MAX = 200;

function readHeaderLine(line: string): HeaderLine {
  const known = knownLines.get(line);
  if (known !== undefined) return known;
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  const read = HEADER_NAME.test(name) && !FORBIDDEN_IN_VALUE.test(value) ? { name, value } : null;
  if (line.length > KNOWN_LINE_LENGTH_MAX) return read;
  if (knownLines.size >= KNOWN_LINES_MAX) knownLines.clear();
  knownLines.set(line, read);
  return read;
}

class HeaderMap implements AnswerHeaders {
  readonly #values = new Map<string, string>();

  static parse(lines: readonly string[]): HeaderMap {
    const map = new HeaderMap();
    for (const line of lines) map.#add(line);
    return map;
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  /** Repeated headers are one list. */
  #add(line: string): void {
    const read = readHeaderLine(line);
    if (read === null) return;
    const { name, value } = read;
    const before = this.#values.get(name);
    this.#values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
}
