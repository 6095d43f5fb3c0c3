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

/** Counts messages sent alone, from an id on, by status. Parameters: workspace, id. */
export const singlesTodaySql = `SELECT CASE WHEN status = 'failed' AND outcome_unknown = 1 THEN 'unknown' ELSE status END AS status,
    count(*) AS total
  FROM messages WHERE workspace_id = ? AND broadcast_id IS NULL AND id >= ? AND ${withinBudget("id")} GROUP BY 1`;

/** Sums the counters of broadcasts started since a moment. Parameters: workspace, moment, twice. */
export const broadcastsTodaySql = `SELECT count(*) AS broadcasts, sum(sent) AS sent, sum(delivered) AS delivered, sum(read) AS read,
    sum(failed) AS failed, (SELECT count(*) FROM messages WHERE status = 'failed' AND outcome_unknown = 1 AND ${withinBudget("messages.id")}
      AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ?)) AS unknown
  FROM broadcast_counters
  WHERE ${withinBudget("broadcast_id")} AND broadcast_id IN (SELECT id FROM broadcasts WHERE workspace_id = ? AND started_at >= ?)`;

/** Counts inbound messages from an id on, and the people who wrote. Parameters: workspace, id, workspace, moment. */
export const receivedTodaySql = `SELECT (SELECT count(*) FROM inbounds WHERE workspace_id = ? AND id >= ? AND origin <> 'history' AND ${withinBudget("id")}) AS messages,
    (SELECT count(DISTINCT contact_id) FROM conversations WHERE workspace_id = ? AND wrote_at >= ? AND ${withinBudget("id")}) AS people`;
