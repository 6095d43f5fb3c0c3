/** Durable work: one row for one thing that must still be done. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

export const outbox = sqliteTable("outbox", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** What is to be done; see `kinds.ts`. */
  kind: text().$type<OutboxKind>().notNull(),
  /** The row that it is to be done to. */
  subject: integer().notNull(),
  /** Work of one lane never waits for another's: a workspace's id, or 0 for the server's own. */
  queueKey: integer().notNull(),
  dueAt: instant().notNull(),
  /** The process that works on it; null while it is free. */
  runId: text(),
});

/**
 * `deliver_webhook`: subject is a delivery · `expire_message`: subject is a message in doubt · `start_broadcast`: a
 * broadcast whose time has come · `review_broadcast`: a broadcast that may be complete, settled, or to be stopped ·
 * `sync_account`: subject is the first number of a network's account.
 */
export const outboxKinds = [
  "deliver_webhook",
  "expire_message",
  "start_broadcast",
  "review_broadcast",
  "sync_account",
] as const;
export type OutboxKind = (typeof outboxKinds)[number];

export type OutboxRow = typeof outbox.$inferSelect;
