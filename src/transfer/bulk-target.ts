/** The target of a bulk change: SQL that counts its contacts and lists the next ones. The reader's thread runs it. */
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { countPeopleQuery, recipientsQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import { latestContactId } from "#src/domain/contacts/list.ts";
import { compileCount, compileIds, type Sql } from "#src/domain/filters/compile.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { BulkTarget } from "./table.ts";

/** Greater than every id. */
const LAST = Number.MAX_SAFE_INTEGER;
const EMPTY_COUNT: Sql = { sql: "SELECT 0 AS total", parameters: [] };

/**
 * A query that returns one row with `total`. Relative days in a filter count from `at` (milliseconds). Throws
 * `invalid_request` for an invalid filter.
 */
export function countTargetQuery(tx: ReadTx, workspace: Workspace, target: BulkTarget, at: number): Sql {
  if ("contacts" in target) {
    return {
      sql: "SELECT count(*) AS total FROM contacts WHERE +workspace_id = ? AND (phone IS NOT NULL OR network_user_id IS NOT NULL) AND id IN (SELECT value FROM json_each(?))",
      parameters: [workspace.id, JSON.stringify(target.contacts)],
    };
  }
  if ("filter" in target) return compileCount(readGroupFilter(tx, workspace, target.filter), contextOf(workspace, at));
  const broadcast = findBroadcast(tx, workspace.id, target.broadcast);
  return broadcast === undefined
    ? EMPTY_COUNT
    : countPeopleQuery(broadcast, target.outcomes, target.isAgain ? at : null);
}

/** The last id of the target. Contacts added later are not included. */
export function lastTargetId(tx: ReadTx, workspaceId: number, target: BulkTarget): number {
  // A broadcast gets recipients only while it is built.
  return "broadcast" in target ? LAST : latestContactId(tx, workspaceId);
}

/**
 * A query for rows in ascending order of `id`, after `position`. `id` is the contact's, or the recipient's with
 * `contact_id` beside it. Null if no contact is left. Throws `invalid_request` for a filter that is no longer valid.
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
  return broadcast === undefined
    ? null
    : recipientsQuery(broadcast, target.outcomes, position, limit, target.isAgain ? at : null);
}

function contextOf({ id, timezone }: Workspace, now: number) {
  return { workspaceId: id, timezone, now };
}
