/** Files of people that were given to the console, and what came of each. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

export type ImportState = "given" | "checking" | "checked" | "importing" | "done" | "failed";

export interface ImportSettings {
  /** `header → target`; what is not in it is guessed. */
  map: Readonly<Record<string, string>>;
  /** Everybody in the file has agreed. */
  optIn: boolean;
  /** How they did, in the importer's words. */
  proof: string;
}

export interface ImportFigures {
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

export interface ImportOutcome extends ImportFigures {
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
