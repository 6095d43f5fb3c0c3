/** Enqueues jobs, in the transaction of the change that needs them. */
import type { Tx } from "#src/db/transaction.ts";
import { insertJob, insertOrRescheduleJob } from "./statements.ts";
import type { OutboxRow } from "./table.ts";

/** `dueAt` is wall time in milliseconds. */
export type Job = Omit<OutboxRow, "id">;

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
