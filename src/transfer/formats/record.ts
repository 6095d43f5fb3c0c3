/** What every kind of file of people has in common: records, and how they are read. */
import type { EncodingSample } from "./encoding.ts";
import type { Encoding } from "./encodings.ts";
import type { FileKind } from "./kind.ts";

/** Why a record cannot be read; each is a class of reasons in `reasons.ts`. */
export type RecordProblem = "quotes_swallow" | "quotes_open" | "row_too_long" | "card_broken" | "more_cells";

export interface FileRecord {
  /** Line number at which the record begins, counted from 1; of XLSX the row, of vCard the line of the card. */
  line: number;
  /** How many lines it has. */
  lines: number;
  cells: string[];
  /** The record is refused, and its cells are not complete. */
  problem?: RecordProblem;
}

/** A record longer than this, in characters, is refused: memory stays bounded whatever the file holds. */
export const RECORD_LENGTH_MAX = 1024 * 1024;
/** What is kept of a refused record, for the file of refused rows. */
export const KEPT_LENGTH_MAX = 2_000;
export const CELLS_MAX = 4_096;

/** What a person can decide about a file; what is undefined is detected. */
export interface ReadOptions {
  encoding?: Encoding | undefined;
  quotes?: Quotes | undefined;
  /** Line number of the header; `none`: the file has none, and its columns are called 1, 2, … */
  headerRow?: number | "none" | undefined;
  /** Number of the sheet of a workbook, from 1. */
  sheet?: number | undefined;
  /** A file in which no header is found has none, instead of being refused. */
  mayLackHeader?: boolean | undefined;
  /** A person looks at the result before anything is stored: what is not clear is guessed, instead of being refused. */
  mayGuess?: boolean | undefined;
}

/** The sheet of a workbook that is read. */
export interface FoundSheet {
  number: number;
  name: string;
  /** Of all sheets, in their order. */
  names: string[];
}

/** Records of one kind of file, in batches. */
export interface RecordSource {
  /** Batches of one record until `expectColumns` has been called. */
  records: AsyncGenerator<FileRecord[]>;
  /** Called once, with the number of columns of the header. */
  expectColumns: (columns: number) => void;
  /** The columns that every file of the kind has; null: one of the records names them. */
  header: readonly string[] | null;
  /** Lines before the first record: `sep=`. */
  skipped: number;
  kind: FileKind;
  encoding: Encoding | null;
  samples: EncodingSample[];
  /** Null: the kind has no sheets. */
  sheet: FoundSheet | null;
}

export type Quotes = "csv" | "none";

/** The other sheets of a workbook, for a sentence; empty if there is none. */
export function otherSheets(sheet: FoundSheet | null): string {
  if (sheet === null || sheet.names.length < 2) return "";
  const others = sheet.names.flatMap((name, at) => (at === sheet.number - 1 ? [] : `${at + 1} ${name}`));
  return ` This is sheet ${sheet.number}, ${sheet.name}; choose another one with --sheet: ${others.slice(0, 50).join(", ")}.`;
}
