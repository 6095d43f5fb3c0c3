/**
 * Changes what a group is called and, of a saved search, whom it finds. A list stays a list. Everything is judged before
 * anything is written; what a scheduled broadcast was confirmed with stays as it is until that is over.
 */
import { type FieldProblems, invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listFilterGroups, readGroupFilter } from "../filters/group-filter.ts";
import { findDynamicGroup } from "../filters/remove-group.ts";
import { findNameProblem, updateGroup } from "../groups/create.ts";
import { foldName, isDynamic } from "../groups/group.ts";
import { findGroup } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { listOpen } from "./read.ts";

export interface GroupUpdate {
  name: string;
  /** JSON as it was written; null for a list. */
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
  // The same name in other letters is still its own.
  const isOwn = foldName(name.trim()) === group.folded;
  const problem = isOwn ? null : findNameProblem(tx, workspaceId, name);
  if (problem !== null || isOwn) return problem;
  const search = findDynamicGroup(tx, workspaceId, (filter) =>
    listFilterGroups(tx, workspaceId, filter).some(
      (named) => named.group?.id === group.id && typeof named.name === "string",
    ),
  );
  return search === undefined ? null : `The saved search ${search.name} asks for ${group.name} by its name.`;
}

function findFilterProblems(tx: Tx, workspaceId: number, group: Group, filter: unknown): FieldProblems {
  if (isDynamic(group) !== (filter !== null)) {
    return { filter: [isDynamic(group) ? "Say whom the group finds." : "A list has no filter; make another group."] };
  }
  // Whoever confirmed it saw other people than the new filter would find.
  const waiting = listOpen(tx, ["scheduled", "queueing", "running", "paused"]).find(
    ({ groupId, isBuilt }) => groupId === group.id && !isBuilt,
  );
  if (waiting !== undefined) {
    return {
      filter: [`The broadcast ${waiting.name} waits for this group and was confirmed with the filter as it is.`],
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
