/**
 * Reads the records of a CSV file, of any common delimiter. A quotation mark in the middle of a cell is a character. A
 * quoted cell that spans lines is refused where it looks like one that swallowed rows, so that nothing is ever stored
 * in another row's cell.
 */
import type { Line } from "./lines.ts";
import {
  CELLS_MAX,
  type FileRecord,
  KEPT_LENGTH_MAX,
  type Quotes,
  RECORD_LENGTH_MAX,
  type RecordProblem,
} from "./record.ts";

/** Spreadsheets in countries with a decimal comma write semicolons; the clipboard writes tabs. */
const DELIMITERS = [",", ";", "\t", "|"] as const;

interface CsvFormat {
  delimiter: string;
  quotes: Quotes;
  /** Quotation marks inside quoted cells are written `\"`, as databases export them, and not doubled. */
  hasBackslashes: boolean;
}

/** `sep=;`, which Excel writes and reads as the first line. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?$/i;
const LINES_JUDGED = 20;

/** The delimiter that a `sep=` line names; null: the line is another one. */
export function separatorIn(line: string): string | null {
  return SEPARATOR_LINE.exec(line)?.[1] ?? null;
}

/**
 * The delimiter on which most of the first lines agree, counted outside quotes, and of two the one that makes more cells.
 * A comma if there is none, as in a file of one column.
 */
