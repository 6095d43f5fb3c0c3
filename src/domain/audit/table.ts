/** Who did what, and when. Rows are only ever added; whom somebody had erased is taken out of them. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

export const auditLog = sqliteTable("audit_log", {
  id: integer().primaryKey({ autoIncrement: true }),
  at: instant().notNull(),
  /** Null: the command line. */
  userId: integer(),
  /** Null: about the whole server, or about the person alone. */
  workspaceId: integer(),
  /** A noun and a verb: `key.create`. */
  action: text().notNull(),
  /** What it was done to, as a person would name it. */
  subject: text().notNull(),
  /** What it was and what it became. Never a secret. */
  details: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  /** From where; empty for the command line. */
  address: text().notNull(),
});

export type AuditEntry = typeof auditLog.$inferSelect;
