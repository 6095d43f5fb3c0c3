/**
 * Counts refused callbacks by the hour, so that another process can find out what is wrong. There is one row for each
 * hour, reason and number, so a flood of requests does not add rows.
 */
import { and, asc, count, desc, eq, gt, gte, sql } from "drizzle-orm";
import { listRows, upsertRow } from "#src/db/rows.ts";
import { tablePolicies } from "#src/db/table-policies.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { callbacks, type Refusal, type RefusalReason, type RefusedCount, refusals, refusedCallbacks } from "./table.ts";

const HOUR_MS = 60 * 60_000;
export const REFUSED_RETENTION_MS = tablePolicies.refused_callbacks.kept.afterMs;
/** How many of the latest callbacks are searched: those of other numbers may come between. */
const SCANNED_ROWS_MAX = 2_000;

/** A reason that is missing here does not compile. */
const REASONS: Readonly<Record<RefusalReason, true>> = {
  ...{ wrong_signature: true, no_signature: true, no_secret: true, unknown_address: true, wrong_header: true },
  not_an_object: true,
};
export const refusalReasons = Object.keys(REASONS) as RefusalReason[];

export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

export function addRefused(tx: Tx, counts: readonly RefusedCount[]): void {
  for (const one of counts) {
    upsertRow(tx, refusedCallbacks, ["hour", "reason", "numberId"], one, {
      count: sql`${refusedCallbacks.count} + ${one.count}`,
      lastAt: sql`max(${refusedCallbacks.lastAt}, ${one.lastAt})`,
    });
  }
}

/** How many refused callbacks of a day are kept one by one. */
const LISTED_PER_DAY = 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Adds refused callbacks one by one, as far as their day has room. They are counted in any case. */
export function addRefusals(tx: Tx, found: readonly Omit<Refusal, "id">[]): void {
  const today = Math.floor(tx.now / DAY_MS) * DAY_MS;
  const row = tx.db.select({ listed: count() }).from(refusals).where(gte(refusals.at, today)).get();
  const room = Math.max(0, LISTED_PER_DAY - (row?.listed ?? 0));
  if (found.length > 0 && room > 0) tx.db.insert(refusals).values(found.slice(0, room)).run();
}

/** Oldest hour first. */
export function listRefused(reading: ReadTx, since: number): RefusedCount[] {
  return listRows(reading, refusedCallbacks, gte(refusedCallbacks.hour, hourOf(since)), asc(refusedCallbacks.hour));
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
