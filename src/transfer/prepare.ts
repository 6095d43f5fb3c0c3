/**
 * Prepares a file's rows for writing: everything that needs no database. Rows are parsed and validated here once; the
 * import then only looks up the contacts. Large files are prepared on a worker thread.
 */
import type { ContactIdentifiers } from "#src/domain/contacts/find.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { type ColumnMapping, looksLikeHeader, mapColumns } from "./columns.ts";
import type { DateOrder } from "./date-cell.ts";
import { dateColumns } from "./date-survey.ts";
import type { CountryQuestion } from "./foreign-numbers.ts";
import type { FileSource } from "./formats/bytes.ts";
import { type FileTotals, type OpenFile, openFile } from "./formats/open.ts";
import type { FileRecord, ReadOptions, RecordProblem } from "./formats/record.ts";
import type { Omission, RowProblem } from "./reasons.ts";
import { type ParsedRow, type RowContext, readRow } from "./row.ts";
import { NO_IDENTIFIERS, NO_PHONE, type NumberContext, readNumber } from "./row-number.ts";
import { SeenPeople } from "./seen-people.ts";
import { isLonger, surveyFile } from "./survey.ts";

export interface PreparationJob {
  file: FileSource;
  options: ReadOptions;
  /** `header → target`; see `columns.ts`. */
  map: [string, string][];
  /** Custom fields and country of the workspace when the import starts. */
  fields: CustomField[];
  country: string;
  /** In which numbers without a country code are read; undefined: in the workspace's, and what may be of another is refused. */
  phoneCountry: string | undefined;
  /** The order of day and month; undefined: found out. */
  dates: DateOrder | undefined;
  /** When the import starts, in milliseconds. */
  now: number;
  /** How many records at the start an earlier run has written: they are read, and not given out. */
  from: number;
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
export interface FoundFile extends Pick<OpenFile, "kind" | "encoding" | "samples" | "sheet" | "header" | "headerLine"> {
  mapping: ColumnMapping;
  /** Null: no column has dates. */
  dates: DateOrder | null;
  /** Null: there is nothing to decide. */
  question: CountryQuestion | null;
}

/** What was found comes first, then the rows, then the totals. A file without lines yields nothing. */
export type Part = { found: FoundFile } | RowsPart | { totals: FileTotals };

/** A part has so many rows, or fewer long ones: the thread that answers requests reads a part in one go. */
const ROWS_PER_PART = 512;
const CHARACTERS_PER_PART = 128 * 1024;

/** Throws `invalid_request` if the mapping does not fit the file's columns. */
export async function* prepareRows({
  file,
  options,
  map,
  fields,
  country,
  phoneCountry,
  dates,
  now,
  from,
  skipsBadCells,
}: PreparationJob): AsyncGenerator<Part> {
  const given = new Map(map);
  const isHeader = (cells: readonly string[]): boolean => looksLikeHeader(cells, given, fields);
  await using open = await openFile(file, country, options, isHeader);
  if (open === null) return;
  const { kind, encoding, samples, sheet, header, headerLine } = open;
  const mapping = mapColumns(header, given, fields, sheet);
  const known = { ...options, encoding: encoding ?? undefined };
  const reading = { mapping, country: phoneCountry ?? country };
  const { order, refused, doubts, hasNameless } = await surveyFile(
    () => openFile(file, country, known, isHeader),
    reading,
    {
      dates,
      isCountryGiven: phoneCountry !== undefined,
    },
  );
  const { others, question } = doubts;
  const hasDates = dateColumns(mapping).length > 0;
  const shown = { kind, encoding, samples, sheet, header, headerLine };
  yield { found: { ...shown, mapping, dates: hasDates ? order : null, question } };
  const run: Run = {
    context: { ...reading, skipsBadCells, order, now },
    numbers: { ...reading, workspaceCountry: country, others },
    seen: new SeenPeople(),
    refused,
    columns: columnsOf(open, hasNameless),
    toSkip: from,
  };
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
    for (const record of unwritten(records, run)) {
      rows.push(prepare(record, run));
      cells.push(record.cells);
      for (const cell of record.cells) characters += cell.length;
      if (rows.length === ROWS_PER_PART || characters >= CHARACTERS_PER_PART) yield part();
    }
  }
  if (rows.length > 0) yield part();
  yield { totals: open.totals };
}

