/** `waxwing group …`: static groups (lists of contacts) and dynamic groups (filters). */

import { sleep } from "#src/core/clock.ts";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { requireNotNeeded } from "#src/domain/broadcasts/blocked.ts";
import { compileCount } from "#src/domain/filters/compile.ts";
import { recordCount } from "#src/domain/filters/count.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { removeGroup } from "#src/domain/filters/remove-group.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { listGroups } from "#src/domain/groups/read.ts";
import type { Group } from "#src/domain/groups/table.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { flag, number, positional, required, text, workspaceFilter, workspaceOption } from "./option.ts";
import { list, type Report, table } from "./output.ts";
import { workspacesOf } from "./workspace-option.ts";

const GROUPS_PER_READ = 200;
const GAP_MS = 5;

export const commands: readonly Command[] = [
  command(
    "group create",
    {
      summary: "Create a static group, or a dynamic one with --filter",
      details:
        'A filter is JSON: a condition such as {"field": "city", "is": "Pune"}, or {"all": […]}, {"any": […]}, {"not": …}.\n{"field": "birthday", "within_days": 0} matches contacts whose birthday is today.',
    },
    {
      workspace: workspaceOption,
      name: required(text("N", "Name of the group")),
      filter: text("JSON", "Filter of a dynamic group; without it, the group is static"),
    },
    (context, values) => {
      const filter = values.filter === undefined ? null : readJson(values.filter);
      return withDatabase(context, "write", async ({ store }) => {
        const created = await store.write((tx) => saveGroup(tx, values.workspace, { name: values.name, filter }));
        if (filter === null) return reportOf(created);
        // Counted in this process, so that the server need not do it and the group has a count from the beginning.
        const { sql, parameters } = store.read((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: tx.now };
          return compileCount(readGroupFilter(tx, workspace, filter), context);
        });
        const row = store.client.prepare(sql).get(...parameters) as { total: number };
        await store.write((tx) => recordCount(tx, created.id, row.total));
        return reportOf({ ...created, memberCount: row.total });
      });
    },
  ),
  command(
    "group list",
    "List groups and their numbers of contacts",
    {
      workspace: workspaceFilter,
    },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const groups = store.read((tx) => workspacesOf(tx, values.workspace).flatMap(({ id }) => allGroups(tx, id)));
        const rows = groups.map((one) => {
          const { id, name, type, count } = viewGroup(one);
          return [one.workspaceId, id, name, type, count];
        });
        const headings = ["workspace", "id", "name", "type", "contacts"];
        return {
          json: groups.map(view),
          text: table(headings, rows, "There are no groups: waxwing group create --workspace ID --name …"),
        };
      }),
  ),
  command(
    "group remove",
    "Remove a group; its contacts stay",
    {
      id: positional(number("ID", "The group's id")),
      force: flag("Also if scheduled broadcasts need it: they will fail"),
    },
    (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        const workspaceId = store.read((tx) => {
          const owner = workspacesOf(tx, undefined).find(({ id }) =>
            allGroups(tx, id).some((one) => one.id === values.id),
          );
          if (owner === undefined) throw notFound("group");
          return owner.id;
        });
        const remove = (tx: Tx): boolean => {
          if (!values.force) requireNotNeeded(tx, workspaceId, { groupId: values.id });
          return removeGroup(tx, workspaceId, values.id);
        };
        while (!(await store.write(remove))) {
          await sleep(context.io.clock, GAP_MS);
        }
        return { json: { removed: values.id }, text: `Removed group ${values.id}.` };
      }),
  ),
];

function allGroups(tx: ReadTx, workspaceId: number): Group[] {
  const all: Group[] = [];
  for (;;) {
    const page = listGroups(tx, workspaceId, { offset: all.length }, GROUPS_PER_READ);
    all.push(...page);
    if (page.length < GROUPS_PER_READ) return all;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidRequest({ filter: [`The filter is not valid JSON: ${reason}`] });
  }
}

function view(one: Group) {
  return { ...viewGroup(one), workspace_id: one.workspaceId, filter: one.filter };
}

function reportOf(one: Group): Report {
  const { id, name, type, count } = viewGroup(one);
  return { json: view(one), text: list({ id, name, type, contacts: count }) };
}
