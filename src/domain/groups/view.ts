/** The public JSON of a group. */
import type { Static } from "@sinclair/typebox";
import { isDynamic } from "./group.ts";
import type { GroupView } from "./schema.ts";
import type { Group } from "./table.ts";

export function viewGroup(group: Group): Static<typeof GroupView> {
  return { id: group.id, name: group.name, type: isDynamic(group) ? "dynamic" : "static", count: group.memberCount };
}
