/** The tags of a workspace, to choose from. Which of them a contact has, the contact says. */
import { Type } from "@sinclair/typebox";
import { listTagNames } from "#src/domain/contacts/details.ts";
import { Data, endpoint } from "./endpoint.ts";

const SHOWN_MAX = 50;

export const tagEndpoints = {
  "GET /w/{workspace}/tags": endpoint({
    session: "inbox",
    /** The beginning of a name. */
    query: { q: Type.String() },
    /** Names, in alphabetical order, at most 50. */
    output: Data(Type.Array(Type.String())),
  }).read((tx, { workspace, query }) => listTagNames(tx, workspace.id, (query.get("q") ?? "").trim(), SHOWN_MAX)),
};
