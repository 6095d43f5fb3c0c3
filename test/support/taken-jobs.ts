/**
 * Jobs that a worker takes by memory, whose subjects are rows of a table of the test, as deliveries are of webhooks: a row is
 * there while its job is in memory.
 */
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { finish } from "#src/jobs/claim.ts";
import { canGiveNew, enqueue, giveNew, type Job } from "#src/jobs/enqueue.ts";
import { IN_MEMORY, type OutboxRow } from "#src/jobs/table.ts";

export function createTakenTable({ client }: Store): void {
  client.exec(
    "CREATE TABLE taken (subject INTEGER PRIMARY KEY, kind TEXT NOT NULL, queue_key INTEGER NOT NULL) STRICT",
  );
}

/** The subjects whose jobs are in memory, in their order. */
export function listTaken({ db }: ReadTx): number[] {
  return db.$client.prepare("SELECT subject FROM taken ORDER BY subject").pluck().all() as number[];
}

/** Gives a new job to the worker that takes it, or enqueues it. */
export function addNew(tx: Tx, job: Omit<Job, "dueAt">): void {
  if (!canGiveNew(tx, job)) {
    enqueue(tx, { ...job, dueAt: tx.now });
    return;
  }
  tx.db.$client.prepare("INSERT INTO taken VALUES (?, ?, ?)").run(job.subject, job.kind, job.queueKey);
  giveNew(tx, job);
}

export function enqueueTaken(tx: Tx, { subject, kind, queueKey }: OutboxRow, dueAt: number): void {
  const { changes } = tx.db.$client.prepare("DELETE FROM taken WHERE subject = ?").run(subject);
  if (changes === 1) enqueue(tx, { kind, subject, queueKey, dueAt });
}

export function finishAny(tx: Tx, { id, subject }: OutboxRow): void {
  if (id === IN_MEMORY) tx.db.$client.prepare("DELETE FROM taken WHERE subject = ?").run(subject);
  finish(tx, id);
}

/** What the start of a process does with those of an earlier one. */
export function reclaimTaken(tx: Tx): void {
  tx.db.$client.exec(`INSERT INTO outbox (kind, subject, queue_key, due_at)
    SELECT kind, subject, queue_key, ${tx.now} FROM taken; DELETE FROM taken`);
}
