/**
 * Reads a form with one file (`multipart/form-data`, RFC 7578) as it arrives. Of the bytes, only a piece is in memory. A
 * refused request is read to its end all the same, because a program that still writes may never see the answer.
 */

import type { Clock } from "#src/core/clock.ts";
import { unknownName } from "#src/core/fault.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { FileSink, GivenFile } from "#src/media/uploads.ts";
import { withTimeout } from "./body.ts";

/** The name of the part. */
const FIELD = "file";
const FORM_TYPE = /^multipart\/form-data *;/i;
const BOUNDARY = /; *boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i;
const NAME = /; *name="((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"/i;
const FILENAME = /; *filename="((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"/i;
const HEAD_BYTES_MAX = 8 * 1024;
export const FILENAME_LENGTH_MAX = 240;
/** Bytes of a refused piece that are read all the same. */
const PIECE_REST_MAX = 16 * 1024 * 1024;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** After a boundary: another part follows, or none. */
const NEXT_PART = "\r\n";
const LAST_PART = "--";

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read">;

/**
 * `restMax`: bytes up to which the rest of a refused request is read. Throws `invalid_request`, also when no more of the
 * body comes for 30 seconds, and what `sink` throws.
 */
export async function readFormFile(request: Request, clock: Clock, sink: FileSink, restMax: number): Promise<void> {
  const reader = readerOf(request);
  let isCut = false;
  const next = async (): Promise<Uint8Array | undefined> => {
    try {
      return (await withTimeout(reader.read(), clock)).value;
    } catch (error) {
      isCut = true;
      throw error instanceof Problem ? error : invalidForm("The body was cut short.");
    }
  };
  try {
    const form = new FormFile(readBoundary(request.headers.get("content-type")), sink);
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) await form.take(chunk);
    form.requireEnd();
  } catch (error) {
    if (!isCut) await readRest(reader, clock, restMax);
    throw error;
  }
}

/**
 * Gives a body to `sink` as it arrives. Throws `invalid_request` when it is cut short or stops to come, and what `sink` throws,
 * after which the rest is read.
 */
export async function readPiece(request: Request, clock: Clock, sink: Pick<FileSink, "write">): Promise<void> {
  const reader = readerOf(request);
  for (;;) {
    const { value: chunk } = await withTimeout(reader.read(), clock).catch((error: unknown) => {
      throw error instanceof Problem ? error : invalidForm("The body was cut short.");
    });
    if (chunk === undefined) return;
    try {
      await sink.write(chunk);
    } catch (error) {
      await readRest(reader, clock, PIECE_REST_MAX);
      throw error;
    }
  }
}

/** Of a request that is refused before its form is read. */
export async function skipForm(request: Request, clock: Clock, restMax: number): Promise<void> {
  await readRest(readerOf(request), clock, restMax);
}

function readerOf({ body }: Request): BodyReader {
  const empty = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.close() });
  return (body ?? empty()).getReader();
}

async function readRest(reader: BodyReader, clock: Clock, restMax: number): Promise<void> {
  try {
    for (let left = restMax; left > 0; ) {
      const { done, value } = await withTimeout(reader.read(), clock);
      if (done) return;
      left -= value.byteLength;
    }
  } catch {
    // The caller has gone or stopped to write, and the answer matters to none.
  }
}

function readBoundary(contentType: string | null): string {
  const found = contentType !== null && FORM_TYPE.test(contentType) ? BOUNDARY.exec(contentType) : null;
  const boundary = found?.[1] ?? found?.[2];
  if (boundary !== undefined) return boundary;
  throw invalidForm("Send the file as a form, `multipart/form-data`, in a part with the name `file`.");
}

/** `preamble`: before the first boundary. `boundary`: behind one. `epilogue`: behind the last one; it is not read. */
type Place = "preamble" | "boundary" | "head" | "file" | "epilogue";

class FormFile {
  readonly #sink: FileSink;
  readonly #delimiter: Buffer;
  /** What the next chunk may continue. Text before the first boundary is the end of a line of its own. */
  #held: Buffer = Buffer.from("\r\n");
  #place: Place = "preamble";
  #hasFile = false;

