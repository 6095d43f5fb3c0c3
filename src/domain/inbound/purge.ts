/**
 * Deletes the texts and details of old inbounds but keeps the rows, so that a repeated delivery of an inbound is still recognised.
 */
import { and, asc, gt, inArray, isNotNull, or } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { inbounds } from "./table.ts";

/**
 * Examines up to `limit` inbounds after `afterId` and clears texts and details of those older than `before`. Returns the last
 * id examined, or null when the remaining ones are younger.
 */
export function purgeInbounds(tx: Tx, before: number, afterId: number, limit: number): number | null {
  const scanned = tx.db
    .select({ id: inbounds.id, createdAt: inbounds.createdAt })
    .from(inbounds)
    .where(gt(inbounds.id, afterId))
    .orderBy(asc(inbounds.id))
    .limit(limit)
    .all();
  const expired = scanned.filter(({ createdAt }) => createdAt < before).map(({ id }) => id);
  if (expired.length > 0) {
    tx.db
      .update(inbounds)
      .set({ text: null, details: null })
      .where(and(inArray(inbounds.id, expired), or(isNotNull(inbounds.text), isNotNull(inbounds.details))))
      .run();
  }
  return expired.length === limit ? (expired.at(-1) ?? null) : null;
}
