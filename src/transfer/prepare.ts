/**
 * Prepares a file's rows for writing: everything that needs no database. Rows are parsed and validated here once; the
 * import then only looks up the contacts. Large files are prepared on a worker thread.
 */
import { quote } from "#src/core/problem.ts";
import { type ContactIdentifiers, readIdentifiers } from "#src/domain/contacts/find.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { type ColumnMapping, looksLikeHeader, mapColumns } from "./columns.ts";
import type { DateOrder } from "./date-cell.ts";
import { dateColumns, findDateOrder } from "./date-survey.ts";
import type { FileSource } from "./formats/bytes.ts";
import { type FileTotals, type OpenFile, openFile } from "./formats/open.ts";
import type { FileRecord, ReadOptions, RecordProblem } from "./formats/record.ts";
import { isFiller, readPhoneCell } from "./phone-cell.ts";
import { type Refusal, type RowProblem, refusals } from "./reasons.ts";
import { type ParsedRow, type RowContext, readRow } from "./row.ts";
import { SeenPeople } from "./seen-people.ts";

export interface PreparationJob {
  file: FileSource;
  options: ReadOptions;
  /** `header → target`; see `columns.ts`. */
  map: [string, string][];
  /** Custom fields and country of the workspace when the import starts. */
  fields: CustomField[];
  country: string;
  /** The order of day and month; undefined: found out. */
  dates: DateOrder | undefined;
  /** When the import starts, in milliseconds. */
  now: number;
  /** A row is prepared without its cells that cannot be read, instead of being rejected. */
  skipsBadCells: boolean;
}

export interface PreparedRow {
  line: number;
  row: ParsedRow | { problems: RowProblem[] };
  person: ContactIdentifiers;
  /** An earlier row of the file has the same person. */
  isRepeated: boolean;
}

export interface RowsPart {
  count: number;
  /** Call it late and once: rows that wait to be written need less memory as text. */
  rows: () => PreparedRow[];
  /** The unchanged cells of each row, needed only for rows in the errors file. */
  cells: () => string[][];
}

/** What was found out about the file. */
export interface FoundFile extends Pick<OpenFile, "kind" | "encoding" | "samples" | "header" | "headerLine"> {
  mapping: ColumnMapping;
}

/** What was found comes first, then the rows, then the totals. A file without lines yields nothing. */
export type Part = { found: FoundFile } | RowsPart | { totals: FileTotals };

/** A part has so many rows, or fewer long ones: the thread that answers requests reads a part in one go. */
const ROWS_PER_PART = 512;
const CHARACTERS_PER_PART = 128 * 1024;
const NO_IDENTIFIERS: ContactIdentifiers = { phone: null, identifiers: [] };

/** Throws `invalid_request` if the mapping does not fit the file's columns. */
export async function* prepareRows({
  file,
  options,
  map,
  fields,
  country,
  dates,
  now,
  skipsBadCells,
}: PreparationJob): AsyncGenerator<Part> {
  const given = new Map(map);
  const isHeader = (cells: readonly string[]): boolean => looksLikeHeader(cells, given, fields);
  const open = await openFile(file, country, options, isHeader);
  if (open === null) return;
  const { kind, encoding, samples, header, headerLine } = open;
  const mapping = mapColumns(header, given, fields);
  yield { found: { kind, encoding, samples, header, headerLine, mapping } };
  const seen = new SeenPeople();
  const known = { ...options, encoding: encoding ?? undefined };
  const order = dates ?? (await findDateOrder(file, country, known, isHeader, dateColumns(mapping)));
  const context: RowContext = { mapping, country, skipsBadCells, order, now };
  let rows: PreparedRow[] = [];
  let cells: string[][] = [];
  let characters = 0;
  const part = (): RowsPart => {
    const [readyRows, readyCells] = [rows, cells];
    const ready = { count: rows.length, rows: () => readyRows, cells: () => readyCells };
    rows = [];
    cells = [];
    characters = 0;
    return ready;
  };
  for await (const records of open.records) {
    for (const record of records) {
      rows.push(prepare(record, seen, context));
      cells.push(record.cells);
      for (const cell of record.cells) characters += cell.length;
      if (rows.length === ROWS_PER_PART || characters >= CHARACTERS_PER_PART) yield part();
    }
  }
  if (rows.length > 0) yield part();
  yield { totals: open.totals };
}

