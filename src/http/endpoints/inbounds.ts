/** One message that a person sent, as its event showed it. */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { Component, FormComponent } from "#src/core/schema.ts";
import { findInbound } from "#src/domain/inbound/read.ts";
import { InboundView } from "#src/domain/inbound/schema.ts";
import { showInbound } from "#src/domain/inbound/view.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import { markRead } from "#src/sending/mark-read.ts";
import { answerData } from "../answer.ts";
import { Data, endpoint, Id } from "./endpoint.ts";
import { inboundExample } from "./examples.ts";

const received = Id("received message", { examples: [311], description: "`message.id` of `message.received`." });

export const inboundEndpoints = {
  "POST /w/{workspace}/inbounds/{id}/read": endpoint({
    key: ["send"],
    keyOfFirstVersion: [],
    session: "inbox",
    params: { id: received },
    body: FormComponent("MarkRead", "How a received message is marked.", {
      typing: Type.Optional(
        Type.Boolean({
          description: "Whether the phone also shows that an answer is being written, for 25 seconds at most.",
        }),
      ),
    }),
    output: Data(
      Component("MarkedRead", "A received message that is marked as read.", {
        id: Type.Integer({ examples: [311] }),
        typing: Type.Boolean(),
      }),
    ),
    reference: {
      operationId: "markInboundRead",
      tag: "Messages",
      summary: "Mark a received message as read",
      description:
        "Shows the person that their message, and everything before it, was read. A repeat changes nothing. The console's own count of unread messages is another thing: it is what the staff have not looked at.",
      bodies: {
        typing: { summary: "Read, and an answer is being written", value: { typing: true } },
        read: { summary: "Read", value: {} },
      },
      success: "The message is marked.",
      example: { id: 311, typing: true },
      problems: ["workspace_suspended", "not_found", "number_not_ready", "whatsapp_error"],
    },
  }).answer(async (call) => {
    const { dispatch, workspace, path, body, store } = call;
    const { typing = false } = body;
    if (call.user !== null) {
      const inbound = store.read((tx) => findInbound(tx, workspace.id, path.id));
      if (inbound === undefined || !seesNumber(call, inbound.numberId)) throw notFound("received message");
      // A browser may not know yet that the receipts are switched off.
      if (workspace.readReceipts === "off") return answerData(200, { id: path.id, typing: false });
    }
    await markRead(dispatch, workspace.id, path.id, typing);
    return answerData(200, { id: path.id, typing });
  }),
  "GET /w/{workspace}/inbounds/{id}": endpoint({
    key: ["read"],
    keyOfFirstVersion: [],
    params: { id: received },
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
  }).load(({ store, workspace, path }) => store.read((tx) => showInbound(tx, workspace, path.id))),
};
