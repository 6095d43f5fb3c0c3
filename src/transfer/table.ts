/** Tables of imports and bulk changes. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/db/columns.ts";
import type { RecipientOutcome } from "#src/domain/broadcasts/broadcast.ts";
import type { DateOrder } from "./date-cell.ts";
import type { CountryQuestion } from "./foreign-numbers.ts";
import type { FileKind } from "./formats/kind.ts";
import type { ReadOptions } from "./formats/record.ts";
import type { ChangeCount, ClassCounts, ReasonCount } from "./reasons.ts";

type ImportState = "given" | "checking" | "checked" | "importing" | "done" | "failed";

export interface ImportSettings {
  /** `header → target`, or `#3 → target`; columns that it omits are guessed. */
  map: Readonly<Record<string, string>>;
  /** All people in the file have agreed to receive messages; null: not answered yet. */
  optIn: boolean | null;
  /** How they agreed, in the user's words. */
  proof: string;
  /** In which numbers without a country code are read; undefined: in the workspace's, unless the file is of another. */
  phoneCountry?: string | undefined;
  /** What a user has decided about the file; what is undefined is found out. */
  reading?: ReadOptions;
  dates?: DateOrder | undefined;
  /** Default: true. */
  skipsBadCells?: boolean;
  /** Of an import of the command line, which decides everything by its options. */
  command?: GivenCommand;
}

/** An import as it was given on the command line: continued, it is the same. */
export interface GivenCommand {
  /** By property. */
  options: Readonly<Record<string, string | number | boolean>>;
  /** Absolute. */
  path: string;
  /** SHA-256 of the file, in hex. */
  sha256: string;
}

export interface ImportCounters {
  /** Records with content that were taken or refused: `created + updated + unchanged + failed`. */
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** Rows of people whom an earlier row of the file has; their cells are stored too. */
  repeated: number;
  /** Rows whose number was changed before it was read. */
  changed: number;
  /** Contacts that this run opted in. */
  opted_in: number;
  /** Contacts that this run opted out, because the file says so. */
  opted_out: number;
  /** Contacts that had opted out and stay opted out. */
  kept_opted_out: number;
  /** Cells that could not be read and were skipped; those of a rejected row do not count. */
  cells_left_out: number;
}

/** How far an import is, as of the transaction that wrote its last rows. */
export interface ImportProgress {
  /** How many records of the file are written or refused; the next run continues after them. */
  position: number;
  counters: ImportCounters;
  refusals: ClassCounts;
  omissions: ClassCounts;
  changes: ClassCounts;
}

/** What of its rows an import has told the user. */
export interface ImportTold {
  /** Of the errors file. */
  errors: { bytes: number; rows: number };
  /** The first refused rows. */
  failures: { line: number; reason: string }[];
}

/** What an import did with every line of its file. `lines` = `skipped_lines` + `records` + `continued`. */
export interface ImportReport extends ImportCounters {
  /** Lines of the file; of XLSX rows, of vCard lines of cards. */
  lines: number;
  /** The header, titles above it, and `sep=`. */
  skipped_lines: number;
  /** Lines inside quoted cells. */
  continued: number;
  /** `rows + repeated + blank`. */
  records: number;
  /** Records without any content. */
  blank: number;
  reasons: ReasonCount[];
  /** Classes of the cells that were skipped; `rows` counts cells. */
  omitted: ReasonCount[];
  changes: ChangeCount[];
  kind: FileKind;
  encoding: string | null;
  /** What a person has to decide before every number can be read; until then, such numbers are refused. */
  question: CountryQuestion | null;
  /** The order in which dates were read; null: no column has dates. */
  dates: DateOrder | null;
  /** Of a dry run, the first rows as they would be stored. */
  stored: StoredRow[];
}

/** A row of a file as its contact would be stored. */
export interface StoredRow {
  line: number;
  /** Whether an earlier row of the file has the same person. */
  is_repeated: boolean;
  /** The contact's values by target, without empty ones; null: the row is refused. */
  values: Record<string, string> | null;
  /** Why the row is refused, or its cells skipped. */
  problems: string[];
}

export interface ImportOutcome extends ImportReport {
  /** The first rejected rows. */
  failures: { line: number; reason: string }[];
}

export const imports = sqliteTable("imports", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** Null: an import of the command line. */
  userId: integer(),
  fileName: text().notNull(),
  state: text().$type<ImportState>().notNull(),
  settings: text({ mode: "json" }).$type<ImportSettings>().notNull(),
  outcome: text({ mode: "json" }).$type<ImportOutcome>(),
  error: text(),
  progress: text({ mode: "json" }).$type<ImportProgress & ImportTold>(),
  run: integer().notNull().default(0),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Import = typeof imports.$inferSelect;

/** The contacts to change. A filter is a group filter as JSON, as it was when the change was created. */
export type BulkTarget =
  | { contacts: readonly number[] }
  | { filter: unknown }
  /**
   * `isAgain`: without those whom the network asks not to send to again yet, and those whom another broadcast has reached.
   * `code`: only those with this code.
   */
  | { broadcast: number; outcomes: readonly RecipientOutcome[]; code?: string; isAgain?: true };

export type BulkAction =
  | { addTag: string }
  | { removeTag: string }
  | { addToGroup: number }
  | { removeFromGroup: number }
  /** One of their groups was renamed. Each contact shows its groups, so each has changed. */
  | { showGroup: number }
  /** The reason, in the words of the user who opted them out. Irreversible: only the person can lift it. */
  | { optOut: string };

type BulkState = "running" | "done" | "stopped" | "failed";

export const bulkChanges = sqliteTable("bulk_changes", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  /**
   * `isListed`: the rows of `bulk_people`. Null once the change has ended, because a filter may contain personal data such as
   * a name.
   */
  target: text({ mode: "json" }).$type<BulkTarget | { isListed: true } | null>().notNull(),
  change: text({ mode: "json" }).$type<BulkAction>().notNull(),
  state: text().$type<BulkState>().notNull(),
  total: integer().notNull(),
  position: integer().notNull(),
  last: integer().notNull(),
  processed: integer().notNull(),
  changed: integer().notNull(),
  error: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  /** Its list is not complete: it has not begun, and no user sees it. */
  isListing: flag().notNull(),
});

export type BulkChange = typeof bulkChanges.$inferSelect;

/** The contacts of a running bulk change, as they were when it was counted; deleted with its end. */
export const bulkPeople = sqliteTable(
  "bulk_people",
  {
    bulkId: integer().notNull(),
    /** How many contacts the rows before it hold. */
    first: integer().notNull(),
    ids: text({ mode: "json" }).$type<readonly number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.bulkId, table.first] })],
);