function prepare({ line, cells, problem }: FileRecord, seen: SeenPeople, context: RowContext): PreparedRow {
  const row = problem === undefined ? readRow(context, cells) : { problems: [problemOf(problem, line)] };
  if ("problems" in row) return { line, row, person: NO_IDENTIFIERS, isRepeated: false };
  const read = readNumber(row, context.country);
  if (read === null)
    return {
      line,
      row: { problems: [...(row.omitted ?? []), row.unread ?? NO_PHONE] },
      person: NO_IDENTIFIERS,
      isRepeated: false,
    };
  const isRepeated = seen.add(read.phone, row.userId);
  return { line, row, person: identifiersOf(read, row), isRepeated };
}

const NO_PHONE: RowProblem<Refusal> = { reason: "no_phone", says: "phone: this field is missing." };
/** A number as programs write it, which needs no further look. */
const PLAIN = /^\+?\d{7,15}$/;

/**
 * Reads the first of the row's cells that is a number, and stores in the row how it was read. Null: the row has no
 * number, or one that must not be looked up as it stands.
 */
function readNumber(row: ParsedRow, country: string): ContactIdentifiers | null {
  const { phone, otherPhones = [] } = row;
  if (phone === "") return NO_IDENTIFIERS;
  delete row.otherPhones;
  for (const [place, cell] of [phone, ...otherPhones].entries()) {
    const read = readOne(row, cell, country);
    if (read === null) continue;
    if (place > 0) row.change ??= "other_column";
    delete row.unread;
    return read;
  }
  // Of a person whom the network named by an id, the literal digits are enough.
  if (PLAIN.test(phone) && row.unread?.reason !== "placeholder") return readIdentifiers(phone, country);
  if (row.userId === null) return null;
  row.phone = "";
  return NO_IDENTIFIERS;
}

/** Null: the cell is not a number, and `unread` says why. */
function readOne(row: ParsedRow, cell: string, country: string): ContactIdentifiers | null {
  const plain = PLAIN.test(cell) && !isFiller(cell) ? readIdentifiers(cell, country) : NO_IDENTIFIERS;
  if (plain.phone !== null) {
    row.phone = cell;
    return plain;
  }
  const reading = readPhoneCell(cell, country);
  if ("phone" in reading) {
    row.phone = reading.change === null ? cell : reading.phone;
    if (reading.change !== null) row.change = reading.change;
    return readIdentifiers(row.phone, country);
  }
  const { refused } = "refused" in reading ? reading : { refused: null };
  row.unread ??= refused === null ? NO_PHONE : { reason: refused, says: sayUnread(cell, refused) };
  return null;
}

function sayUnread(cell: string, reason: Refusal): string {
  const says = reason === "not_a_number" ? "" : ` (${refusals[reason].says})`;
  return `phone: ${quote(cell)} is not a phone number${says}.`;
}

/** A row with a user id is looked up and written on its own: it has no `phone` here. */
function identifiersOf(read: ContactIdentifiers, { userId, username }: ParsedRow): ContactIdentifiers {
  if (userId === null && username === null) return read;
  return { phone: null, identifiers: [...read.identifiers, ...(userId === null ? [] : [userId])] };
}

function problemOf(reason: RecordProblem, line: number): RowProblem {
  const sentences: Record<RecordProblem, string> = {
    quotes_swallow: `The quotation mark that opens at line ${line} closes after line breaks that look like rows. Close it, or import with --quotes none.`,
    quotes_open: `The quotation mark that opens at line ${line} is not closed. Close it, or import with --quotes none.`,
    too_long: `The row has over 1 MB; perhaps a quotation mark that opens at line ${line} is not closed.`,
  };
  return { reason, says: sentences[reason] };
}
