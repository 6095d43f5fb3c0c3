/**
 * Changes a group's name and, for a dynamic group, its filter. A static group stays static. All checks run before
 * anything is written. A filter cannot change while a broadcast that was confirmed with it is not built yet.
 */
import type { FieldProblems } from "#src/core/fault.ts";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listFilterGroups, readGroupFilter } from "../filters/group-filter.ts";
import { findDynamicGroup } from "../filters/remove-group.ts";
import { findNameProblem, updateGroup } from "../groups/create.ts";
import { foldName, isDynamic } from "../groups/group.ts";
import { findGroup } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { listOpen } from "./read.ts";

interface GroupUpdate {
  name: string;
  /** The filter's JSON as the caller wrote it; null for a static group. */
  filter: unknown;
}

/** Throws `not_found`, and `invalid_request` (paths `name` and `filter…`). */
export function updateGroupSettings(tx: Tx, workspaceId: number, id: number, { name, filter }: GroupUpdate): Group {
  const group = findGroup(tx, workspaceId, id);
  if (group === undefined) throw notFound("group");
  const problems: FieldProblems = {};
  const nameProblem = name.trim() === group.name ? null : findRenameProblem(tx, workspaceId, group, name);
  if (nameProblem !== null) problems.name = [nameProblem];
  if (JSON.stringify(filter) !== JSON.stringify(group.filter)) {
    Object.assign(problems, findFilterProblems(tx, workspaceId, group, filter));
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return updateGroup(tx, group, { name, checkedFilter: filter });
}

function findRenameProblem(tx: Tx, workspaceId: number, group: Group, name: string): string | null {
  // A name that differs only in case is still the group's own.
  const isOwn = foldName(name.trim()) === group.folded;
  const problem = isOwn ? null : findNameProblem(tx, workspaceId, name);
  if (problem !== null || isOwn) return problem;
  const search = findDynamicGroup(tx, workspaceId, (filter) =>
    listFilterGroups(tx, workspaceId, filter).some(
      (named) => named.group?.id === group.id && typeof named.name === "string",
    ),
  );
  return search === undefined ? null : `The dynamic group ${search.name} refers to ${group.name} by name.`;
}

function findFilterProblems(tx: Tx, workspaceId: number, group: Group, filter: unknown): FieldProblems {
  if (isDynamic(group) !== (filter !== null)) {
    return {
      filter: [
        isDynamic(group) ? "A dynamic group needs a filter." : "A static group has no filter; create another group.",
      ],
    };
  }
  // The person who confirmed the broadcast saw other recipients than the new filter would find.
  const waiting = listOpen(tx, ["scheduled", "queueing", "running", "paused"]).find(
    ({ groupId, isBuilt }) => groupId === group.id && !isBuilt,
  );
  if (waiting !== undefined) {
    return {
      filter: [`The broadcast ${waiting.name} is scheduled for this group and was confirmed with its current filter.`],
    };
  }
  try {
    readGroupFilter(tx, getWorkspace(tx, workspaceId), filter);
    return {};
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...error.details.fields };
  }
}
