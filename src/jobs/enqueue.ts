/** Enqueues jobs, in the transaction of the change that needs them. */
import { sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { type OutboxKind, outbox } from "./table.ts";

export interface Job {
  kind: OutboxKind;
  subject: number;
  queueKey: number;
  /** Wall time, milliseconds. */
  dueAt: number;
}

const insert = statement((db) =>
  db
    .insert(outbox)
    .values({
      kind: sql.placeholder("kind"),
      subject: sql.placeholder("subject"),
      queueKey: sql.placeholder("queueKey"),
      dueAt: sql.placeholder("dueAt"),
      runId: null,
    })
    .onConflictDoUpdate({
      target: [outbox.kind, outbox.subject],
      set: { dueAt: sql`min(${outbox.dueAt}, excluded.due_at)` },
    })
    .prepare(),
);

const insertOrReschedule = statement((db) =>
  db
    .insert(outbox)
    .values({
      kind: sql.placeholder("kind"),
      subject: sql.placeholder("subject"),
      queueKey: sql.placeholder("queueKey"),
      dueAt: sql.placeholder("dueAt"),
      runId: null,
    })
    .onConflictDoUpdate({ target: [outbox.kind, outbox.subject], set: { dueAt: sql`excluded.due_at` } })
    .prepare(),
);

/** Like `enqueue`, but an existing job becomes due at the new time even if that is later. */
export function reschedule(tx: Tx, job: Job): void {
  insertOrReschedule(tx).run({ ...job });
  tx.notify(job.kind);
}

/** One row for each kind and subject: enqueuing it again can only make it due earlier. */
export function enqueue(tx: Tx, job: Job): void {
  insert(tx).run({ ...job });
  tx.notify(job.kind);
}
