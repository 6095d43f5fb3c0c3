/** Groups: lists of contacts, and saved searches. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

export const groups = sqliteTable("groups", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The name as it is compared: without case. */
  folded: text().notNull(),
  /** The saved search as it was given; null for a list. */
  filter: text({ mode: "json" }).$type<unknown>(),
  /** Of a list always right; of a saved search as of `countedAt`. */
  memberCount: integer().notNull(),
  countedAt: instant(),
  createdAt: instant().notNull(),
});

export type Group = typeof groups.$inferSelect;

export const groupMembers = sqliteTable(
  "group_members",
  { groupId: integer().notNull(), contactId: integer().notNull() },
  (table) => [primaryKey({ columns: [table.groupId, table.contactId] })],
);
