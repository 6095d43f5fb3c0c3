/**
 * Counts of dynamic groups. A group is counted on the reader's thread when it is viewed; a large one only if the last
 * count is a minute old. This module builds the queries and stores the results.
 */
import { and, eq, isNotNull } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { isDynamic } from "../groups/group.ts";
import { type Group, groups } from "../groups/table.ts";
import { compileCount, type Sql } from "./compile.ts";
import { type FilterWorkspace, readGroupFilter } from "./group-filter.ts";

export const COUNT_MAX_AGE_MS = 60_000;
/** Groups with as many contacts at the last count may be shown with a count that is a minute old. */
export const LARGE_GROUP = 10_000;

interface CountQuery extends Sql {
  groupId: number;
  /** The stored count, and whether it is too old to stay even if it is right. */
  knownCount: number;
  isExpired: boolean;
}

/** Returns a query for each group whose count is stale; each query returns one row with `total`. */
export function countsToRefresh(tx: ReadTx, workspace: FilterWorkspace, listed: readonly Group[]): CountQuery[] {
  return listed
    .filter((group) => isDynamic(group) && (group.memberCount < LARGE_GROUP || isExpired(group, tx.now)))
    .map((group) => ({
      groupId: group.id,
      knownCount: group.memberCount,
      isExpired: isExpired(group, tx.now),
      ...countQuery(tx, workspace, group),
    }));
}

/** Stores the count. Does nothing if the group has been removed meanwhile. */
export function recordCount(tx: Tx, groupId: number, count: number): void {
  tx.db
    .update(groups)
    .set({ memberCount: count, countedAt: tx.now })
    .where(and(eq(groups.id, groupId), isNotNull(groups.filter)))
    .run();
}

/** A count dated in the future was made before the clock was set back. */
function isExpired({ countedAt }: Group, now: number): boolean {
  return countedAt === null || now - countedAt >= COUNT_MAX_AGE_MS || countedAt > now;
}

/** A filter that is no longer valid (its custom field was removed) matches no contact, so its count is 0. */
function countQuery(tx: ReadTx, workspace: FilterWorkspace, group: Group): Sql {
  try {
    const filter = readGroupFilter(tx, workspace, group.filter);
    return compileCount(filter, { workspaceId: workspace.id, timezone: workspace.timezone, now: tx.now });
  } catch (error) {
    if (error instanceof Problem) return { sql: "SELECT 0 AS total", parameters: [] };
    throw error;
  }
}
