/**
 * Counts refused callbacks by the hour, so that another process can find out what is wrong. There is one row for each
 * hour, reason and number, so a flood of requests does not add rows.
 */
import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { callbacks, type RefusedCount, refusedCallbacks } from "./table.ts";

const HOUR_MS = 60 * 60_000;
export const REFUSED_RETENTION_MS = 7 * 24 * HOUR_MS;
/** How many of the latest callbacks are searched: those of other numbers may come between. */
const SCANNED_ROWS_MAX = 2_000;

export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

export function addRefused(tx: Tx, counts: readonly RefusedCount[]): void {
  for (const count of counts) {
    tx.db
      .insert(refusedCallbacks)
      .values(count)
      .onConflictDoUpdate({
        target: [refusedCallbacks.hour, refusedCallbacks.reason, refusedCallbacks.numberId],
        set: {
          count: sql`${refusedCallbacks.count} + ${count.count}`,
          lastAt: sql`max(${refusedCallbacks.lastAt}, ${count.lastAt})`,
        },
      })
      .run();
  }
}

/** Oldest hour first. */
export function listRefused(reading: ReadTx, since: number): RefusedCount[] {
  return reading.db
    .select()
    .from(refusedCallbacks)
    .where(gte(refusedCallbacks.hour, hourOf(since)))
    .orderBy(asc(refusedCallbacks.hour))
    .all();
}

/** Whether a callback trusted for this number was accepted after `at`; null: for any number. */
export function wasAcceptedAfter(
  reading: ReadTx,
  number: Pick<SendingNumber, "id" | "appSecret"> | null,
  at: number,
): boolean {
  const later = reading.db
    .select({ trust: callbacks.trust })
    .from(callbacks)
    .where(and(eq(callbacks.network, "whatsapp"), gt(callbacks.receivedAt, at)))
    .orderBy(desc(callbacks.id))
    .limit(SCANNED_ROWS_MAX)
    .all();
  return later.some(
    ({ trust }) =>
      trust !== null &&
      (number === null || trust.numbers.includes(number.id) || (trust.configuration && number.appSecret === null)),
  );
}

/** Drops up to `limit` hours past their retention; returns how many. */
export function purgeRefused(tx: Tx, limit: number): number {
  const hours = tx.db
    .selectDistinct({ hour: refusedCallbacks.hour })
    .from(refusedCallbacks)
    .where(lt(refusedCallbacks.hour, tx.now - REFUSED_RETENTION_MS))
    .orderBy(asc(refusedCallbacks.hour))
    .limit(limit)
    .all()
    .map(({ hour }) => hour);
  if (hours.length > 0) tx.db.delete(refusedCallbacks).where(inArray(refusedCallbacks.hour, hours)).run();
  return hours.length;
}
