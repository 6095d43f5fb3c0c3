/**
 * Taking work and giving it back. A claim names the process that holds the row, not a time until which it holds it: one
 * server runs on a database, so a start frees what other boots held, and no clock jump makes live work look dead.
 */
import { and, asc, eq, gt, isNull, lte, ne, sql } from "drizzle-orm";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { type OutboxKind, type OutboxRow, outbox } from "./table.ts";

const nextLane = statement((db) =>
  db
    .select({ lane: outbox.lane, dueAt: outbox.dueAt })
    .from(outbox)
    .where(
      and(isNull(outbox.boot), eq(outbox.kind, sql.placeholder("kind")), gt(outbox.lane, sql.placeholder("after"))),
    )
    .orderBy(asc(outbox.lane), asc(outbox.dueAt))
    .limit(1)
    .prepare(),
);

/** The lanes that have free work of a kind, each with the earliest time that it is due. One index step a lane. */
export function lanes(reading: Reading, kind: OutboxKind): { lane: number; dueAt: number }[] {
  const found: { lane: number; dueAt: number }[] = [];
  let after = -1;
  for (;;) {
    const next = nextLane(reading).get({ kind, after });
    if (next === undefined) return found;
    found.push(next);
    after = next.lane;
  }
}

const due = statement((db) =>
  db
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        isNull(outbox.boot),
        eq(outbox.kind, sql.placeholder("kind")),
        eq(outbox.lane, sql.placeholder("lane")),
        lte(outbox.dueAt, sql.placeholder("now")),
      ),
    )
    .orderBy(asc(outbox.dueAt))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const take = statement((db) =>
  db
    .update(outbox)
    .set({ boot: sql`${sql.placeholder("boot")}` })
    .where(and(eq(outbox.id, sql.placeholder("id")), isNull(outbox.boot)))
    .returning()
    .prepare(),
);

/** Claims up to `limit` due rows of one lane for this boot, the earliest first. */
export function claim(tx: Tx, kind: OutboxKind, lane: number, limit: number, boot: string): OutboxRow[] {
  const claimed: OutboxRow[] = [];
  for (const { id } of due(tx).all({ kind, lane, now: tx.now, limit })) {
    const row = take(tx).get({ id, boot });
    if (row !== undefined) claimed.push(row);
  }
  return claimed;
}

const remove = statement((db) =>
  db
    .delete(outbox)
    .where(eq(outbox.id, sql.placeholder("id")))
    .prepare(),
);

/** The work is done. */
export function finish(tx: Tx, id: number): void {
  remove(tx).run({ id });
}

const giveBack = statement((db) =>
  db
    .update(outbox)
    .set({ boot: null, dueAt: sql`${sql.placeholder("dueAt")}` })
    .where(eq(outbox.id, sql.placeholder("id")))
    .prepare(),
);

/** The work is to be tried again at `dueAt`. */
export function postpone(tx: Tx, id: number, dueAt: number): void {
  giveBack(tx).run({ id, dueAt });
}

/** Frees what other boots held; run once at the start. Returns how many rows that were. */
export function rescue(tx: Tx, boot: string): number {
  return tx.db
    .update(outbox)
    .set({ boot: null })
    .where(and(ne(outbox.boot, boot)))
    .run().changes;
}

/** Drops a lane's free work of a kind. What is in flight finds out by itself that it is no longer wanted. */
export function dropWaiting(tx: Tx, kind: OutboxKind, lane: number): void {
  tx.db
    .delete(outbox)
    .where(and(eq(outbox.kind, kind), eq(outbox.lane, lane), isNull(outbox.boot)))
    .run();
}
