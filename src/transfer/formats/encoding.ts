/**
 * Finds the encoding of a text file by what makes sense as text: each encoding that can be is tried on the words of the
 * file that are not ASCII, and the one that gives words of a language wins. Where two fit, a person has to choose.
 */
import { isAscii } from "node:buffer";
import { invalidRequest } from "#src/core/problem.ts";
import { bytesOf, type FileSource } from "./bytes.ts";
import { decoderOf, type Encoding, encodings } from "./encodings.ts";
import { senseOf } from "./sense.ts";

export interface FoundEncoding {
  encoding: Encoding;
  /** Each encoding that makes sense of the file, with a few of its words; empty where there is no doubt. */
  samples: EncodingSample[];
}

export interface EncodingSample {
  encoding: Encoding;
  sample: string;
}

/** Lines with bytes that are not ASCII, of which the words count. */
const SAMPLE_BYTES = 64 * 1024;
/** Of UTF-8 text, the part of its sequences that may be broken: a name was cut in the middle of a character. */
const BROKEN_SHARE_MAX = 0.1;
const SAMPLES_SHOWN = 3;
const SAMPLE_LENGTH = 120;
/** How much more sense an encoding must make than the next one, as `senseOf` counts. */
const MARGIN = 0.3;
/** Read where they are chosen; too rare to be found. */
const NOT_FOUND: readonly Encoding[] = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "iso-8859-3",
  "iso-8859-4",
  "iso-8859-10",
  "iso-8859-14",
];
/** What makes less sense than this is no text. */
const SENSE_MIN = -4;

/**
 * `country`: of the workspace; between encodings that make equal sense, that of the country's own languages is right.
 * Throws `invalid_request` (`encoding`) with samples where a person has to choose, unless it `mayGuess`.
 */
export async function findEncoding(source: FileSource, country: string, mayGuess = false): Promise<FoundEncoding> {
  const { head, sample, isValid } = await readSample(source);
  const wide = wideEncoding(head);
  if (wide !== null) return { encoding: wide, samples: [] };
  if (isValid) return { encoding: "utf-8", samples: [] };
  return chooseEncoding(sample, country, mayGuess);
}

interface Sample {
  head: Buffer;
  /** The first lines with bytes that are not ASCII. */
  sample: Buffer;
  /** The whole file is valid UTF-8. */
  isValid: boolean;
}

/** Reads the file once, without keeping it in memory. */
async function readSample(source: FileSource): Promise<Sample> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const strange = new StrangeLines();
  let head: Buffer | null = null;
  let isValid = true;
  for await (const chunk of bytesOf(source)) {
    head ??= chunk;
    if (wideEncoding(head) !== null) return { head, sample: head, isValid: false };
    isValid &&= decodes(decoder, chunk);
    strange.add(chunk);
    if (!isValid && strange.isFull) break;
  }
  isValid &&= decodes(decoder, null);
  return { head: head ?? Buffer.alloc(0), sample: strange.end(), isValid };
}

/** Collects the first lines with bytes that are not ASCII. */
class StrangeLines {
  readonly #lines: Buffer[] = [];
  #size = 0;
  /** The line that continues in the next chunk. */
  #rest: Buffer = Buffer.alloc(0);

  get isFull(): boolean {
    return this.#size >= SAMPLE_BYTES;
  }

  add(chunk: Buffer): void {
    if (this.isFull) return;
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = text.lastIndexOf(0x0a) + 1;
    // Of a line without an end, its beginning is enough.
    this.#rest = Buffer.from(text.subarray(end, end + SAMPLE_BYTES));
    if (isAscii(text)) return;
    for (const line of linesOf(text.subarray(0, end))) this.#addLine(line);
  }

  end(): Buffer {
    this.#addLine(this.#rest);
    return Buffer.concat(this.#lines);
  }

  #addLine(line: Buffer): void {
    if (this.isFull || isAscii(line)) return;
    const cut = Buffer.from(line.subarray(0, SAMPLE_BYTES));
    this.#lines.push(cut);
    this.#size += cut.length;
  }
}

