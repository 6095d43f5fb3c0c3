/** Enqueues jobs, in the transaction of the change that needs them. */
import type { Tx } from "#src/db/transaction.ts";
import { insertClaimedJob, insertJob, insertOrRescheduleJob } from "./statements.ts";
import type { OutboxKind } from "./table.ts";
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
 * Enqueues a job that is due now and whose subject has none yet. Where a worker of this process has room, it takes the job
 * as soon as it is on disk.
 */
export function enqueueNew(tx: Tx, subject: Omit<Job, "dueAt">): void {
  const job = { ...subject, dueAt: tx.now };
  const taker = takersOf(tx).get(job.kind);
  if (taker?.hasRoom(job.queueKey) !== true) {
    enqueue(tx, job);
    return;
  }
  const claimed = { ...job, runId: taker.runId };
  const id = insertClaimedJob(tx).insert(claimed);
  tx.afterCommit(() => taker.take({ ...claimed, id }));
}
