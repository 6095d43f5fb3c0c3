/** Enqueues jobs, in the transaction of the change that needs them. */
import type { Tx } from "#src/db/transaction.ts";
import { insertJob, insertOrRescheduleJob } from "./statements.ts";
import { IN_MEMORY, type OutboxKind } from "./table.ts";
import { takersOf } from "./takers.ts";

export interface Job {
  kind: OutboxKind;
  subject: number;
  queueKey: number;
  /** Wall time, milliseconds. */
  dueAt: number;
}

/** Like `enqueue`, but an existing job becomes due at the new time even if that is later. */
export function reschedule(tx: Tx, job: Job): void {
  insertOrRescheduleJob(tx).run({ ...job });
  tx.notify(job.kind);
}

/** One row for each kind and subject: enqueuing it again can only make it due earlier. */
export function enqueue(tx: Tx, job: Job): void {
  insertJob(tx).run({ ...job });
  tx.notify(job.kind);
}

/**
 * Whether a worker of this process takes a new job of this queue by memory. The caller then stores the job's subject as one
 * whose job is in memory, and calls `giveNew`; otherwise it enqueues the job.
 */
export function canGiveNew(tx: Tx, { kind, queueKey }: Pick<Job, "kind" | "queueKey">): boolean {
  return takersOf(tx).get(kind)?.hasRoom(queueKey) === true;
}

/** Gives a job that is due now to the worker of this process, as soon as its subject is on disk. */
export function giveNew(tx: Tx, subject: Omit<Job, "dueAt">): void {
  const taker = takersOf(tx).get(subject.kind);
  if (taker === undefined) throw new Error(`this process has no worker for ${subject.kind}`);
  const job = { ...subject, id: IN_MEMORY, dueAt: tx.now, runId: taker.runId };
  tx.afterCommit(() => taker.take(job));
}
