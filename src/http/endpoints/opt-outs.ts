/** Lists the people who are opted out, for syncing. */
import { Type } from "@sinclair/typebox";
import { findById } from "#src/domain/contacts/find.ts";
import { listOptOuts } from "#src/domain/contacts/list.ts";
import { viewOptOut } from "#src/domain/contacts/opt-out.ts";
import { OptOutView } from "#src/domain/contacts/schema.ts";
import { countListed, IdentityQuery, readIdentity } from "../listed-identity.ts";
import { PageQuery, pageOf, readPage, readSince, timePosition } from "../page.ts";
import { endpoint, ListOf } from "./endpoint.ts";

export const optOutEndpoints = {
  "GET /w/{workspace}/opt-outs": endpoint({
    key: ["read", "contacts"],
    query: {
      since: Type.String({
        format: "date-time",
        examples: ["2026-11-20T00:00:00+05:30"],
        description: "Return only opt-outs that were recorded at or after this time.",
      }),
      ...IdentityQuery,
      ...PageQuery,
    },
    output: ListOf(OptOutView),
    reference: {
      operationId: "listOptOuts",
      tag: "Contacts",
      summary: "List opt-outs",
      description:
        "Returns everyone who is currently opted out, in the order in which the opt-outs were recorded. To sync opt-outs, set `since` and follow `meta.next` until it is null.",
      success: "One page of opt-outs.",
      example: [{ phone: "+442079460210", opted_out_at: "2026-11-20T18:04:10+05:30", source: "inbound_message" }],
    },
  }).load(async ({ store, reader, workspace, query }) => {
    const since = readSince(query, "since", workspace.timezone);
    const from = readPage(query, timePosition);
    await store.waitForOtherWriters();
    const listed = { workspaceId: workspace.id, identity: readIdentity(query) };
    const total = await countListed({ store, reader }, listed, "optOuts", since);
    return store.read((tx) =>
      pageOf(
        from,
        listOptOuts(tx, listed, since, from, from.perPage + 1),
        total,
        ({ id }, now) => {
          const contact = findById(now, workspace.id, id);
          // Who returned in the meantime is no longer opted out.
          return contact?.consent === "opted_out" ? viewOptOut(contact, workspace, listed.identity) : null;
        },
        ({ at, id }) => ({ at, id }),
      ),
    );
  }),
};
