/**
 * What a workspace has sent and received since a moment: messages sent alone since then, and broadcasts started since
 * then, each with their present status. Ids grow with time, so a binary search finds the first id of the period, and
 * only newer rows are counted, on the reader's thread. A broadcast costs one row of counters, whatever its size.
 */
import { asc, gte, max } from "drizzle-orm";
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { inbounds } from "#src/domain/inbound/table.ts";
import { messages } from "#src/domain/messages/table.ts";

/** The first id given since a moment; one past the last id if there is none. */
export function firstSince(tx: ReadTx, table: "messages" | "inbounds", since: number): number {
  const rows = table === "messages" ? messages : inbounds;
  const [newest] = tx.db
    .select({ id: max(rows.id) })
    .from(rows)
    .all();
  let low = 0;
  let high = (newest?.id ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = tx.db
      .select({ id: rows.id, createdAt: rows.createdAt })
      .from(rows)
      .where(gte(rows.id, middle))
      .orderBy(asc(rows.id))
      .limit(1)
      .get();
    if (found === undefined || found.createdAt >= since) high = middle;
    else low = found.id + 1;
  }
  return low;
}

/** SQL: what the reason of a failed message is named by. */
export const FAILURE_CODE = "coalesce(error_code, 'none')";

/**
 * Counts messages sent alone, from an id on, by status and by the network's reason, with the newest message's words for it.
 * Parameters: workspace, id.
 */
export const singlesTodaySql = `SELECT CASE WHEN status = 'failed' AND outcome_unknown = 1 THEN 'unknown' ELSE status END AS status,
    CASE WHEN status = 'failed' THEN ${FAILURE_CODE} END AS code, error_message AS reason, max(id) AS newest, count(*) AS total
  FROM messages WHERE workspace_id = ? AND broadcast_id IS NULL AND id >= ? AND ${withinBudget("id")} GROUP BY 1, 2`;

/** Sums the counters of broadcasts started since a moment. Parameters: workspace, moment, twice. */
export const broadcastsTodaySql = `SELECT count(*) AS broadcasts, sum(sent) AS sent, sum(delivered) AS delivered, sum(read) AS read,
    sum(failed) AS failed, (SELECT count(*) FROM messages WHERE status = 'failed' AND outcome_unknown = 1 AND ${withinBudget("messages.id")}
      AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ?)) AS unknown
  FROM broadcast_counters
  WHERE ${withinBudget("broadcast_id")} AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ?)`;

/**
 * Counts the recipients of broadcasts started since a moment who failed for certain, by broadcast and by the network's
 * reason, with the newest recipient's words for it. Parameters: workspace, moment.
 */
export const broadcastFailuresSql = `SELECT broadcast_id, error_message AS reason, max(id) AS newest, count(*) AS total
  FROM messages WHERE status = 'failed' AND outcome_unknown = 0 AND ${withinBudget("id")}
    AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ?)
  GROUP BY broadcast_id, error_code`;

/** Counts inbound messages from an id on, and the people who wrote. Parameters: workspace, id, workspace, moment. */
export const receivedTodaySql = `SELECT (SELECT count(*) FROM inbounds WHERE workspace_id = ? AND id >= ? AND origin <> 'history' AND ${withinBudget("id")}) AS messages,
    (SELECT count(DISTINCT contact_id) FROM conversations WHERE workspace_id = ? AND wrote_at >= ? AND ${withinBudget("id")}) AS people`;

/** SQL: what messages had come to at the moment `ends`. One that had failed by then was not sent. */
const BY_THEN = `count(*) FILTER (WHERE coalesce(sent_at, delivered_at, read_at) <= ends AND NOT (status = 'failed' AND coalesce(failed_at, 0) <= ends)) AS sent,
    count(*) FILTER (WHERE coalesce(min(delivered_at, read_at), delivered_at, read_at) <= ends) AS delivered,
    count(*) FILTER (WHERE read_at <= ends) AS read,
    count(*) FILTER (WHERE status = 'failed' AND outcome_unknown = 0 AND failed_at <= ends) AS failed`;

/**
 * Counts what messages sent alone in a period had come to at its end. Parameters: the end, workspace, the first id of the
 * period and the first one after it.
 */
export const singlesByThenSql = `SELECT ${BY_THEN} FROM (SELECT ? AS ends) CROSS JOIN messages
  WHERE workspace_id = ? AND broadcast_id IS NULL AND id >= ? AND id < ? AND ${withinBudget("id")}`;

/** The same of the recipients of broadcasts that were started in a period. Parameters: the end, workspace, the beginning. */
export const broadcastsByThenSql = `SELECT ${BY_THEN} FROM (SELECT ? AS ends) CROSS JOIN messages
  WHERE ${withinBudget("messages.id")}
    AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ? AND started_at < ends)`;

/** Counts the inbound messages of a period. Parameters: workspace, the first id of the period and the first one after it. */
export const receivedByThenSql = `SELECT count(*) AS messages FROM inbounds
  WHERE workspace_id = ? AND id >= ? AND id < ? AND origin <> 'history' AND ${withinBudget("id")}`;
