/** Whom a change to many reaches: how many they are, and who comes next. For the reader's thread; it writes nothing. */
import type { Reading } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { countPeopleQuery, recipientsQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import { latestContactId } from "#src/domain/contacts/list.ts";
import { compileCount, compileIds, type Sql } from "#src/domain/filters/compile.ts";
import { readSearch } from "#src/domain/filters/group-filter.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { Whom } from "./table.ts";

/** Beyond every id. */
const LAST = Number.MAX_SAFE_INTEGER;
const NOBODY: Sql = { sql: "SELECT 0 AS total", parameters: [] };

/** One row with `total`. Throws `invalid_request` for a filter that cannot be read. `at`: the day that it speaks of. */
export function countWhomQuery(reading: Reading, workspace: Workspace, whom: Whom, at: number): Sql {
  if ("contacts" in whom) {
    return {
      sql: "SELECT count(*) AS total FROM contacts WHERE +workspace_id = ? AND phone IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
      parameters: [workspace.id, JSON.stringify(whom.contacts)],
    };
  }
  if ("filter" in whom) return compileCount(readSearch(reading, workspace, whom.filter), contextOf(workspace, at));
  const broadcast = findBroadcast(reading, workspace.id, whom.broadcast);
  return broadcast === undefined ? NOBODY : countPeopleQuery(broadcast, whom.outcomes);
}

/** Who joins after this is not reached. */
export function lastOf(reading: Reading, workspaceId: number, whom: Whom): number {
  // Recipients are only ever added while their broadcast is built.
  return "broadcast" in whom ? LAST : latestContactId(reading, workspaceId);
}

/**
 * Rows in an order of ids after `position`: `id` is the contact's, or `contact_id` beside a recipient's. Null: nobody is
 * left. Throws `invalid_request` for a filter that can no longer be read.
 */
export function nextOfWhomQuery(
  reading: Reading,
  workspace: Workspace,
  { whom, position, at }: { whom: Whom; position: number; at: number },
  limit: number,
): Sql | null {
  if ("contacts" in whom) {
    return {
      sql: "SELECT id FROM contacts WHERE +workspace_id = ? AND id > ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
      parameters: [workspace.id, position, JSON.stringify(whom.contacts), limit],
    };
  }
  if ("filter" in whom) {
    return compileIds(readSearch(reading, workspace, whom.filter), contextOf(workspace, at), position, limit);
  }
  const broadcast = findBroadcast(reading, workspace.id, whom.broadcast);
  return broadcast === undefined ? null : recipientsQuery(broadcast, whom.outcomes, position, limit);
}

function contextOf({ id, timezone }: Workspace, now: number) {
  return { workspaceId: id, timezone, now };
}
