/** Attempts at a network, with its raw answer, found by the message's reference. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

export const networkAttempts = sqliteTable("network_attempts", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The reference that the network was given: it outlives a message that was withdrawn. */
  reference: text().notNull(),
  outcome: text().$type<AttemptOutcome>().notNull(),
  code: text(),
  /** In words. */
  reason: text().notNull(),
  httpStatus: integer(),
  answer: text(),
  attemptedAt: instant().notNull(),
  durationMs: integer().notNull(),
});

export type AttemptOutcome = "accepted" | "refused" | "throttled" | "unreachable" | "unknown";

export type NetworkAttempt = typeof networkAttempts.$inferSelect;

/** One attempt, as whoever made it knows it. */
export type AttemptNote = Omit<NetworkAttempt, "id" | "reference">;
