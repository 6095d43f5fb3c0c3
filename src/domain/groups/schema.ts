/** The schema of a group's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { OneOf } from "#src/core/schema.ts";

export const GroupView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ examples: ["Regulars"] }),
    type: OneOf(
      ["static", "dynamic"],
      "A dynamic group contains every contact that matches its filter: contacts cannot be added to it.",
    ),
    count: Type.Integer({
      description: "Number of contacts in the group. For a dynamic group, the count can be up to a minute old.",
    }),
  },
  { $id: "Group", description: "A static or dynamic group of contacts." },
);
