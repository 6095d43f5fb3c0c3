/** Table of the saved views of the list of contacts. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

/** What a view shows: the parameters of the list. */
export interface ViewSearch {
  q?: string;
  consent?: string;
  /** Id of a static or dynamic group. */
  group?: string;
  /** A group filter. */
  filter?: unknown;
  sort?: string;
}

export const contactViews = sqliteTable("contact_views", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** Who made it, and alone sees it unless it is shared. */
  userId: integer().notNull(),
  name: text().notNull(),
  /** The name for comparison: see `foldName`. */
  folded: text().notNull(),
  isShared: integer({ mode: "boolean" }).notNull(),
  search: text({ mode: "json" }).$type<ViewSearch>().notNull(),
  /** In the order in which they are shown. */
  columns: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type StoredView = typeof contactViews.$inferSelect;
