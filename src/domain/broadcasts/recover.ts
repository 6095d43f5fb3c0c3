/**
 * Reclaims recipients that a crash left in `sending`. It is unknown whether the network has them, so they are never
 * sent again. Each waits for the echo of its send token. The wait starts now, because only now can this process receive
 * one.
 */
import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { broadcastCounters, messages } from "../messages/table.ts";
import { leaveInDoubt } from "./record-outcome.ts";

const RECLAIM_BATCH = 200;

export interface ReclaimCursor {
  broadcastId: number;
  messageId: number;
}

export const reclaimStart: ReclaimCursor = { broadcastId: 0, messageId: 0 };

/**
 * Runs at startup, batch by batch, before anything is dispatched. Returns the cursor to continue from; null when none
 * are left.
 */
export function reclaimRecipients(tx: Tx, from: ReclaimCursor, expireAt: number): ReclaimCursor | null {
  const next = tx.db
    .select({ broadcastId: broadcastCounters.broadcastId })
    .from(broadcastCounters)
    .where(and(gt(broadcastCounters.sending, 0), sql`${broadcastCounters.broadcastId} >= ${from.broadcastId}`))
    .orderBy(asc(broadcastCounters.broadcastId))
    .limit(1)
    .get();
  if (next === undefined) return null;
  const { broadcastId } = next;
  const after = broadcastId === from.broadcastId ? from.messageId : 0;
  const open = tx.db
    .select()
    .from(messages)
    .where(and(eq(messages.broadcastId, broadcastId), eq(messages.status, "sending"), gt(messages.id, after)))
    .orderBy(asc(messages.id))
    .limit(RECLAIM_BATCH)
    .all();
  for (const message of open) leaveInDoubt(tx, message, expireAt);
  const last = open.at(-1);
  return last !== undefined && open.length === RECLAIM_BATCH
    ? { broadcastId, messageId: last.id }
    : { broadcastId: broadcastId + 1, messageId: 0 };
}
