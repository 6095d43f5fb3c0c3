/**
 * Reads the filter of a dynamic group and checks the groups that it names. A custom field or group may have been
 * removed since the filter was saved. The whole filter is then rejected, because ignoring a condition would match
 * contacts that the filter's author did not mean.
 */
import type { FieldProblems } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listFields } from "../contacts/custom-fields.ts";
import { isDynamic } from "../groups/group.ts";
import { findGroup, findGroupByName } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { conditionsOf, type Filter, readFilter } from "./filter.ts";

export type FilterWorkspace = Pick<Workspace, "id" | "country" | "timezone">;

/** Throws `invalid_request` with the path of each mistake. */
export function readGroupFilter(tx: ReadTx, workspace: Pick<Workspace, "id" | "country">, json: unknown): Filter {
  const filter = readFilter(json, listFields(tx, workspace.id), workspace.country);
  const problems: FieldProblems = {};
  for (const { name, path, group } of listFilterGroups(tx, workspace.id, filter)) {
    if (group === undefined) problems[path] = [`There is no group ${name}.`];
    else if (isDynamic(group)) {
      problems[path] = [
        `${group.name} is a dynamic group; only static groups can be used in a filter. Write its conditions here.`,
      ];
    }
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return filter;
}

/** The groups that a filter names, each with its path in the filter. */
export function listFilterGroups(
  tx: ReadTx,
  workspaceId: number,
  filter: Filter,
): { name: string | number; path: string; group: Group | undefined }[] {
  return conditionsOf(filter).flatMap((condition) => {
    if (condition.kind !== "group" || condition.test.op === "set") return [];
    return condition.test.values.map((name) => ({
      name,
      path: condition.path,
      group: typeof name === "number" ? findGroup(tx, workspaceId, name) : findGroupByName(tx, workspaceId, name),
    }));
  });
}
