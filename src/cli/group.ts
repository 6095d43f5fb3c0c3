/** `waxwing group …`: static groups (lists of contacts) and dynamic groups (filters). */
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { requireNotNeeded } from "#src/domain/broadcasts/blocked.ts";
import { compileCount } from "#src/domain/filters/compile.ts";
import { recordCount } from "#src/domain/filters/count.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { removeGroup } from "#src/domain/filters/remove-group.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { findGroup, listGroups } from "#src/domain/groups/read.ts";
import type { Group } from "#src/domain/groups/table.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { listCommand, writeInBatches } from "./database-command.ts";
import { flag, number, positional, required, text, workspaceOption } from "./option.ts";
import { list } from "./output.ts";

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
    (context, { workspace: workspaceId, name, filter: given }) => {
      const filter = given === undefined ? null : readJson(given);
      return withDatabase(context, "write", async ({ store }) => {
        const created = await store.write((tx) => saveGroup(tx, workspaceId, { name, filter }));
        if (filter === null) return reportOf(created);
        // Counted in this process, so that the server need not do it and the group has a count from the beginning.
        const { sql, parameters } = store.read((tx) => {
          const workspace = getWorkspace(tx, workspaceId);
          const context = { workspaceId, timezone: workspace.timezone, now: tx.now };
          return compileCount(readGroupFilter(tx, workspace, filter), context);
        });
        const row = store.client.prepare(sql).get(...parameters) as { total: number };
        await store.write((tx) => recordCount(tx, created.id, row.total));
        return reportOf({ ...created, memberCount: row.total });
      });
    },
  ),
  listCommand(
    "group list",
    "List groups and their numbers of contacts",
    {},
    {
      rows: (tx, workspaces) => workspaces.flatMap(({ id }) => listGroups(tx, id, { offset: 0 }, EVERY).map(view)),
      columns: ({ workspace_id: workspace, id, name, type, count: contacts }) => ({
        workspace,
        id,
        name,
        type,
        contacts,
      }),
      empty: "There are no groups: waxwing group create --workspace ID --name …",
    },
  ),
  command(
    "group remove",
    "Remove a group; its contacts stay",
    {
      id: positional(number("ID", "The group's id")),
      force: flag("Also if scheduled broadcasts need it: they will fail"),
    },
    (context, { id, force }) =>
      withDatabase(context, "write", async (database) => {
        const owner = database.store.read((tx) => listWorkspaces(tx).find((one) => findGroup(tx, one.id, id)));
        if (owner === undefined) throw notFound("group");
        await writeInBatches(context, database, (tx) => {
          if (!force) requireNotNeeded(tx, owner.id, { groupId: id });
          return removeGroup(tx, owner.id, id);
        });
        return { json: { removed: id }, text: `Removed group ${id}.` };
      }),
  ),
];

const EVERY = Number.MAX_SAFE_INTEGER;

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

function reportOf(one: Group) {
  const shown = view(one);
  const { id, name, type, count: contacts } = shown;
  return { json: shown, text: list({ id, name, type, contacts }) };
}
