/** One message that a person sent, as its event showed it. */
import { notFound } from "#src/core/problem.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { findInbound } from "#src/domain/inbound/read.ts";
import { InboundView } from "#src/domain/inbound/schema.ts";
import { viewInbound } from "#src/domain/inbound/view.ts";
import { findMediaOfInbound } from "#src/domain/media/read.ts";
import { ERASED } from "#src/domain/messages/message.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import { Data, Id } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { inboundExample } from "./examples.ts";

export const inboundEndpoints = {
  "GET /w/{workspace}/inbounds/{id}": endpoint({
    key: ["read"],
    keyOfFirstVersion: [],
    params: { id: Id("received message", { examples: [311], description: "`message.id` of `message.received`." }) },
    output: Data(InboundView),
    reference: {
      operationId: "getInbound",
      tag: "Messages",
      summary: "Get a received message",
      description:
        "Returns a message that a person sent, as `message.received` shows it, with the present state of its file. Its id is a number of its own: `GET /messages/{id}` knows only what was sent. After the person was erased, it returns 404.",
      success: "The message.",
      example: inboundExample,
      problems: ["not_found"],
    },
  }).load(({ store, workspace, path }) =>
    store.read((tx) => {
      const inbound = findInbound(tx, workspace.id, path.id);
      const number = inbound === undefined ? undefined : numberById(tx).get({ id: inbound.numberId });
      if (inbound === undefined || number === undefined || inbound.text === ERASED) throw notFound("received message");
      const contact = getContact(tx, workspace.id, inbound.contactId);
      return viewInbound(inbound, contact, number, workspace, findMediaOfInbound(tx, inbound.id) ?? null);
    }),
  ),
};
