/** Enqueues jobs, in the transaction of the change that needs them. */
import { NUMBER_QUEUES } from "#src/db/queue-keys.ts";
import type { Tx } from "#src/db/transaction.ts";
import { insertJob, insertOrRescheduleJob } from "./statements.ts";
import type { OutboxRow } from "./table.ts";

/** `dueAt` is wall time in milliseconds. */
export type Job = Omit<OutboxRow, "id">;

/** The queue of what a number sends: another number of the workspace does not wait for it. */
export function queueOfNumber(numberId: number): number {
  return NUMBER_QUEUES + numberId;
}

export function numberOfQueue(queueKey: number): number {
  return queueKey - NUMBER_QUEUES;
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
