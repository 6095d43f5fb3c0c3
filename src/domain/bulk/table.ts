/** Changes to many contacts at once, on their way. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";
import type { Outcome } from "../broadcasts/outcomes.ts";

/** Whose contacts. A filter is a saved search as JSON, as it was when the change began. */
export type Whom =
  | { contacts: readonly number[] }
  | { filter: unknown }
  | { broadcast: number; outcomes: readonly Outcome[] };

export type BulkDeed =
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
  whom: text({ mode: "json" }).$type<Whom | null>().notNull(),
  change: text({ mode: "json" }).$type<BulkDeed>().notNull(),
  state: text().$type<BulkState>().notNull(),
  total: integer().notNull(),
  position: integer().notNull(),
  last: integer().notNull(),
  seen: integer().notNull(),
  changed: integer().notNull(),
  error: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type BulkChange = typeof bulkChanges.$inferSelect;
