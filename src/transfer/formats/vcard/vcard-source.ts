/** A file of vCards as records: its cards, from the line BEGIN to the line END. */
import { type FileSource, textOfFile } from "../bytes.ts";
import type { FoundEncoding } from "../encoding.ts";
import { type Line, splitLines } from "../lines.ts";
import { type FileRecord, KEPT_LENGTH_MAX, RECORD_LENGTH_MAX, type RecordSource } from "../record.ts";
import { COLUMNS, cellsOf, isOfInterest } from "./card.ts";
import { isQuotedPrintable, type Property, readProperty } from "./property.ts";

export function openVcard(file: FileSource, { encoding, samples }: FoundEncoding): RecordSource {
  async function* records(): AsyncGenerator<FileRecord[]> {
    const reader = new CardReader();
    for await (const lines of splitLines(textOfFile(file, encoding))) {
      for (const line of lines) reader.read(line);
      const cards = reader.take();
      if (cards.length > 0) yield cards;
    }
    yield reader.end();
  }
  return {
    records: records(),
    expectColumns: () => undefined,
    header: COLUMNS,
    skipped: 0,
    kind: "vcard",
    encoding,
    samples,
    sheet: null,
  };
}

/** The lines of a card, or those between two cards. */
interface Open {
  line: number;
  lines: number;
  first: string;
  size: number;
  properties: Property[];
  /** Inside of a card, between its BEGIN and its END. */
  isCard: boolean;
  /** Its END has been read; blank lines may follow. */
  isComplete: boolean;
}

class CardReader {
  #cards: FileRecord[] = [];
  #open: Open | null = null;
  /** A property that the next line may continue. */
  #unfolded: string | null = null;

  /** The cards that are complete since the last call. */
  take(): FileRecord[] {
    const cards = this.#cards;
    this.#cards = [];
    return cards;
  }

  end(): FileRecord[] {
    this.#finish();
    return this.take();
  }

  read({ number, text: raw, isCut }: Line): void {
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const isBegin = isMark(text, "begin:vcard");
    // What follows an END is of no card, and a BEGIN without an END before it cuts a card off.
    const isOther = this.#open?.isComplete === true && text.trim() !== "";
    if (isBegin || isOther) this.#finish();
    this.#open ??= { line: number, lines: 0, first: text, size: 0, properties: [], isCard: false, isComplete: false };
    const open = this.#open;
    open.lines += 1;
    if (open.first.trim() === "") open.first = text.slice(0, KEPT_LENGTH_MAX);
    if (isBegin) open.isCard = true;
    else if (open.isCard && !open.isComplete) this.#readLine(open, text, isCut);
  }

  #readLine(open: Open, text: string, isCut: boolean): void {
    if (this.#unfolded !== null && this.#continues(open, text, isCut)) return;
    this.#endProperty(open);
    if (isMark(text, "end:vcard")) open.isComplete = true;
    else if (isOfInterest(text)) {
      this.#unfolded = text;
      this.#grow(open, text, isCut);
    } else this.#unfolded = "";
  }

  /** Whether the line continues the property before it; of one that is of no interest, nothing is kept. */
  #continues(open: Open, text: string, isCut: boolean): boolean {
    const unfolded = this.#unfolded ?? "";
    const isSoft = unfolded.endsWith("=") && isQuotedPrintable(unfolded);
    if (!isSoft && !/^[ \t]/.test(text)) return false;
    if (unfolded === "") return true;
    this.#unfolded = isSoft ? unfolded.slice(0, -1) + text.trimStart() : unfolded + text.slice(1);
    this.#grow(open, text, isCut);
    return true;
  }

  #grow(open: Open, text: string, isCut: boolean): void {
    open.size += isCut ? RECORD_LENGTH_MAX + 1 : text.length;
    if (open.size <= RECORD_LENGTH_MAX) return;
    this.#unfolded = "";
    open.properties = [];
  }

  #endProperty(open: Open): void {
    const property = readProperty(this.#unfolded ?? "");
    if (property !== null && open.size <= RECORD_LENGTH_MAX) open.properties.push(property);
    this.#unfolded = null;
  }

  #finish(): void {
    const open = this.#open;
    this.#open = null;
    this.#unfolded = null;
    if (open === null) return;
    const { line, lines, first } = open;
    if (open.isComplete && open.size <= RECORD_LENGTH_MAX) {
      this.#cards.push({ line, lines, cells: cellsOf(open.properties) });
    } else if (open.isCard || first.trim() !== "") {
      const problem = open.size > RECORD_LENGTH_MAX ? "row_too_long" : "card_broken";
      this.#cards.push({ line, lines, cells: [first.slice(0, KEPT_LENGTH_MAX)], problem });
    } else this.#cards.push({ line, lines, cells: [] });
  }
}

function isMark(text: string, mark: string): boolean {
  return text.length < 100 && text.replace(/\s/g, "").toLowerCase() === mark;
}
