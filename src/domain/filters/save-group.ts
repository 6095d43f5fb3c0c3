/** Makes a group: a list, or the saved search of a filter. Everything is judged before anything is written. */
import { type FieldProblems, invalidRequest, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { createGroup, findNameMistake } from "../groups/create.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { readSearch } from "./group-filter.ts";

export interface NewGroup {
  name: string;
  /** JSON as it was written; null makes a list. */
  filter: unknown;
}

/** Throws `invalid_request` (paths `name` and `filter…`), and `not_found` for an unknown workspace. */
export function saveSearch(tx: Tx, workspaceId: number, { name, filter }: NewGroup): Group {
  const workspace = getWorkspace(tx, workspaceId);
  const problems: FieldProblems = {};
  const nameMistake = findNameMistake(tx, workspaceId, name);
  if (nameMistake !== null) problems.name = [nameMistake];
  try {
    if (filter !== null) readSearch(tx, workspace, filter);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    Object.assign(problems, error.details.fields);
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return createGroup(tx, workspaceId, { name, checkedFilter: filter });
}