function decodes(decoder: TextDecoder, chunk: Buffer | null): boolean {
  try {
    if (chunk === null) decoder.decode();
    else decoder.decode(chunk, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function* linesOf(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(0x0a, at);
    if (end === -1) {
      yield text.subarray(at);
      return;
    }
    yield text.subarray(at, end + 1);
    at = end + 1;
  }
}

/** Two bytes for each character, with a byte order mark or without one: digits and line ends have a zero byte. */
function wideEncoding(head: Buffer): Encoding | null {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const pairs = Math.min(head.length >> 1, 2_048);
  if (pairs < 4) return null;
  let [even, odd] = [0, 0];
  for (let at = 0; at < 2 * pairs; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  if (odd > pairs / 5 && even * 20 < odd) return "utf-16le";
  if (even > pairs / 5 && odd * 20 < even) return "utf-16be";
  return null;
}

function chooseEncoding(sample: Buffer, country: string, mayGuess: boolean): FoundEncoding {
  const repaired = new TextDecoder("utf-8").decode(sample);
  const broken = repaired.split("\ufffd").length - 1;
  // Every lead byte begins a character that is not ASCII.
  const wide = sample.filter((byte) => byte >= 0xc2 && byte <= 0xf4).length;
  if (broken <= wide * BROKEN_SHARE_MAX) return { encoding: "utf-8", samples: [] };
  const readings = encodings
    .filter((encoding) => !NOT_FOUND.includes(encoding))
    .flatMap((encoding) => {
      const text = decode(sample, encoding);
      return text === null ? [] : [{ encoding, text, ...senseOf(text, encoding, country) }];
    })
    .sort((a, b) => b.weight - a.weight);
  const [best, ...others] = readings;
  if (best === undefined) throw unclear([]);
  // Encodings that give the same words are the same for this file.
  const isNonsense = best.mean < SENSE_MIN;
  const rivals = others.filter(
    ({ text, weight }) => (isNonsense || weight > best.weight - MARGIN) && text !== best.text,
  );
  const distinct = rivals.filter(({ text }, index) => rivals.findIndex((one) => one.text === text) === index);
  // Where nothing else makes sense, text that is UTF-8 for the most part is perhaps damaged.
  const whole = [...repaired].filter((character) => character > "\x7f" && character !== "\ufffd").length;
  const damaged = isNonsense && whole >= broken ? [{ encoding: "utf-8" as const, text: repaired }] : [];
  const samples = samplesOf([...damaged, best, ...distinct]);
  if (!mayGuess && (isNonsense || distinct.length > 0)) throw unclear(samples);
  return { encoding: damaged.length > 0 ? "utf-8" : best.encoding, samples };
}

function decode(sample: Buffer, encoding: Encoding): string | null {
  try {
    return decoderOf(encoding, true).decode(sample);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function samplesOf(readings: readonly { encoding: Encoding; text: string }[]): EncodingSample[] {
  return readings.slice(0, SAMPLES_SHOWN).map(({ encoding, text }) => ({ encoding, sample: wordsOf(text) }));
}

/** The first words that are not ASCII. */
function wordsOf(text: string): string {
  const cells = text
    .slice(0, 4_000)
    .split(/[,;\t|\r\n"]/)
    .map((cell) => cell.trim())
    .filter((cell) => /\P{ASCII}/u.test(cell));
  return [...new Set(cells)].slice(0, SAMPLES_SHOWN).join(", ").slice(0, SAMPLE_LENGTH);
}

function unclear(samples: readonly EncodingSample[]): Error {
  const choices = samples.map(({ encoding, sample }) => `--encoding ${encoding} reads ${JSON.stringify(sample)}`);
  return invalidRequest({
    encoding: [`The encoding of the file is not clear; choose one. ${choices.join("; ")}.`],
  });
}
