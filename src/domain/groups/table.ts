/** Tables of groups: static groups with their members, and dynamic groups with their filter. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

export const groups = sqliteTable("groups", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The name for comparison: see `foldName`. */
  folded: text().notNull(),
  /** The filter as the caller wrote it; null for a static group. */
  filter: text({ mode: "json" }).$type<unknown>(),
  /** Always exact for a static group; as of `countedAt` for a dynamic one. */
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
