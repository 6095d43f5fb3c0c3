/**
 * Housekeeping of broadcasts: marks the unsent recipients of finished broadcasts as skipped, which is how they have
 * counted since the end, and deletes recipients that are past their retention. Counters are kept for ever.
 */
import { and, asc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { deleteRows, findRow, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { removeNetworkIds } from "../messages/network-ids.ts";
import { messages } from "../messages/table.ts";
import { listWaiting, skipRecipient } from "./recipients.ts";
import { describeSkip } from "./skip.ts";
import { broadcasts } from "./table.ts";

/** Updates up to `limit` rows. Returns 0 when nothing was left to do, otherwise `limit`: there may be more. */
export function skipUnsent(tx: Tx, limit: number): number {
  const broadcast = findRow(
    tx,
    broadcasts,
    sql`${broadcasts.isUnsentSkipped} = 0 and ${broadcasts.completedAt} is not null`,
    asc(broadcasts.id),
  );
  if (broadcast === undefined) return 0;
  const code = broadcast.status === "cancelled" ? "cancelled" : "broadcast_failed";
  const reason = describeSkip(code, broadcast.statusReason);
  const waiting = [
    ...listWaiting(tx, broadcast.id, "pending", 0, limit),
    ...listWaiting(tx, broadcast.id, "queued", 0, limit),
  ].slice(0, limit);
  // They count as skipped already, so the counters do not change.
  for (const { id } of waiting) skipRecipient(tx, id, code, reason);
  if (waiting.length === limit) return limit;
  updateRows(tx, broadcasts, { id: broadcast.id }, { isUnsentSkipped: true });
  return limit;
}

/** Deletes up to `limit` recipients of broadcasts that finished before `before`. Returns as `skipUnsent` does. */
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
    .select({ id: messages.id, networkMessageId: messages.networkMessageId })
    .from(messages)
    .where(eq(messages.broadcastId, broadcast.id))
    .limit(limit)
    .all();
  const ids = expired.map(({ id }) => id);
  removeNetworkIds(tx, expired);
  if (ids.length > 0) deleteRows(tx, messages, inArray(messages.id, ids));
  else updateRows(tx, broadcasts, { id: broadcast.id }, { purgedAt: tx.now });
  return limit;
}