export function findDelimiter(lines: readonly string[]): string {
  const outside = lines
    .filter((line) => line.trim() !== "")
    .slice(0, LINES_JUDGED)
    .map((line) => line.slice(0, 20_000).replace(/"[^"]*"/g, ""));
  let [best, bestScore] = [",", 0];
  for (const delimiter of DELIMITERS) {
    const counts = outside.map((line) => line.split(delimiter).length - 1);
    const [usual = 0, lines = 0] = usualCount(counts.filter((count) => count > 0));
    const isInFirst = (counts[0] ?? 0) > 0;
    const score = lines + 0.1 * Math.min(usual, 9) + (isInFirst ? 0.5 : 0);
    if (lines > 0 && score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function usualCount(counts: readonly number[]): [count: number, times: number] | [] {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
}

const WRAPPED = /^"(?:[^"]|"")*"\r?$/;

/** Whether each line is one quoted cell that holds a row: a CSV file that was saved as the first column of another one. */
export function areWrapped(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "");
  return filled.length > 1 && filled.every((line) => WRAPPED.test(line) && /[,;\t|]/.test(line));
}

/** The row inside a line that is one quoted cell; any other line as it is. */
export function unwrapped(line: string): string {
  return WRAPPED.test(line) ? line.replace(/\r$/, "").slice(1, -1).replaceAll('""', '"') : line;
}

/** Whether the file escapes quotation marks with backslashes: none is doubled, and some stand inside a cell. */
export function findBackslashes(lines: readonly string[], delimiter: string): boolean {
  const text = lines.join("\n");
  let at = text.indexOf('\\"');
  if (at === -1 || /[^,;\t|\n]""[^,;\t|\r\n]/.test(text)) return false;
  for (; at !== -1; at = text.indexOf('\\"', at + 2)) {
    const next = text[at + 2] ?? "\n";
    if (next !== delimiter && next !== "\n" && next !== "\r") return true;
  }
  return false;
}

export class CsvReader {
  readonly #format: CsvFormat;
  /** Of the header; null while it is not known. */
  #columns: number | null = null;
  /** The record whose quoted cell is open. */
  #open: Open | null = null;

  constructor(format: CsvFormat) {
    this.#format = format;
  }

  /** From now on, quoted cells that span lines are compared with this number of columns. */
  expectColumns(columns: number): void {
    this.#columns = columns;
  }

  /** The record that ends with the line; null: a quoted cell of it continues. */
  read(line: Line): FileRecord | null {
    const text = line.text.endsWith("\r") ? line.text.slice(0, -1) : line.text;
    if (this.#open === null && !this.#mayContinue(text)) return this.#readAlone(line, text);
    const open = this.#begin(line, text);
    open.lines += 1;
    open.size += line.isCut ? RECORD_LENGTH_MAX + 1 : text.length;
    if (open.size > RECORD_LENGTH_MAX) [open.cell, open.cells] = ["", []];
    // The line's own CR is part of a cell that continues.
    if (!this.#readLine(open, line.text)) return null;
    this.#open = null;
    if (open.size > RECORD_LENGTH_MAX) return refused(open, "row_too_long");
    return this.#isSwallowed(open)
      ? refused(open, "quotes_swallow")
      : { line: open.line, lines: open.lines, cells: open.cells };
  }

  #mayContinue(text: string): boolean {
    return this.#format.quotes === "csv" && text.includes('"');
  }

  /** A line without quotation marks that count. */
  #readAlone({ number, isCut }: Line, text: string): FileRecord {
    if (isCut) return refused({ line: number, lines: 1, first: text }, "row_too_long");
    const cells = text.split(this.#format.delimiter, CELLS_MAX);
    return { line: number, lines: 1, cells: this.#format.quotes === "none" ? cells.map(withoutQuotes) : cells };
  }

  /** The record that the line begins or continues. */
  #begin({ number: line }: Line, text: string): Open {
    if (this.#open === null) {
      this.#open = { line, lines: 0, like: 0, cells: [], cell: "", size: 0, isQuoted: false, first: text };
    } else {
      this.#open.cell += "\n";
      if (looksLikeRow(text, this.#format.delimiter, this.#columns)) this.#open.like += 1;
    }
    return this.#open;
  }

  /** Call after the last line: the record whose quoted cell never closed. */
  end(): FileRecord | null {
    const open = this.#open;
    this.#open = null;
    return open === null ? null : refused(open, "quotes_open");
  }

  #isSwallowed({ lines, like, cells }: Open): boolean {
    if (lines === 1 || this.#columns === null) return false;
    return like >= 2 || (like === 1 && cells.length !== this.#columns);
  }

  /** Reads the cells of a line. False: its last cell is quoted and continues. */
  #readLine(open: Open, line: string): boolean {
    const { delimiter } = this.#format;
    const end = line.endsWith("\r") ? line.length - 1 : line.length;
    for (let at = 0; at <= end; at += 1) {
      const quote = open.isQuoted ? at - 1 : quoteAt(line, at, end, delimiter);
      if (quote === null) {
        const next = line.indexOf(delimiter, at);
        const to = next === -1 ? end : next;
        addCell(open, line.slice(at, to));
        at = to;
        continue;
      }
      open.isQuoted = true;
      const closed = this.#readQuoted(open, line, quote + 1, end);
      if (closed === null) return false;
      open.isQuoted = false;
      addCell(open, open.cell);
      open.cell = "";
      at = closed;
    }
    return true;
  }

  /** Reads a quoted cell from `at`. Returns where its delimiter or the line's end is; null: the cell continues. */
  #readQuoted(open: Open, line: string, from: number, end: number): number | null {
    for (let at = from; ; ) {
      const quote = line.indexOf('"', at);
      if (quote === -1 || quote >= end) {
        open.cell += line.slice(at);
        return null;
      }
      const before = line.slice(at, quote);
      const meaning = this.#meaningOf(line, quote, at, end);
      if (typeof meaning === "number") {
        open.cell += before;
        if (this.#format.hasBackslashes) open.cell = open.cell.replaceAll("\\\\", "\\");
        return meaning;
      }
      // The quotation mark is a character of the cell, without the backslash that escapes it.
      const isEscaped = meaning === "character" && before.endsWith("\\");
      open.cell += `${isEscaped ? before.slice(0, -1) : before}"`;
      at = quote + (meaning === "doubled" ? 2 : 1);
    }
  }

  /** What a quotation mark inside a quoted cell is. A number: it closes the cell, and that is where its end is. */
  #meaningOf(line: string, quote: number, from: number, end: number): number | "doubled" | "character" {
    const { delimiter, hasBackslashes } = this.#format;
    if (hasBackslashes && backslashesBefore(line, quote, from) % 2 === 1) return "character";
    if (line[quote + 1] === '"') return "doubled";
    return closeAfter(line, quote + 1, end, delimiter) ?? "character";
  }
}

interface Open {
  line: number;
  lines: number;
  /** How many of its further lines look like a row. */
  like: number;
  cells: string[];
  cell: string;
  size: number;
  isQuoted: boolean;
  first: string;
}

function addCell({ cells }: Open, cell: string): void {
  if (cells.length < CELLS_MAX) cells.push(cell);
}

/** Where the quotation mark is that begins the cell at `from`; null: the cell is not quoted. */
function quoteAt(line: string, from: number, end: number, delimiter: string): number | null {
  const at = skipBlanks(line, from, end);
  if (at >= end || line[at] !== '"') return null;
  // After a blank, only a cell that also closes is quoted.
  const close = at === from ? at : line.indexOf('"', at + 1);
  return close !== -1 && (at === from || closeAfter(line, close + 1, end, delimiter) !== null) ? at : null;
}

/** Where the cell's delimiter or the line's end follows, perhaps after blanks; null: something else does. */
function closeAfter(line: string, from: number, end: number, delimiter: string): number | null {
  const at = skipBlanks(line, from, end);
  return at >= end ? end : line[at] === delimiter ? at : null;
}

function skipBlanks(line: string, from: number, end: number): number {
  let at = from;
  while (at < end && line[at] === " ") at += 1;
  return at;
}

function backslashesBefore(line: string, at: number, from: number): number {
  let count = 0;
  while (at - count - 1 >= from && line[at - count - 1] === "\\") count += 1;
  return count;
}

const PHONE_LIKE = /^\D{0,3}\d[\d ().-]{5,18}\D{0,3}$/;

/** A line inside a quoted cell that has the header's number of delimiters; in a file of one column, a phone number. */
function looksLikeRow(text: string, delimiter: string, columns: number | null): boolean {
  if (columns === null) return false;
  if (columns === 1) return PHONE_LIKE.test(text.slice(0, 40).trim());
  return text.split(delimiter, columns + 1).length === columns;
}

function withoutQuotes(cell: string): string {
  const bare = cell.trim();
  return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1).replaceAll('""', '"') : cell;
}

function refused({ line, lines, first }: Pick<Open, "line" | "lines" | "first">, problem: RecordProblem): FileRecord {
  return { line, lines, cells: [first.slice(0, KEPT_LENGTH_MAX)], problem };
}
