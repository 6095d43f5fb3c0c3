/** Drops old single messages and their idempotency keys. Balances and the ledger stay. */
import { and, asc, eq, gt, inArray, isNull } from "drizzle-orm";
import { deleteRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { idempotencyKeys } from "../idempotency/table.ts";
import { REMOVED_MAX, removeWritten } from "../search/entries.ts";
import { removeNetworkIds } from "./network-ids.ts";
import { type Message, messages } from "./table.ts";

/**
 * Younger messages count for the daily cap and may still be reported on: they stay, whatever the configuration says.
 */
const RETENTION_MIN_MS = 2 * 24 * 60 * 60 * 1000;

interface PurgeResult {
  /** The id to continue after; null when the remaining messages are younger. */
  next: number | null;
  /** The first message that is old enough but not final yet. A later run must start here. */
  firstOpen: number | null;
}

/**
 * Examines up to `limit` messages after `afterId` and drops those that are older than `before` and final, as many as may
 * leave the search index at once. Recipients of broadcasts are skipped: the retention of broadcasts applies to them.
 * `workspaceId`: of one workspace, which keeps its messages for a shorter time.
 */
export function purgeMessages(
  tx: Tx,
  before: number,
  { afterId, limit, workspaceId = null }: { afterId: number; limit: number; workspaceId?: number | null },
): PurgeResult {
  // Ids follow time, so no index on time is needed.
  const cutoff = Math.min(before, tx.now - RETENTION_MIN_MS);
  const scanned = tx.db
    .select({
      id: messages.id,
      networkMessageId: messages.networkMessageId,
      createdAt: messages.createdAt,
      status: messages.status,
      money: messages.money,
      broadcastId: messages.broadcastId,
      sendAt: messages.sendAt,
      dispatchedAt: messages.dispatchedAt,
      failedAt: messages.failedAt,
    })
    .from(messages)
    .where(
      and(
        gt(messages.id, afterId),
        ...(workspaceId === null ? [] : [eq(messages.workspaceId, workspaceId), isNull(messages.broadcastId)]),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
  const isPurgeable = (message: Scanned): boolean => isFinished(message) && lastTimeOf(message) < cutoff;
  const old = scanned.filter(({ createdAt }) => createdAt < cutoff);
  const last = old.filter((message) => message.broadcastId === null && isPurgeable(message)).at(REMOVED_MAX - 1);
  const expired = last === undefined ? old : old.filter(({ id }) => id <= last.id);
  const single = expired.filter(({ broadcastId }) => broadcastId === null);
  const finished = single.filter(isPurgeable);
  const purgeable = finished.map(({ id }) => id);
  if (purgeable.length > 0) {
    removeNetworkIds(tx, finished);
    deleteRows(tx, idempotencyKeys, inArray(idempotencyKeys.messageId, purgeable));
    deleteRows(tx, messages, inArray(messages.id, purgeable));
    removeWritten(
      tx,
      "message",
      finished.map(({ id, createdAt }) => ({ id, at: createdAt })),
    );
  }
  return {
    next: last !== undefined || expired.length === limit ? (expired.at(-1)?.id ?? null) : null,
    firstOpen: single.find((message) => !isPurgeable(message))?.id ?? null,
  };
}

type Scanned = Pick<Message, "createdAt" | "status" | "money" | "sendAt" | "dispatchedAt" | "failedAt">;

/** A scheduled message may have been sent, or have failed, long after it was accepted. */
function lastTimeOf({ createdAt, sendAt, dispatchedAt, failedAt }: Scanned): number {
  return sendAt === null ? createdAt : Math.max(createdAt, dispatchedAt ?? 0, failedAt ?? 0);
}

/**
 * SQL: how many messages of a workspace retention would delete. Parameters: workspace; created before; the highest count. For the
 * reader's thread.
 */
export const purgeableMessagesSql = `SELECT count(*) AS count FROM (SELECT 1 FROM messages
  WHERE workspace_id = ? AND broadcast_id IS NULL AND created_at < ?
    AND money <> 'held' AND status NOT IN ('pending', 'queued', 'sending') LIMIT ?)`;

/** Messages with a hold and messages on their way are kept. */
function isFinished({ status, money }: Pick<Message, "status" | "money">): boolean {
  return money !== "held" && status !== "pending" && status !== "queued" && status !== "sending";
}
