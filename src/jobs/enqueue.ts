/** Asks for work, in the transaction of the change that needs it done. */
import { sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { type OutboxKind, outbox } from "./table.ts";

export interface Work {
  kind: OutboxKind;
  subject: number;
  lane: number;
  /** Wall time, milliseconds. */
  dueAt: number;
}

const insert = statement((db) =>
  db
    .insert(outbox)
    .values({
      kind: sql.placeholder("kind"),
      subject: sql.placeholder("subject"),
      lane: sql.placeholder("lane"),
      dueAt: sql.placeholder("dueAt"),
      boot: null,
    })
    .onConflictDoUpdate({
      target: [outbox.kind, outbox.subject],
      set: { dueAt: sql`min(${outbox.dueAt}, excluded.due_at)` },
    })
    .prepare(),
);

const insertAnew = statement((db) =>
  db
    .insert(outbox)
    .values({
      kind: sql.placeholder("kind"),
      subject: sql.placeholder("subject"),
      lane: sql.placeholder("lane"),
      dueAt: sql.placeholder("dueAt"),
      boot: null,
    })
    .onConflictDoUpdate({ target: [outbox.kind, outbox.subject], set: { dueAt: sql`excluded.due_at` } })
    .prepare(),
);

/** Like `enqueue`, but what was asked for before is due at the new time, also when that is later. */
export function enqueueAnew(tx: Tx, work: Work): void {
  insertAnew(tx).run({ ...work });
  tx.wake(work.kind);
}

/** One row for each kind and subject: asking again only makes it due earlier. */
export function enqueue(tx: Tx, work: Work): void {
  insert(tx).run({ ...work });
  tx.wake(work.kind);
}
