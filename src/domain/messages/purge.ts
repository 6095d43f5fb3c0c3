/** Forgets old single messages, with what only makes sense beside them. Money's figures and its ledger stay. */
import { asc, gt, inArray } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { idempotencyKeys } from "../idempotency/table.ts";
import { type Message, messages } from "./table.ts";

/** Counted for the daily cap, and perhaps still to be reported on: never forgotten, whatever the configuration says. */
const RETENTION_MIN_MS = 2 * 24 * 60 * 60 * 1000;

export interface PurgeResult {
  /** Where to go on; null when the rest is younger. */
  next: number | null;
  /** The first that is old and had to stay for now: it is to be looked at again. */
  firstOpen: number | null;
}

/**
 * Looks at up to `limit` messages after `afterId` and drops those that are older than `before` and at their end; recipients
 * of broadcasts are passed by, for they stay as long as their broadcast's retention says.
 */
export function purgeMessages(tx: Tx, before: number, afterId: number, limit: number): PurgeResult {
  // Messages are numbered in the order of their time, so no index on time is needed.
  const cutoff = Math.min(before, tx.now - RETENTION_MIN_MS);
  const scanned = tx.db
    .select({
      id: messages.id,
      createdAt: messages.createdAt,
      status: messages.status,
      money: messages.money,
      broadcastId: messages.broadcastId,
    })
    .from(messages)
    .where(gt(messages.id, afterId))
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
  const expired = scanned.filter(({ createdAt }) => createdAt < cutoff);
  const single = expired.filter(({ broadcastId }) => broadcastId === null);
  const purgeable = single.filter(isFinished).map(({ id }) => id);
  if (purgeable.length > 0) {
    tx.db.delete(idempotencyKeys).where(inArray(idempotencyKeys.messageId, purgeable)).run();
    tx.db.delete(messages).where(inArray(messages.id, purgeable)).run();
  }
  return {
    next: expired.length === limit ? (expired.at(-1)?.id ?? null) : null,
    firstOpen: single.find((message) => !isFinished(message))?.id ?? null,
  };
}

/** Nothing that is held, and nothing that is on its way, is forgotten. */
function isFinished({ status, money }: Pick<Message, "status" | "money">): boolean {
  return money !== "held" && status !== "pending" && status !== "queued" && status !== "sending";
}
