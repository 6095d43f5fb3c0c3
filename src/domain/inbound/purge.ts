/** Forgets what people wrote, and keeps that they wrote: the same inbound delivered again must stay one inbound. */
import { and, asc, gt, inArray, isNotNull } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { inbounds } from "./table.ts";

/**
 * Looks at up to `limit` inbounds after `afterId` and empties the texts of those that are older than `before`. Returns
 * the last id that was looked at, or null when the rest is younger.
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
      .set({ text: null })
      .where(and(inArray(inbounds.id, expired), isNotNull(inbounds.text)))
      .run();
  }
  return expired.length === limit ? (expired.at(-1) ?? null) : null;
}
