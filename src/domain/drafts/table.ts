/** Broadcasts on their way through the console's wizard. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

/** The body of `POST /broadcasts`, as far as it is known. */
export type DraftContent = Readonly<Record<string, unknown>>;

export const drafts = sqliteTable("broadcast_drafts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  content: text({ mode: "json" }).$type<DraftContent>().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  /** What it became; null: it was not sent. */
  broadcastId: integer(),
});

export type Draft = typeof drafts.$inferSelect;
