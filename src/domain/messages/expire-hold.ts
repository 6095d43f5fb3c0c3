/** Gives back what is held for single messages that nobody ever reported as delivered or failed. */
import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { release } from "../billing/hold.ts";
import { messages } from "./table.ts";

/** The network promises no report for a message that it gave up on. */
const HOLD_MAX_MS = 30 * 24 * 60 * 60 * 1000;

/** Releases up to `limit` holds that are 30 days old; returns how many. A later delivery is charged all the same. */
export function expireHolds(tx: Tx, limit: number): number {
  const expired = tx.db
    .select()
    .from(messages)
    .where(
      and(
        sql`${messages.money} = 'held' and ${messages.broadcastId} is null`,
        lt(messages.createdAt, tx.now - HOLD_MAX_MS),
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
