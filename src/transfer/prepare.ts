/**
 * Prepares a file's rows for writing: everything that needs no database. Rows are parsed and validated here once; the
 * import then only looks up the contacts. Large files are prepared on a worker thread.
 */
import { type ContactIdentifiers, readIdentifiers } from "#src/domain/contacts/find.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { type ColumnMapping, mapColumns } from "./columns.ts";
import { type ParsedRow, readRow } from "./row.ts";
import { readRows } from "./rows.ts";
import type { FileSource } from "./table-text.ts";

export interface PreparationJob {
  file: FileSource;
  /** `header → target`; see `columns.ts`. */
  map: [string, string][];
  /** Custom fields and country of the workspace when the import starts. */
  fields: CustomField[];
  country: string;
  /** A row is prepared without its cells that cannot be read, instead of being rejected. */
  skipsBadCells: boolean;
}

export interface PreparedRow {
  line: number;
  row: ParsedRow | { problems: string[] };
  person: ContactIdentifiers;
}

export interface RowsPart {
  count: number;
  /** Call it late and once: rows that wait to be written need less memory as text. */
  rows: () => PreparedRow[];
  /** The unchanged cells of each row, needed only for rows in the errors file. */
  cells: () => string[][];
}

export interface ColumnsPart {
  header: string[];
  mapping: ColumnMapping;
}

/** The columns come first, then the rows. A file without lines yields nothing. */
export type Part = { columns: ColumnsPart } | RowsPart;

/** A part has so many rows, or fewer long ones: the thread that answers requests reads a part in one go. */
const ROWS_PER_PART = 512;
const CHARACTERS_PER_PART = 128 * 1024;
const NO_IDENTIFIERS: ContactIdentifiers = { phone: null, identifiers: [] };

/** Throws `invalid_request` if the mapping does not fit the file's columns. */
export async function* prepareRows({
  file,
  map,
  fields,
  country,
  skipsBadCells,
}: PreparationJob): AsyncGenerator<Part> {
  let mapping: ColumnMapping | null = null;
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
  for await (const read of readRows(file)) {
    if (mapping === null) {
      mapping = mapColumns(read.cells, new Map(map), fields);
      yield { columns: { header: read.cells, mapping } };
      continue;
    }
    const row = readRow(mapping, read.cells, skipsBadCells);
    const person = "problems" in row ? NO_IDENTIFIERS : identifiersOf(row, country);
    cells.push(read.cells);
    for (const cell of read.cells) characters += cell.length;
    rows.push({ line: read.line, row, person });
    if (rows.length === ROWS_PER_PART || characters >= CHARACTERS_PER_PART) yield part();
  }
  if (rows.length > 0) yield part();
}

/** A row with a user id is looked up and written on its own: it has no `phone` here. */
function identifiersOf({ phone, userId, username }: ParsedRow, country: string): ContactIdentifiers {
  const read = phone === "" ? NO_IDENTIFIERS : readIdentifiers(phone, country);
  if (userId === null && username === null) return read;
  return { phone: null, identifiers: [...read.identifiers, ...(userId === null ? [] : [userId])] };
}
