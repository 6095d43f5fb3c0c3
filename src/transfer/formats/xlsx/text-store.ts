/**
 * The texts that the cells of a workbook share, by their numbers. They are kept as bytes: a million names as strings
 * would need several times as much memory.
 */
import { tooLarge } from "./archive.ts";
import { decodeEscapes, type XmlHandler } from "./xml.ts";

const BYTES_MAX = 192 * 1024 * 1024;
const COUNT_MAX = 8 * 1024 * 1024;
/** Excel has 32,767 characters in a cell, Google Sheets 50,000. */
export const CELL_LENGTH_MAX = 64 * 1024;

export class TextStore {
  #bytes = Buffer.alloc(64 * 1024);
  #ends = new Uint32Array(4 * 1024);
  /** Numbers of texts that are too long to be kept. */
  readonly #tooLong = new Set<number>();
  #size = 0;
  #count = 0;

  add(text: string): void {
    const isTooLong = text.length > CELL_LENGTH_MAX;
    if (isTooLong) this.#tooLong.add(this.#count);
    this.#makeRoom(isTooLong ? 0 : 3 * text.length);
    if (!isTooLong) this.#size += this.#bytes.write(text, this.#size);
    this.#ends[this.#count] = this.#size;
    this.#count += 1;
  }

  /** Null: the text is too long. Undefined: there is no such text. */
  get(number: number): string | null | undefined {
    if (!Number.isInteger(number) || number < 0 || number >= this.#count) return undefined;
    if (this.#tooLong.has(number)) return null;
    return this.#bytes.toString("utf8", number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]);
  }

  #makeRoom(bytes: number): void {
    if (this.#size + bytes > BYTES_MAX || this.#count >= COUNT_MAX) throw tooLarge("has too many different texts");
    if (this.#size + bytes > this.#bytes.length) {
      const grown = Buffer.alloc(Math.min(BYTES_MAX, Math.max(2 * this.#bytes.length, this.#size + bytes)));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    if (this.#count === this.#ends.length) {
      const grown = new Uint32Array(2 * this.#ends.length);
      grown.set(this.#ends);
      this.#ends = grown;
    }
  }
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
