/**
 * The jobs of the outbox: which are due, and how they end. A row stays until its job is done, also while a worker performs
 * it: which jobs it performs, the worker keeps in memory. So a job that a crash interrupts is due at the next start.
 */
import { and, eq, inArray } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { deleteJob, firstJobs, lastJob, nextQueue, setDueAt } from "./statements.ts";
import { type OutboxKind, type OutboxRow, outbox } from "./table.ts";

/** The queues with jobs of a kind, each with its earliest due time. One index step for each queue. */
export function listQueues(tx: ReadTx, kind: OutboxKind): { queueKey: number; dueAt: number }[] {
  const found: { queueKey: number; dueAt: number }[] = [];
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const next = nextQueue(tx).get({ kind, after });
    if (next === undefined) return found;
    found.push(next);
    after = next.queueKey;
  }
}

/** Up to `limit` jobs of a queue, due or not, the earliest first. */
export function listJobs(tx: ReadTx, kind: OutboxKind, queueKey: number, limit: number): OutboxRow[] {
  const jobs = firstJobs(tx).all({ kind, queueKey, limit });
  return jobs.map(({ id, subject, dueAt }) => ({ id, kind, subject, queueKey, dueAt }));
}

/** The highest id so far. */
export function lastJobId(tx: ReadTx): number {
  return lastJob(tx).only().id ?? 0;
}

/** Undefined: there is none for this subject. */
export function findJob({ db }: ReadTx, kind: OutboxKind, subject: number): OutboxRow | undefined {
  return db
    .select()
    .from(outbox)
    .where(and(eq(outbox.kind, kind), eq(outbox.subject, subject)))
    .get();
}

/** Deletes the row of a job that is done. */
export function finish(tx: Tx, id: number): void {
  deleteJob(tx).run({ id });
}

/** A job is to be performed once more, at `dueAt`. */
export function postpone(tx: Tx, id: number, dueAt: number): void {
  setDueAt(tx).run({ id, dueAt });
}

/** Deletes the jobs of these subjects. One in flight does not count any more. */
export function deleteJobs(tx: Tx, kind: OutboxKind, subjects: readonly number[]): void {
  tx.db
    .delete(outbox)
    .where(and(eq(outbox.kind, kind), inArray(outbox.subject, [...subjects])))
    .run();
}
