/** Shared by commands that list the resources of one workspace or of all. */

import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

/** The workspace with this id (throws `not_found`), or all workspaces. */
export function workspacesOf(tx: ReadTx, id: number | undefined): Workspace[] {
  return id === undefined ? listWorkspaces(tx) : [getWorkspace(tx, id)];
}

/** Returns a function that prints times in this workspace's timezone; null stays null. */
export function timesIn({ timezone }: Pick<Workspace, "timezone">): {
  (ms: number): string;
  (ms: number | null): string | null;
} {
  function print(ms: number): string;
  function print(ms: number | null): string | null;
  function print(ms: number | null): string | null {
    return ms === null ? null : formatInstant(ms, timezone);
  }
  return print;
}
