/** Releases holds of single messages that were never reported as delivered or failed. */
import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { release } from "../billing/hold.ts";
import { messages } from "./table.ts";

/** The network does not promise a report for a message that it gave up on. */
const HOLD_MAX_MS = 30 * 24 * 60 * 60 * 1000;

/** Releases up to `limit` holds older than 30 days; returns how many. A later delivery is still charged. */
export function expireHolds(tx: Tx, limit: number): number {
  const expired = tx.db
    .select()
    .from(messages)
    .where(
      and(
        sql`${messages.money} = 'held' and ${messages.broadcastId} is null`,
        lt(messages.createdAt, tx.now - HOLD_MAX_MS),
        // A scheduled message is held for from its dispatch on, and while it waits for its next try.
        sql`(${messages.sendAt} is null or ${messages.dispatchedAt} < ${tx.now - HOLD_MAX_MS})`,
      ),
    )
    .orderBy(asc(messages.createdAt))
    .limit(limit)
    .all();
  for (const { id, workspaceId, rate } of expired) {
    const released = tx.db
      .update(messages)
      .set({ money: "released" })
      .where(and(eq(messages.id, id), eq(messages.money, "held")))
      .run().changes;
    if (released === 1) release(tx, workspaceId, id, rate);
  }
  return expired.length;
}
