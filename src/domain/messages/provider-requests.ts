/**
 * What networks answered, word for word: written beside the outcome, kept as long as other raw answers. An attempt that was
 * accepted without an answer in words (the simulator's) is not written down: the message's own row tells all of it.
 */
import { asc, eq, inArray, sql } from "drizzle-orm";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import type { AttemptNote } from "./outcome.ts";
import { type NetworkAttempt, networkAttempts } from "./table.ts";

const LONGEST_ANSWER = 4_000;
const LONGEST_REASON = 500;

const insert = statement((db) =>
  db
    .insert(networkAttempts)
    .values({
      reference: sql.placeholder("reference"),
      outcome: sql.placeholder("outcome"),
      code: sql.placeholder("code"),
      reason: sql.placeholder("reason"),
      httpStatus: sql.placeholder("httpStatus"),
      answer: sql.placeholder("answer"),
      attemptedAt: sql.placeholder("attemptedAt"),
      durationMs: sql.placeholder("durationMs"),
    })
    .prepare(),
);

export function noteAttempt(tx: Tx, reference: string, attempt: AttemptNote): void {
  insert(tx).run({
    ...attempt,
    reference,
    reason: attempt.reason.slice(0, LONGEST_REASON),
    answer: attempt.answer?.slice(0, LONGEST_ANSWER) ?? null,
  });
}

/** In the order in which they were made. */
export function listAttempts(reading: Reading, reference: string): NetworkAttempt[] {
  return reading.db
    .select()
    .from(networkAttempts)
    .where(eq(networkAttempts.reference, reference))
    .orderBy(asc(networkAttempts.id))
    .all();
}

/** Drops up to `limit` attempts that are older than `before`; returns how many. */
export function purgeAttempts(tx: Tx, before: number, limit: number): number {
  // They are numbered in the order of their time: the oldest are found at the front without an index on time.
  const oldest = tx.db
    .select({ id: networkAttempts.id, attemptedAt: networkAttempts.attemptedAt })
    .from(networkAttempts)
    .orderBy(asc(networkAttempts.id))
    .limit(limit)
    .all()
    .filter(({ attemptedAt }) => attemptedAt < before)
    .map(({ id }) => id);
  if (oldest.length > 0) tx.db.delete(networkAttempts).where(inArray(networkAttempts.id, oldest)).run();
  return oldest.length;
}
