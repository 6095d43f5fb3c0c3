/**
 * The ZIP archive that a workbook is. Parts are unpacked in pieces, and what would unpack to far more than a workbook of
 * people is refused before it is: by what the archive declares, and again by what really comes out.
 */
import { crc32 } from "node:zlib";
import { type Entry, fromFdPromise, openPromise, type ZipFile } from "yauzl";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { FileSource } from "../bytes.ts";

/** Of one part. A sheet of a million rows with ten columns has about half of it. */
const PART_BYTES_MAX = 1024 * 1024 * 1024;
/** XML of a sheet shrinks to a tenth, of a monotonous one to a fiftieth. */
const RATIO_MAX = 100;
/** Smaller parts may shrink as much as they like. */
const RATIO_COUNTS_FROM = 64 * 1024 * 1024;
const PARTS_MAX = 10_000;

export class Archive {
  readonly #zip: ZipFile;
  /** By lower-case name: names of parts are equal whatever their case. */
  readonly #parts: ReadonlyMap<string, Entry>;
  readonly #isOurs: boolean;

  private constructor(zip: ZipFile, parts: ReadonlyMap<string, Entry>, isOurs: boolean) {
    this.#zip = zip;
    this.#parts = parts;
    this.#isOurs = isOurs;
  }

  /** Throws `invalid_request` for a file that is no complete archive. */
  static async open(file: FileSource): Promise<Archive> {
    const options = { autoClose: false };
    // A descriptor belongs to the caller and stays open.
    const isOurs = typeof file === "string";
    const zip = await mending(isOurs ? openPromise(file, options) : fromFdPromise(file, options));
    try {
      return new Archive(zip, await mending(partsOf(zip)), isOurs);
    } catch (error) {
      if (isOurs) zip.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  get names(): string[] {
    return [...this.#parts.keys()];
  }

  /** Unpacks a part to its end and keeps nothing: afterwards it is known to be complete. */
  async verify(name: string): Promise<void> {
    for await (const _ of this.read(name));
  }

  /** The bytes of a part, in pieces. Throws `invalid_request` where it is damaged or too large. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const part = this.#parts.get(name.toLowerCase());
    if (part === undefined) throw damaged(`it has no part ${name}`);
    requireReadable(part);
    const stream = await mending(this.#zip.openReadStreamPromise(part));
    let sum = 0;
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        sum = crc32(piece, sum);
        yield piece;
      }
    } catch (error) {
      throw asProblem(error);
    } finally {
      stream.destroy();
    }
    if (sum !== part.crc32) throw damaged(`its part ${name} is not what was saved`);
  }

  close(): void {
    if (this.#isOurs) this.#zip.close();
  }
}

async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > PARTS_MAX) throw tooLarge(`has ${zip.entryCount} parts`);
  const parts = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) parts.set(entry.fileName.toLowerCase(), entry);
  return parts;
}

/** What a part declares; more than it declares is never unpacked. */
function requireReadable(part: Entry): void {
  if (part.isEncrypted()) {
    throw invalidRequest({ file: ["This is an archive with a password: unpack it and import the file inside."] });
  }
  if (!part.canDecodeFileData()) throw damaged(`its part ${part.fileName} is packed in an unknown way`);
  const { uncompressedSize: size, compressedSize: packed } = part;
  const isBomb = size > RATIO_COUNTS_FROM && size > packed * RATIO_MAX;
  if (size > PART_BYTES_MAX || isBomb) throw tooLarge(`unpacks to ${Math.round(size / 1024 / 1024)} MB`);
}

/** `what` completes "This workbook is damaged: …". */
export function damaged(what: string): Problem {
  const way = "open it in Excel or LibreOffice, save it again as .xlsx, and import that file";
  return invalidRequest({ file: [`This workbook is damaged: ${what}; ${way}.`] });
}

/** `what` completes "This workbook …". */
export function tooLarge(what: string): Problem {
  const way = "save the sheet as CSV UTF-8 and import that file";
  return invalidRequest({ file: [`This workbook ${what}, which is too much to be read: ${way}.`] });
}

async function mending<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asProblem(error);
  }
}

/** An error of the disk stays what it is; every other one is about the archive. */
function asProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error) || "syscall" in error) return error;
  return damaged("it cannot be unpacked");
}
