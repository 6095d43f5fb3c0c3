/**
 * Claims jobs and releases them. A claim names the process that holds the row, not a lease with an end: a database has one
 * server, so its start reclaims the rows of earlier processes, and no jump of the clock makes a live claim look dead.
 */
import { and, eq, isNull, ne } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { claimJob, deleteJob, dueJobs, nextQueue, unclaimJob } from "./statements.ts";
import { IN_MEMORY, type OutboxKind, type OutboxRow, outbox } from "./table.ts";

/** The queues with unclaimed jobs of a kind, each with its earliest due time. One index step for each queue. */
export function listQueues(tx: ReadTx, kind: OutboxKind): { queueKey: number; dueAt: number }[] {
  const found: { queueKey: number; dueAt: number }[] = [];
  let after = -1;
  for (;;) {
    const next = nextQueue(tx).get({ kind, after });
    if (next === undefined) return found;
    found.push(next);
    after = next.queueKey;
  }
}

/** Claims up to `limit` due rows of one queue for this process, the earliest first. */
export function claim(tx: Tx, kind: OutboxKind, queueKey: number, limit: number, runId: string): OutboxRow[] {
  const due = dueJobs(tx).all({ kind, queueKey, now: tx.now, limit });
  for (const { id } of due) claimJob(tx).run({ id, runId });
  return due.map(({ id, subject, dueAt }) => ({ id, kind, subject, queueKey, dueAt, runId }));
}

/** Deletes the row of a job that is done; one in memory has none. */
export function finish(tx: Tx, id: number): void {
  if (id !== IN_MEMORY) deleteJob(tx).run({ id });
}

/** Releases a job, to be tried again at `dueAt`. */
export function postpone(tx: Tx, id: number, dueAt: number): void {
  unclaimJob(tx).run({ id, dueAt });
}

/** Releases the rows that earlier processes held; call it once at the start. Returns the number of rows. */
export function reclaimJobs(tx: Tx, runId: string): number {
  return tx.db
    .update(outbox)
    .set({ runId: null })
    .where(and(ne(outbox.runId, runId)))
    .run().changes;
}

/** Deletes a queue's unclaimed jobs of a kind. A job in flight finds out that its subject is gone. */
export function deleteUnclaimed(tx: Tx, kind: OutboxKind, queueKey: number): void {
  tx.db
    .delete(outbox)
    .where(and(eq(outbox.kind, kind), eq(outbox.queueKey, queueKey), isNull(outbox.runId)))
    .run();
}
