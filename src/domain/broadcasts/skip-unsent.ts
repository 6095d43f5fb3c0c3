/**
 * Housekeeping of broadcasts: the recipients that a finished one did not send to are written as skipped, which is how they
 * have counted since it ended; and recipients are thrown away when they are old enough. The figures stay for ever.
 */
import { and, asc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { messages } from "../messages/table.ts";
import { listWaiting, skipRecipient } from "./recipients.ts";
import { describeSkip } from "./skip.ts";
import { broadcasts } from "./table.ts";

/** Writes up to `limit` rows; returns how many, or `limit` while there may be more to do. */
export function skipUnsent(tx: Tx, limit: number): number {
  const broadcast = tx.db
    .select()
    .from(broadcasts)
    .where(sql`${broadcasts.isUnsentSkipped} = 0 and ${broadcasts.completedAt} is not null`)
    .orderBy(asc(broadcasts.id))
    .limit(1)
    .get();
  if (broadcast === undefined) return 0;
  const code = broadcast.status === "cancelled" ? "cancelled" : "broadcast_failed";
  const reason = describeSkip(code, broadcast.statusReason);
  const waiting = [
    ...listWaiting(tx, broadcast.id, "pending", 0, limit),
    ...listWaiting(tx, broadcast.id, "queued", 0, limit),
  ].slice(0, limit);
  // What they count as does not change by this, so the figures are not touched.
  for (const { id } of waiting) skipRecipient(tx, id, code, reason);
  if (waiting.length === limit) return limit;
  tx.db.update(broadcasts).set({ isUnsentSkipped: true }).where(eq(broadcasts.id, broadcast.id)).run();
  return limit;
}

/** Throws away up to `limit` recipients of broadcasts that finished before `before`; returns how many, as above. */
export function purgeRecipients(tx: Tx, before: number, limit: number): number {
  const broadcast = tx.db
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(and(lt(broadcasts.completedAt, before), isNull(broadcasts.purgedAt)))
    .orderBy(asc(broadcasts.completedAt))
    .limit(1)
    .get();
  if (broadcast === undefined) return 0;
  const expired = tx.db
    .select({ id: messages.id })
    .from(messages)
    .where(eq(messages.broadcastId, broadcast.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (expired.length > 0) tx.db.delete(messages).where(inArray(messages.id, expired)).run();
  else tx.db.update(broadcasts).set({ purgedAt: tx.now }).where(eq(broadcasts.id, broadcast.id)).run();
  return limit;
}
