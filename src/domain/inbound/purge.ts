/**
 * Deletes the texts and details of old inbounds and echoes but keeps the rows, so that a repeated delivery of one is
 * still recognised.
 */
import { asc, gt, inArray, sql } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { REMOVED_MAX, removeWritten } from "../search/entries.ts";
import { echoes, inbounds } from "./table.ts";

interface Range {
  before: number;
  afterId: number;
  limit: number;
  /** The workspaces that keep texts for a shorter time; absent: all. */
  workspaceIds?: ReadonlySet<number>;
}

/**
 * Examines up to `limit` inbounds after `afterId` and clears texts and details of those older than `before`. Returns the last
 * id examined, or null when the remaining ones are younger.
 */
export function purgeInbounds(tx: Tx, range: Range): number | null {
  return purge(tx, inbounds, range);
}

/** The same for echoes. */
export function purgeEchoes(tx: Tx, range: Range): number | null {
  return purge(tx, echoes, range);
}

/**
 * SQL: how many texts of a workspace retention would clear. Parameters: workspace and created before, for inbounds and again for echoes; the highest
 * count. For the reader's thread.
 */
export const purgeableTextsSql = `SELECT count(*) AS count FROM (
  SELECT 1 FROM inbounds WHERE workspace_id = ? AND created_at < ? AND (text IS NOT NULL OR details IS NOT NULL)
  UNION ALL
  SELECT 1 FROM echoes WHERE workspace_id = ? AND created_at < ? AND (text IS NOT NULL OR details IS NOT NULL)
  LIMIT ?)`;

function purge(
  tx: Tx,
  table: typeof inbounds | typeof echoes,
  { before, afterId, limit, workspaceIds }: Range,
): number | null {
  const scanned = tx.db
    .select({
      id: table.id,
      workspaceId: table.workspaceId,
      createdAt: table.createdAt,
      at: table === inbounds ? inbounds.receivedAt : echoes.sentAt,
      isEmpty: sql<number>`${table.text} IS NULL AND ${table.details} IS NULL`,
    })
    .from(table)
    .where(gt(table.id, afterId))
    .orderBy(asc(table.id))
    .limit(limit)
    .all();
  const old = scanned.filter(({ createdAt }) => createdAt < before);
  // As many as may leave the search index at once. Those of an earlier run are passed.
  const isMeant = (id: number): boolean => workspaceIds?.has(id) ?? true;
  const full = old.filter(({ isEmpty, workspaceId }) => isEmpty === 0 && isMeant(workspaceId)).slice(0, REMOVED_MAX);
  const expired = full.map(({ id }) => id);
  if (full.length > 0) {
    removeWritten(tx, table === inbounds ? "inbound" : "echo", full);
    updateRows(tx, table, inArray(table.id, expired), { text: null, details: null });
  }
  const passed = full.length === REMOVED_MAX ? full.at(-1) : old.length === limit ? old.at(-1) : undefined;
  return passed?.id ?? null;
}
