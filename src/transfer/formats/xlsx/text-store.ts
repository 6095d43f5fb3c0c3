/**
 * The texts that the cells of a workbook share, by their numbers. They are kept as bytes: a million names as strings
 * would need several times as much memory.
 */
import { tooLarge } from "./archive.ts";
import { decodeEscapes, type XmlHandler } from "./xml.ts";

/** Together, with their places. */
const PAGES_MAX = 64;
const PAGE_BYTES = 1024 * 1024;
const COUNT_MAX = 4 * 1024 * 1024;
/** Excel has 32,767 characters in a cell, Google Sheets 50,000. */
export const CELL_LENGTH_MAX = 64 * 1024;

export class TextStore {
  /** A text lies in one page. */
  readonly #pages: Buffer[] = [];
  #starts = new Uint32Array(4 * 1024);
  #ends = new Uint32Array(4 * 1024);
  /** Numbers of texts that are too long to be kept. */
  readonly #tooLong = new Set<number>();
  #size = 0;
  #count = 0;

  add(text: string): void {
    if (this.#count === COUNT_MAX) throw tooLarge("has too many different texts");
    if (this.#count === this.#starts.length) [this.#starts, this.#ends] = [doubled(this.#starts), doubled(this.#ends)];
    this.#starts[this.#count] = this.#size;
    if (text.length > CELL_LENGTH_MAX) this.#tooLong.add(this.#count);
    else this.#write(text);
    this.#ends[this.#count] = this.#size;
    this.#count += 1;
  }

  /** Null: the text is too long. Undefined: there is no such text. */
  get(number: number): string | null | undefined {
    if (!Number.isInteger(number) || number < 0 || number >= this.#count) return undefined;
    if (this.#tooLong.has(number)) return null;
    const [start = 0, end = 0] = [this.#starts[number], this.#ends[number]];
    const page = Math.floor(start / PAGE_BYTES);
    const base = page * PAGE_BYTES;
    return this.#pages[page]?.toString("utf8", start - base, end - base) ?? "";
  }

  #write(text: string): void {
    const left = this.#pages.length * PAGE_BYTES - this.#size;
    if (left < 3 * text.length) {
      if (this.#pages.length === PAGES_MAX) throw tooLarge("has too many different texts");
      this.#size = this.#pages.length * PAGE_BYTES;
      this.#pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
      this.#starts[this.#count] = this.#size;
    }
    this.#size += this.#pages.at(-1)?.write(text, this.#size % PAGE_BYTES) ?? 0;
  }
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * numbers.length);
  grown.set(numbers);
  return grown;
}

/** Collects the text of a shared or an inline string: of its parts, without the readings above Japanese characters. */
export class RichText {
  #text = "";
  #isReading = false;
  #isInText = false;

  begin(): void {
    this.#text = "";
  }

  open(name: string): void {
    if (name === "rPh") this.#isReading = true;
    if (name === "t") this.#isInText = !this.#isReading;
  }

  add(text: string): void {
    if (this.#isInText && this.#text.length <= CELL_LENGTH_MAX) this.#text += text;
  }

  close(name: string): void {
    if (name === "rPh") this.#isReading = false;
    if (name === "t") this.#isInText = false;
  }

  get text(): string {
    return decodeEscapes(this.#text);
  }
}

/** Reads `sharedStrings.xml` into a store. */
export function sharedStringsInto(store: TextStore): XmlHandler {
  const rich = new RichText();
  return {
    open: (name) => {
      if (name === "si") rich.begin();
      rich.open(name);
    },
    text: (text) => rich.add(text),
    close: (name) => {
      rich.close(name);
      if (name === "si") store.add(rich.text);
    },
  };
}
