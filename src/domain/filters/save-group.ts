/** Creates a static group, or a dynamic group with a filter. Everything is validated before anything is written. */
import type { FieldProblems } from "#src/core/fault.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { createGroup, findNameProblem } from "../groups/create.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { readGroupFilter } from "./group-filter.ts";

interface NewGroup {
  name: string;
  /** The filter as the caller wrote it in JSON; null creates a static group. */
  filter: unknown;
}

/** Throws `invalid_request` (paths `name` and `filter…`), and `not_found` for an unknown workspace. */
export function saveGroup(tx: Tx, workspaceId: number, { name, filter }: NewGroup): Group {
  const workspace = getWorkspace(tx, workspaceId);
  const problems: FieldProblems = {};
  const nameProblem = findNameProblem(tx, workspaceId, name);
  if (nameProblem !== null) problems.name = [nameProblem];
  try {
    if (filter !== null) readGroupFilter(tx, workspace, filter);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    Object.assign(problems, error.details.fields);
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return createGroup(tx, workspaceId, { name, checkedFilter: filter });
}
