/** Reads the rows of a sheet: the text of each cell as people see it, formulas by their stored results. */
import { CELLS_MAX, type FileRecord, KEPT_LENGTH_MAX, RECORD_LENGTH_MAX } from "../record.ts";
import { damaged } from "./archive.ts";
import { type NumberFormat, PLAIN, showNumber } from "./numbers.ts";
import { CELL_LENGTH_MAX, RichText, type TextStore } from "./text-store.ts";
import { decodeEscapes, type XmlHandler } from "./xml.ts";

/** Of Excel. */
const ROWS_MAX = 1_048_576;

export interface SheetContext {
  strings: TextStore;
  /** By the number of a cell's style. */
  formats: readonly NumberFormat[];
  is1904: boolean;
}

interface Cell {
  column: number;
  type: string;
  format: NumberFormat;
  /** Of its value; null: it has none. */
  value: string | null;
}

export class SheetReader implements XmlHandler {
  readonly #context: SheetContext;
  readonly #rich = new RichText();
  #rows: FileRecord[] = [];
  #row = 0;
  #cells: string[] = [];
  #length = 0;
  #cell: Cell | null = null;
  #isInData = false;
  #isInValue = false;
  #isInRich = false;
  /** All rows have been read. */
  isDone = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The rows that are complete since the last call; those that the sheet omits are blank. */
  take(): FileRecord[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "sheetData") this.#isInData = true;
    if (!this.#isInData) return;
    if (name === "row") this.#beginRow(attributes.r);
    else if (name === "c") this.#beginCell(attributes);
    else if (name === "v") this.#isInValue = this.#cell !== null;
    else if (name === "is") {
      this.#isInRich = true;
      this.#rich.begin();
    } else if (this.#isInRich) this.#rich.open(name);
  }

  text(text: string): void {
    if (this.#isInRich) this.#rich.add(text);
    else if (this.#isInValue && this.#cell !== null) this.#cell.value = (this.#cell.value ?? "") + text;
  }

  close(name: string): void {
    if (name === "v") this.#isInValue = false;
    else if (name === "is") this.#isInRich = false;
    else if (name === "c") this.#endCell();
    else if (name === "row") this.#endRow();
    else if (name === "sheetData") this.isDone = true;
    else if (this.#isInRich) this.#rich.close(name);
  }

  #beginRow(r: string | undefined): void {
    const next = this.#row + 1;
    const given = Number(r);
    const number = Number.isInteger(given) && given > next ? given : next;
    if (number > ROWS_MAX) throw damaged(`it has a row ${number}`);
    for (let line = next; line < number; line += 1) this.#rows.push({ line, lines: 1, cells: [] });
    this.#row = number;
    this.#cells = [];
    this.#length = 0;
  }

  #endRow(): void {
    const cells = this.#cells;
    const row = { line: this.#row, lines: 1 };
    if (this.#length <= RECORD_LENGTH_MAX) this.#rows.push({ ...row, cells });
    else this.#rows.push({ ...row, cells: [(cells[0] ?? "").slice(0, KEPT_LENGTH_MAX)], problem: "row_too_long" });
    this.#cells = [];
  }

  #beginCell({ r = "", s, t = "n" }: Readonly<Record<string, string>>): void {
    const format = this.#context.formats[Number(s ?? 0)] ?? PLAIN;
    this.#cell = { column: columnOf(r) ?? this.#cells.length, type: t, format, value: null };
    this.#rich.begin();
  }

  #endCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null || cell.column >= CELLS_MAX) return;
    const text = this.#textOf(cell);
    if (text === null || text.length > CELL_LENGTH_MAX) this.#length = RECORD_LENGTH_MAX + 1;
    else {
      this.#length += text.length;
      if (text === "" || this.#length > RECORD_LENGTH_MAX) return;
      while (this.#cells.length < cell.column) this.#cells.push("");
      this.#cells[cell.column] = text;
    }
  }

  /** Null: it is too long. */
  #textOf({ type, format, value }: Cell): string | null {
    if (type === "inlineStr") return this.#rich.text;
    if (value === null) return "";
    switch (type) {
      case "s": {
        const text = this.#context.strings.get(Number(value));
        if (text === undefined) throw damaged(`row ${this.#row} has a text that is missing`);
        return text;
      }
      case "b":
        return value.trim() === "1" ? "TRUE" : "FALSE";
      case "n":
        return showNumber(value, format, this.#context.is1904);
      default:
        return decodeEscapes(value);
    }
  }
}

/** The column of a reference such as `AB12`, from 0; null: there is none. */
function columnOf(reference: string): number | null {
  let column = 0;
  for (const letter of reference.slice(0, 4)) {
    const place = letter.toUpperCase().charCodeAt(0) - 64;
    if (place < 1 || place > 26) break;
    column = column * 26 + place;
  }
  return column === 0 ? null : column - 1;
}
