/** Lists groups, static and dynamic, with their counts. */
import { countsToRefresh, recordCount } from "#src/domain/filters/count.ts";
import { countGroups, type GroupCursor, listGroups } from "#src/domain/groups/read.ts";
import { GroupView } from "#src/domain/groups/schema.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { answerPage, pageParameters, readPage, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";

export const listGroupsEndpoint: Endpoint = {
  method: "GET",
  path: "/groups",
  operationId: "listGroups",
  tag: "Groups",
  summary: "List groups",
  description:
    "Returns all groups of the workspace, sorted by name. The count of a dynamic group can be up to a minute old.",
  parameters: pageParameters,
  success: {
    status: 200,
    description: "One page of groups.",
    data: GroupView,
    isList: true,
    example: [{ id: 3, name: "Regulars", type: "static", count: 128 }],
  },
  problems: [],
  handle: async (call) => {
    const { store, workspace, query } = call;
    const from = readPage(query);
    const position = "after" in from ? { after: readPosition(from.after) } : from;
    const list = () => store.read((tx) => listGroups(tx, workspace.id, position, PER_PAGE + 1));
    await refreshCounts(call, list());
    const total = store.read((tx) => countGroups(tx, workspace.id));
    return answerPage(from, list(), total, viewGroup, ({ folded, id }) => ({ folded, id }));
  },
};

/** Recounts dynamic groups whose count is older than a minute, one after the other, on the reader's thread. */
async function refreshCounts(
  { store, searchReader, workspace }: Call,
  groups: ReturnType<typeof listGroups>,
): Promise<void> {
  const stale = store.read((tx) => countsToRefresh(tx, workspace, groups));
  for (const { groupId, sql, parameters } of stale) {
    const [row] = await searchReader.query(sql, parameters);
    await store.write((tx) => recordCount(tx, groupId, Number(row?.total ?? 0)));
  }
}

function readPosition({ folded, id }: Record<string, unknown>): GroupCursor {
  if (typeof folded !== "string" || typeof id !== "number") throw wrongCursor();
  return { folded, id };
}
