/**
 * What the network sent and this server could not use: stored callbacks with an item that had no effect, and callbacks
 * that were refused. A stored one can be applied again; applying an item twice changes nothing.
 */
import { and, count, desc, eq, inArray, isNotNull, max, min } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { CALLBACKS, getCallback } from "./callbacks.ts";
import { unmarkAll } from "./quarantine.ts";
import { type Callback, type CallbackState, callbacks, refusals } from "./table.ts";

export const listedStates = ["refused", "unreadable", "unhandled", "quarantined"] as const;
type ListedState = (typeof listedStates)[number];

export interface ListedCallback {
  /** Of a refused one: `refused-12`, because its body was not stored. */
  id: number | string;
  at: number;
  state: ListedState;
  reason: string;
  /** Null: it names no number of this server, or several. */
  numberId: number | null;
}

const REFUSED_ID = /^refused-(\d{1,15})$/;
/** Callbacks that one replay queues again. */
export const REPLAYED_MAX = 1_000;

/** Newest first; `state` null: of every state. */
export function listCallbacks(tx: ReadTx, state: ListedState | null, limit: number): ListedCallback[] {
  const stored = state === "refused" ? [] : listStored(tx, state, limit);
  const refused = state === null || state === "refused" ? listRefusals(tx, limit) : [];
  return [...stored, ...refused].toSorted((a, b) => b.at - a.at).slice(0, limit);
}

type StoredState = Exclude<ListedState, "refused">;

/** To an operator, what is about another server's number is unhandled as well. */
function statesOf(listed: StoredState): CallbackState[] {
  return listed === "unhandled" ? ["unhandled", "foreign"] : [listed];
}

function listedAs(state: CallbackState): StoredState {
  return state === "foreign" ? "unhandled" : state;
}

function listStored(tx: ReadTx, state: StoredState | null, limit: number): ListedCallback[] {
  return tx.db
    .select({ id: callbacks.id, at: callbacks.receivedAt, state: callbacks.state, note: callbacks.note })
    .from(callbacks)
    .where(state === null ? isNotNull(callbacks.state) : inArray(callbacks.state, statesOf(state)))
    .orderBy(desc(callbacks.id))
    .limit(limit)
    .all()
    .flatMap(({ id, at, state: found, note }) =>
      found === null ? [] : [{ id, at, state: listedAs(found), reason: note ?? "", numberId: null }],
    );
}

function listRefusals(tx: ReadTx, limit: number): ListedCallback[] {
  return tx.db.select().from(refusals).orderBy(desc(refusals.id)).limit(limit).all().map(viewRefusal);
}

function viewRefusal({ id, at, reason, numberId }: typeof refusals.$inferSelect): ListedCallback {
  return { id: `refused-${id}`, at, state: "refused", reason, numberId: numberId === 0 ? null : numberId };
}

/** With the body, where it was stored. Throws `not_found`. */
export function showCallback(tx: ReadTx, id: string): ListedCallback & { body: string | null } {
  const refused = REFUSED_ID.exec(id);
  if (refused !== null) {
    const found = findRow(tx, refusals, { id: Number(refused[1]) });
    if (found === undefined) throw notFound("callback");
    return { ...viewRefusal(found), body: null };
  }
  const { state, note, receivedAt: at, body, id: callbackId } = requireStored(tx, id);
  if (state === null) throw notFound("callback that had no effect");
  return { id: callbackId, at, state: listedAs(state), reason: note ?? "", numberId: null, body };
}

/** Queues one callback again. Throws `not_found`, and `invalid_request` for a refused one, which the network repeats itself. */
export function replayCallback(tx: Tx, id: string): void {
  if (REFUSED_ID.test(id)) {
    throw invalidRequest({ id: ["A refused callback was not stored. The network repeats it."] });
  }
  requeue(tx, [requireStored(tx, id).id]);
}

/** Queues the oldest callbacks of a state again; returns how many. */
export function replayCallbacks(tx: Tx, state: StoredState): number {
  const ids = tx.db
    .select({ id: callbacks.id })
    .from(callbacks)
    .where(inArray(callbacks.state, statesOf(state)))
    .orderBy(callbacks.id)
    .limit(REPLAYED_MAX)
    .all()
    .map((row) => row.id);
  requeue(tx, ids);
  return ids.length;
}

export interface KeptCallbacks {
  state: Exclude<CallbackState, "foreign">;
  count: number;
  /** Of the oldest one. */
  since: number;
  /** Why the newest one had no effect. */
  reason: string;
}

/** The callbacks that are kept until they can be applied, by state. */
export function countKept({ db }: ReadTx): KeptCallbacks[] {
  return (["unhandled", "unreadable", "quarantined"] as const).flatMap((state) => {
    const ids = db
      .select({ total: count(), first: min(callbacks.id), last: max(callbacks.id) })
      .from(callbacks)
      .where(eq(callbacks.state, state))
      .get();
    if (ids === undefined || ids.first === null || ids.last === null) return [];
    const [first, last] = [ids.first, ids.last].map((id) =>
      db.select({ at: callbacks.receivedAt, note: callbacks.note }).from(callbacks).where(eq(callbacks.id, id)).get(),
    );
    return [{ state, count: ids.total, since: first?.at ?? 0, reason: last?.note ?? "" }];
  });
}

function requireStored(tx: ReadTx, id: string): Callback {
  const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0;
  const found = tx.db.select({ id: callbacks.id }).from(callbacks).where(eq(callbacks.id, number)).get();
  if (found === undefined) throw notFound("callback");
  return getCallback(tx, found.id);
}

function requeue(tx: Tx, ids: readonly number[]): void {
  if (ids.length === 0) return;
  unmarkAll(tx, ids);
  tx.db
    .update(callbacks)
    // Its state stays until it was applied again.
    .set({ doneAt: null, dueAt: tx.now })
    .where(and(inArray(callbacks.id, [...ids]), isNotNull(callbacks.doneAt)))
    .run();
  tx.notify(CALLBACKS);
}
