/**
 * Deletes the texts and details of old inbounds and echoes but keeps the rows, so that a repeated delivery of one is
 * still recognised.
 */
import { and, asc, gt, inArray, isNotNull, or } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { removeWritten } from "../search/entries.ts";
import { echoes, inbounds } from "./table.ts";

/**
 * Examines up to `limit` inbounds after `afterId` and clears texts and details of those older than `before`. Returns the last
 * id examined, or null when the remaining ones are younger.
 */
export function purgeInbounds(tx: Tx, before: number, afterId: number, limit: number): number | null {
  return purge(tx, inbounds, { before, afterId, limit });
}

/** The same for echoes. */
export function purgeEchoes(tx: Tx, before: number, afterId: number, limit: number): number | null {
  return purge(tx, echoes, { before, afterId, limit });
}

function purge(
  tx: Tx,
  table: typeof inbounds | typeof echoes,
  { before, afterId, limit }: { before: number; afterId: number; limit: number },
): number | null {
  const scanned = tx.db
    .select({ id: table.id, createdAt: table.createdAt, at: table === inbounds ? inbounds.receivedAt : echoes.sentAt })
    .from(table)
    .where(gt(table.id, afterId))
    .orderBy(asc(table.id))
    .limit(limit)
    .all();
  const old = scanned.filter(({ createdAt }) => createdAt < before);
  const expired = old.map(({ id }) => id);
  if (expired.length > 0) {
    removeWritten(tx, table === inbounds ? "inbound" : "echo", old);
    tx.db
      .update(table)
      .set({ text: null, details: null })
      .where(and(inArray(table.id, expired), or(isNotNull(table.text), isNotNull(table.details))))
      .run();
  }
  return expired.length === limit ? (expired.at(-1) ?? null) : null;
}
