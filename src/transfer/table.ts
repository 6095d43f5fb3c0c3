/** Files of people that were given to the console, and what came of each. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
import type { RecipientOutcome } from "#src/domain/broadcasts/recipient-filter.ts";

export type ImportState = "given" | "checking" | "checked" | "importing" | "done" | "failed";

export interface ImportSettings {
  /** `header → target`; what is not in it is guessed. */
  map: Readonly<Record<string, string>>;
  /** Everybody in the file has agreed. */
  optIn: boolean;
  /** How they did, in the importer's words. */
  proof: string;
}

export interface ImportCounters {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** Who was recorded as opted in by this run. */
  opted_in: number;
  /** Who had opted out, and stayed so. */
  kept_opted_out: number;
}

export interface ImportOutcome extends ImportCounters {
  /** The first of those that failed. */
  failures: readonly { line: number; reason: string }[];
}

export const imports = sqliteTable("imports", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  fileName: text().notNull(),
  state: text().$type<ImportState>().notNull(),
  settings: text({ mode: "json" }).$type<ImportSettings>().notNull(),
  outcome: text({ mode: "json" }).$type<ImportOutcome>(),
  error: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Import = typeof imports.$inferSelect;

/** Whose contacts. A filter is a saved search as JSON, as it was when the change began. */
export type BulkTarget =
  | { contacts: readonly number[] }
  | { filter: unknown }
  | { broadcast: number; outcomes: readonly RecipientOutcome[] };

export type BulkAction =
  | { addTag: string }
  | { removeTag: string }
  | { addToGroup: number }
  | { removeFromGroup: number }
  /** A list of theirs has another name: each shows it, so each has changed. */
  | { showGroup: number }
  /** Why, in the words of whoever did it. There is no way back: only the person can lift it. */
  | { optOut: string };

export type BulkState = "running" | "done" | "stopped" | "failed";

export const bulkChanges = sqliteTable("bulk_changes", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  /** Null once it has ended: what was searched for may be a person's name. */
  target: text({ mode: "json" }).$type<BulkTarget | null>().notNull(),
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
});

export type BulkChange = typeof bulkChanges.$inferSelect;
