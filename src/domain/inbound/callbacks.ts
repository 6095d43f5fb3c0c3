/**
 * The durable queue between a network's callback and its effects: a callback is stored, then answered, then applied in
 * order.
 */
import { and, asc, desc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { deleteRows, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { callbackById, dueCallbacks, firstDueAt, insertCallback, setCallbackDone } from "./statements.ts";
import { type Callback, type CallbackState, callbacks, type Trust } from "./table.ts";

/** The topic that notifies the code that applies callbacks. */
export const CALLBACKS = "callbacks";

/**
 * `dueAt` lies in the future only for callbacks that the simulator schedules; `trust` is null only for the simulator's
 * own.
 */
export function storeCallback(
  tx: Tx,
  network: Callback["network"],
  body: string,
  dueAt = tx.now,
  trust: Trust | null = null,
): void {
  insertCallback(tx).run({ network, body, receivedAt: tx.now, dueAt, trust });
  tx.notify(CALLBACKS);
}

/** A pending body's id and size, without the body: up to a thousand large bodies must not be read at once. */
type PendingCallback = Pick<Callback, "id"> & { size: number };

/** Due bodies that are not applied yet, in the order in which they became due. */
export function listPending(tx: ReadTx, limit: number): PendingCallback[] {
  return dueCallbacks(tx).all({ now: tx.now, limit });
}

export function getCallback(tx: ReadTx, id: number): Callback {
  const callback = callbackById(tx).get({ id });
  if (callback === undefined) throw new Error(`callback ${id} is gone`);
  return callback;
}

/** The id of the latest callback; 0 if there is none. */
export function lastCallbackId({ db }: ReadTx): number {
  return db.get<{ id: number | null }>(sql`SELECT max(id) AS id FROM callbacks`)?.id ?? 0;
}

/** When the latest body of a network arrived; null if none did. Purged bodies do not count. */
export function lastReceivedAt(tx: ReadTx, network: Callback["network"]): number | null {
  const row = tx.db
    .select({ at: callbacks.receivedAt })
    .from(callbacks)
    .where(eq(callbacks.network, network))
    .orderBy(desc(callbacks.id))
    .limit(1)
    .get();
  return row?.at ?? null;
}

/** When the next body is due; null if none is pending. */
export function nextDueAt(tx: ReadTx): number | null {
  return firstDueAt(tx).get()?.dueAt ?? null;
}

/** Call in the write of the last item. `note`: what could not be applied, and `state`, why. */
export function finishCallback(tx: Tx, id: number, note: string | null, state: CallbackState | null = null): void {
  setCallbackDone(tx).run({ id, doneAt: tx.now, note, state });
}

/** Empties an applied body that names an erased person. */
export function emptyCallback(tx: Tx, id: number): void {
  updateRows(tx, callbacks, { id }, { body: "{}" });
}

/** The most bytes that one write deletes: a body may hold a thousand statuses, and all writers wait for the disk. */
const PURGED_BYTES_MAX = 512 * 1024;

/**
 * Drops up to `limit` applied bodies older than `before`; returns how many, or `limit` if there are more. A body that
 * this version could not use stays, for a later version to apply.
 */
export function purgeCallbacks(tx: Tx, before: number, limit: number): number {
  const expired = tx.db
    .select({ id: callbacks.id, size: sql<number>`octet_length(${callbacks.body})` })
    .from(callbacks)
    .where(and(lte(callbacks.doneAt, before), or(isNull(callbacks.state), eq(callbacks.state, "foreign"))))
    .orderBy(asc(callbacks.doneAt))
    .limit(limit)
    .all();
  let bytes = 0;
  const rest = expired.findIndex(({ size }, index) => {
    bytes += size;
    return index > 0 && bytes > PURGED_BYTES_MAX;
  });
  const purgeable = rest === -1 ? expired : expired.slice(0, rest);
  if (purgeable.length === 0) return 0;
  const ids = purgeable.map(({ id }) => id);
  deleteRows(tx, callbacks, inArray(callbacks.id, ids));
  return rest === -1 ? expired.length : limit;
}

/**
 * After a change of the wall clock: shifts the due time of up to `limit` pending bodies after `after` by `byMs`.
 * Returns the last id, or null when none are left.
 */
export function shiftPending({ db }: Tx, after: number, limit: number, byMs: number): number | null {
  const moved = db.all<{ id: number }>(sql`UPDATE callbacks SET due_at = due_at + ${byMs} WHERE id IN
    (SELECT id FROM callbacks WHERE done_at IS NULL AND id > ${after} ORDER BY id LIMIT ${limit}) RETURNING id`);
  return moved.length < limit ? null : Math.max(...moved.map(({ id }) => id));
}