function columnsOf({ kind, header }: OpenFile, hasNameless: boolean): number | null {
  return kind === "csv" && !hasNameless ? header.length : null;
}

interface Run {
  context: RowContext;
  numbers: NumberContext;
  /** People of earlier rows. */
  seen: SeenPeople;
  /** People of whom a row of the file says no. */
  refused: SeenPeople;
  /** Of a row with more cells, only a number in the first one is read: what stands in the others is not certain. Null: rows may have more. */
  columns: number | null;
  /** How many of the next records are read, for the people in them, and not given out. */
  toSkip: number;
}

/** The records that no earlier run has written. Of the others, the people are remembered. */
function unwritten(records: readonly FileRecord[], run: Run): readonly FileRecord[] {
  if (run.toSkip === 0) return records;
  const skipped = records.slice(0, run.toSkip);
  run.toSkip -= skipped.length;
  for (const record of skipped) prepare(record, run);
  return records.slice(skipped.length);
}

function prepare(record: FileRecord, { context, numbers, seen, refused, columns }: Run): PreparedRow {
  const { line } = record;
  const row = readRecord(record, context, columns);
  if ("problems" in row) return { line, row, person: NO_IDENTIFIERS, isRepeated: false };
  const read = readNumber(row, numbers);
  if (read === null) {
    const problems = [...(row.omitted ?? []), row.unread ?? NO_PHONE];
    return { line, row: { problems }, person: NO_IDENTIFIERS, isRepeated: false };
  }
  if (row.consent !== "out" && refused.has(read.phone, row.userId)) row.consent = "no";
  const isRepeated = seen.add(read.phone, row.userId);
  return { line, row, person: identifiersOf(read, row), isRepeated };
}

function readRecord(
  { line, cells, problem }: FileRecord,
  context: RowContext,
  columns: number | null,
): ReturnType<typeof readRow> {
  if (problem !== undefined) return { problems: [problemOf(problem, line)] };
  if (columns === null || !isLonger(cells, columns)) return readRow(context, cells);
  const [first = ""] = cells;
  const { targets, countryColumn } = context.mapping;
  const isCertain = targets[0]?.to === "phone" && (countryColumn === null || first.trim().startsWith("+"));
  if (!isCertain) return { problems: [problemOf("more_cells", line)] };
  // Only the first cell is sure to stand in its column: the person comes in with nothing else, and agrees to nothing.
  const row = readRow(context, [first]);
  if ("problems" in row) return row;
  const shifted: RowProblem<Omission> = { reason: "shifted", says: MORE_CELLS };
  return context.skipsBadCells ? { ...row, consent: "no", omitted: [shifted] } : { problems: [shifted] };
}

/** A row with a user id is looked up and written on its own: it has no `phone` here. */
function identifiersOf(read: ContactIdentifiers, { userId, username }: ParsedRow): ContactIdentifiers {
  if (userId === null && username === null) return read;
  return { phone: null, identifiers: [...read.identifiers, ...(userId === null ? [] : [userId])] };
}

const MORE_CELLS =
  "The row has more cells than the header has columns, so they may stand in the wrong ones. Put text that holds the delimiter in quotation marks.";

function problemOf(reason: RecordProblem, line: number): RowProblem {
  const sentences: Record<RecordProblem, string> = {
    quotes_swallow: `The quotation mark that opens at line ${line} closes after line breaks that look like rows. Close it, or have quotation marks read as characters.`,
    quotes_open: `The quotation mark that opens at line ${line} is not closed. Close it, or have quotation marks read as characters.`,
    more_cells: MORE_CELLS,
    card_broken: `The lines from line ${line} on are no complete card: BEGIN:VCARD or END:VCARD is missing.`,
    row_too_long: `The row has over 1 MB; perhaps a quotation mark that opens at line ${line} is not closed.`,
  };
  return { reason, says: sentences[reason] };
}
