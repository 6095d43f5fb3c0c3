/** What is handed out to people; what is erased of them is a row of `erasures`, which belongs to contacts. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

/** What an archive of a person's data has. */
export interface HandOutReport {
  entries: number;
  notes: number;
  files: number;
  /** Names of files that are stored no more. */
  missing: string[];
  bytes: number;
}

/** Archives of what is kept of a person, for that person. The file is beside the database: see `transfer/person-data/hand-out-files.ts`. */
export const handOuts = sqliteTable("hand_outs", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  /** Who asked for it. */
  userId: integer().notNull(),
  address: text().notNull(),
  state: text().$type<"making" | "ready" | "failed">().notNull(),
  /** Null before it is ready. */
  report: text({ mode: "json" }).$type<HandOutReport>(),
  /** Why it failed, for a person to read. */
  reason: text(),
  createdAt: instant().notNull(),
  /** When its archive is deleted; null while it is made. */
  expiresAt: instant(),
});

export type HandOut = typeof handOuts.$inferSelect;
