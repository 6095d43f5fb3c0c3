/** The public JSON of a group. */
import { type Static, Type } from "@sinclair/typebox";
import { OneOf } from "#src/core/schema.ts";
import { isDynamic } from "./group.ts";
import type { Group } from "./table.ts";

export const GroupView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ examples: ["Regulars"] }),
    type: OneOf(["static", "dynamic"], "A dynamic group is a saved search: contacts cannot be added to it."),
    count: Type.Integer({ description: "How many contacts it has; of a dynamic group up to a minute old." }),
  },
  { $id: "Group", description: "A list of contacts, or a saved search." },
);

export function viewGroup(group: Group): Static<typeof GroupView> {
  return { id: group.id, name: group.name, type: isDynamic(group) ? "dynamic" : "static", count: group.memberCount };
}