  constructor(boundary: string, sink: FileSink) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#sink = sink;
  }

  async take(chunk: Uint8Array): Promise<void> {
    const bytes =
      this.#held.byteLength === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([this.#held, chunk]);
    this.#held = bytes;
    while (await this.#step());
    // The chunk's memory is the runtime's.
    this.#held = Buffer.from(this.#held);
  }

  requireEnd(): void {
    if (this.#place !== "epilogue") throw invalidForm("The form is not complete: its last boundary is missing.");
    if (!this.#hasFile) throw missingFile();
  }

  /** Reads one thing from what is held; false: it needs more bytes. */
  async #step(): Promise<boolean> {
    switch (this.#place) {
      case "preamble":
      case "file":
        return this.#readUpToBoundary();
      case "boundary":
        return this.#readBoundaryEnd();
      case "head":
        return this.#readHead();
      case "epilogue":
        this.#held = Buffer.alloc(0);
        return false;
    }
  }

  async #readUpToBoundary(): Promise<boolean> {
    const at = this.#held.indexOf(this.#delimiter);
    // The last bytes may be the beginning of a boundary.
    const until = at === -1 ? Math.max(0, this.#held.byteLength - this.#delimiter.byteLength + 1) : at;
    if (this.#place === "file" && until > 0) await this.#sink.write(this.#held.subarray(0, until));
    this.#held = this.#held.subarray(at === -1 ? until : at + this.#delimiter.byteLength);
    if (at !== -1) this.#place = "boundary";
    return at !== -1;
  }

  #readBoundaryEnd(): boolean {
    if (this.#held.byteLength < LAST_PART.length) return false;
    const end = this.#held.subarray(0, LAST_PART.length).toString("latin1");
    if (end !== NEXT_PART && end !== LAST_PART) throw invalidForm("The form is malformed at a boundary.");
    this.#held = this.#held.subarray(LAST_PART.length);
    this.#place = end === LAST_PART ? "epilogue" : "head";
    return true;
  }

  #readHead(): boolean {
    const at = this.#held.indexOf(END_OF_HEAD);
    if (at === -1) {
      if (this.#held.byteLength > HEAD_BYTES_MAX) throw invalidForm("The head of a part of the form is too long.");
      return false;
    }
    const { name, given } = readPart(this.#held.subarray(0, at).toString("utf8"));
    if (name !== FIELD) throw unknownPart(name);
    if (this.#hasFile) throw invalidRequest({ [FIELD]: ["The form has one file. Upload each file on its own."] });
    this.#hasFile = true;
    this.#sink.begin(given);
    this.#held = this.#held.subarray(at + END_OF_HEAD.byteLength);
    this.#place = "file";
    return true;
  }
}

function readPart(head: string): { name: string; given: GivenFile } {
  const lines = head.split("\r\n");
  const header = (name: string): string | null =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? null;
  const disposition = header("content-disposition") ?? "";
  const name = unquoted(NAME.exec(disposition)?.[1]);
  return { name, given: { filename: readFilename(disposition), contentType: header("content-type") } };
}

/** Browsers write quotes and line breaks as percent codes; some programs write a quote behind a backslash. */
function unquoted(text: string | undefined): string {
  const decodedCodes = text?.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code)) ?? "";
  return decodedCodes.replace(/\\(["\\])/g, "$1");
}

/** Null: the part has no name. Throws `invalid_request` for a name that is too long. */
function readFilename(disposition: string): string | null {
  const encoded = /; *filename\*=UTF-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const given = (encoded === undefined ? null : decoded(encoded)) ?? unquoted(FILENAME.exec(disposition)?.[1]);
  // Old browsers send the whole path.
  const filename = cleanName(given);
  if (filename === null) return null;
  if ([...filename].length > FILENAME_LENGTH_MAX) {
    const sentence = `The name of the file may have at most ${FILENAME_LENGTH_MAX} characters.`;
    throw invalidRequest({ filename: [{ rule: "too_long", sentence, limit: FILENAME_LENGTH_MAX }] });
  }
  return filename;
}

/** Of a name as a program or a browser gives it; null: nothing is left. */
export function cleanName(given: string): string | null {
  const filename = given
    .slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1)
    .replace(/\p{C}/gu, "_")
    .trim();
  return filename === "" ? null : filename;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function unknownPart(name: string): Problem {
  return invalidRequest({ [name]: [unknownName("Unknown part. The form has one part, `file`.", name, [FIELD])] });
}

function missingFile(): Problem {
  return invalidRequest({ [FIELD]: [{ rule: "required", sentence: "The form needs a part `file` with the bytes." }] });
}

function invalidForm(message: string): Problem {
  return invalidRequest({ [FIELD]: [message] });
}
