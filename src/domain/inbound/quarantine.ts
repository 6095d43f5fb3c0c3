/**
 * Marks of callback items that are about to be applied at a start. An item that stops the process leaves its mark; at
 * the next starts it is applied alone, and after three such tries it is put aside. The other items are applied.
 *
 * A mark does not say who stopped the process: `kill -9` leaves one too. Three tries make sure that only an item is put
 * aside that is itself the cause. The process is killed in the few milliseconds of the same item three times only if
 * that item does it.
 */
import { and, eq, gte, inArray, sql } from "drizzle-orm";
import { deleteRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { callbackMarks } from "./table.ts";

/** The place of reading the body, before there are items. */
export const BODY = -1;

/** After this many tries alone, an item is not tried again. */
export const TRIES_MAX = 3;

/** Before several callbacks are read and applied together. */
export function markBodies(tx: Tx, callbackIds: readonly number[]): void {
  for (const callbackId of callbackIds) setTries(tx, callbackId, BODY, 0);
}

/** Before one item, or the body, of a suspect callback is tried alone. */
export function markAlone(tx: Tx, callbackId: number, item: number): void {
  // Its items are being tried, so the body could be read.
  if (item !== BODY) setTries(tx, callbackId, BODY, 0);
  upsertRow(tx, callbackMarks, ["callbackId", "item"], { callbackId, item, marks: 1 }, { marks: sql`marks + 1` });
}

/** After the item was applied, or put aside for good. */
export function unmark(tx: Tx, callbackId: number, item: number): void {
  deleteRows(tx, callbackMarks, { callbackId, item });
}

export function unmarkAll(tx: Tx, callbackIds: readonly number[]): void {
  deleteRows(tx, callbackMarks, inArray(callbackMarks.callbackId, [...callbackIds]));
}

/** The callbacks among these that an earlier start began and did not finish. */
export function findSuspects(tx: ReadTx, callbackIds: readonly number[]): Set<number> {
  const found = tx.db
    .selectDistinct({ id: callbackMarks.callbackId })
    .from(callbackMarks)
    .where(inArray(callbackMarks.callbackId, [...callbackIds]))
    .all();
  return new Set(found.map(({ id }) => id));
}

/**
 * The items of a callback that were tried alone so often and never finished, each with the number of its tries. An item
 * is marked once more before the person whom it names is looked for.
 */
export function findQuarantined(tx: ReadTx, callbackId: number): Map<number, number> {
  const found = tx.db
    .select({ item: callbackMarks.item, marks: callbackMarks.marks })
    .from(callbackMarks)
    .where(and(eq(callbackMarks.callbackId, callbackId), gte(callbackMarks.marks, TRIES_MAX)))
    .all();
  return new Map(found.map(({ item, marks }) => [item, marks]));
}

function setTries(tx: Tx, callbackId: number, item: number, marks: number): void {
  upsertRow(tx, callbackMarks, ["callbackId", "item"], { callbackId, item, marks }, { marks: sql`${marks}` });
}
