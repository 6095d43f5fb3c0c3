/** Lists groups, static and dynamic, with their counts. */
import { countGroups, listGroups } from "#src/domain/groups/read.ts";
import { GroupView } from "#src/domain/groups/schema.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import { readGroupCursor } from "../../cursors.ts";
import { answerJson, type Endpoint } from "../../endpoint.ts";
import { refreshCounts } from "../../group-counts.ts";
import { pageOf, pageParameters, readSizedPage } from "../../page.ts";

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
    const from = readSizedPage(query);
    const position = "after" in from ? { after: readGroupCursor(from.after) } : from;
    const list = () => store.read((tx) => listGroups(tx, workspace.id, position, from.perPage + 1));
    await refreshCounts(call, list());
    const total = store.read((tx) => countGroups(tx, workspace.id));
    return answerJson(
      200,
      pageOf(from, list(), total, viewGroup, ({ folded, id }) => ({ folded, id })),
    );
  },
};
