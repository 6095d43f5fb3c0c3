/** Answers kept for 24 hours under the caller's key. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "#src/db/columns.ts";

export const idempotencyKeys = sqliteTable("idempotency_keys", {
  id: integer().primaryKey(),
  workspaceId: integer().notNull(),
  key: text().notNull(),
  /** SHA-256 of method, path and canonical body. */
  fingerprint: bytes().notNull(),
  /** The message of the first request, while its answer is open. */
  messageId: integer(),
  /** The kept answer; null until the request has one. */
  status: integer(),
  body: text(),
  createdAt: instant().notNull(),
});

export type IdempotencyKey = typeof idempotencyKeys.$inferSelect;
