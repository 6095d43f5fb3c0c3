/** Whom a change to many reaches: how many they are, and who comes next. For the reader's thread; it writes nothing. */
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { countPeopleQuery, recipientsQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import { latestContactId } from "#src/domain/contacts/list.ts";
import { compileCount, compileIds, type Sql } from "#src/domain/filters/compile.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { BulkTarget } from "./table.ts";

/** Beyond every id. */
const LAST = Number.MAX_SAFE_INTEGER;
const EMPTY_COUNT: Sql = { sql: "SELECT 0 AS total", parameters: [] };

/** One row with `total`. Throws `invalid_request` for a filter that cannot be read. `at`: the day that it speaks of. */
export function countTargetQuery(tx: ReadTx, workspace: Workspace, target: BulkTarget, at: number): Sql {
  if ("contacts" in target) {
    return {
      sql: "SELECT count(*) AS total FROM contacts WHERE +workspace_id = ? AND phone IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
      parameters: [workspace.id, JSON.stringify(target.contacts)],
    };
  }
  if ("filter" in target) return compileCount(readGroupFilter(tx, workspace, target.filter), contextOf(workspace, at));
  const broadcast = findBroadcast(tx, workspace.id, target.broadcast);
  return broadcast === undefined ? EMPTY_COUNT : countPeopleQuery(broadcast, target.outcomes);
}

/** Who joins after this is not reached. */
export function lastTargetId(tx: ReadTx, workspaceId: number, target: BulkTarget): number {
  // Recipients are only ever added while their broadcast is built.
  return "broadcast" in target ? LAST : latestContactId(tx, workspaceId);
}

/**
 * Rows in an order of ids after `position`: `id` is the contact's, or `contact_id` beside a recipient's. Null: nobody is
 * left. Throws `invalid_request` for a filter that can no longer be read.
 */
export function nextTargetQuery(
  tx: ReadTx,
  workspace: Workspace,
  { target, position, at }: { target: BulkTarget; position: number; at: number },
  limit: number,
): Sql | null {
  if ("contacts" in target) {
    return {
      sql: "SELECT id FROM contacts WHERE +workspace_id = ? AND id > ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
      parameters: [workspace.id, position, JSON.stringify(target.contacts), limit],
    };
  }
  if ("filter" in target) {
    return compileIds(readGroupFilter(tx, workspace, target.filter), contextOf(workspace, at), position, limit);
  }
  const broadcast = findBroadcast(tx, workspace.id, target.broadcast);
  return broadcast === undefined ? null : recipientsQuery(broadcast, target.outcomes, position, limit);
}

function contextOf({ id, timezone }: Workspace, now: number) {
  return { workspaceId: id, timezone, now };
}
