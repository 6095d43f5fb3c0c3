/**
 * Counts items of accepted callbacks that had no effect, by hour, reason and what they were: nothing that arrives is
 * invisible. There is one row for each of them, and at most `ABOUT_MAX` for an hour and reason.
 */
import { and, asc, count, desc, eq, gte, sql } from "drizzle-orm";
import { upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { hourOf } from "./refused-callbacks.ts";
import { type UnusedCount, type UnusedReason, unusedItems } from "./table.ts";

export interface Unused {
  reason: UnusedReason;
  about: string;
}

const ABOUT_MAX = 100;
const ABOUT_LENGTH_MAX = 100;
const OTHERS = "others";

/** A status of a message that this database never sent: usual where other software sends from the same number. */
export const NOT_OURS: Unused = { reason: "ignored", about: "a status of a message that is not ours" };

/** Statuses that waited for their message in vain. */
export function countNotOurs(tx: Tx, count: number): void {
  if (count > 0) countUnused(tx, new Map([["", { ...NOT_OURS, count }]]));
}

/** Call in the write that finishes the callback, so that an item is counted once. */
export function countUnused(tx: Tx, found: ReadonlyMap<string, Unused & { count: number }>): void {
  const hour = hourOf(tx.now);
  for (const { reason, about, count: added } of found.values()) {
    const known = { hour, reason, about: about.slice(0, ABOUT_LENGTH_MAX) };
    const row = { ...known, about: hasRoom(tx, known) ? known.about : OTHERS, count: added, lastAt: tx.now };
    upsertRow(tx, unusedItems, ["hour", "reason", "about"], row, {
      count: sql`${unusedItems.count} + ${added}`,
      lastAt: tx.now,
    });
  }
}

function hasRoom(tx: Tx, { hour, reason, about }: Pick<UnusedCount, "hour" | "reason" | "about">): boolean {
  const ofReason = and(eq(unusedItems.hour, hour), eq(unusedItems.reason, reason));
  const known = tx.db
    .select({ about: unusedItems.about })
    .from(unusedItems)
    .where(and(ofReason, eq(unusedItems.about, about)))
    .get();
  if (known !== undefined) return true;
  const rows = tx.db.select({ total: count() }).from(unusedItems).where(ofReason).get()?.total ?? 0;
  return rows < ABOUT_MAX;
}

/** Adds up the hours since `since`; the most frequent first. */
export function listUnused(tx: ReadTx, since: number): Omit<UnusedCount, "hour">[] {
  const total = sql<number>`sum(${unusedItems.count})`;
  return tx.db
    .select({
      reason: unusedItems.reason,
      about: unusedItems.about,
      count: total,
      lastAt: sql<number>`max(${unusedItems.lastAt})`,
    })
    .from(unusedItems)
    .where(gte(unusedItems.hour, hourOf(since)))
    .groupBy(unusedItems.reason, unusedItems.about)
    .orderBy(desc(total), asc(unusedItems.about))
    .all();
}
