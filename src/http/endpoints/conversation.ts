/** The conversation with one contact: what both sides wrote, wherever it was sent. */
import { Type } from "@sinclair/typebox";
import { Nullable } from "#src/core/schema.ts";
import { readConversationPlaces, readItem } from "#src/domain/inbound/read-conversation.ts";
import { ConversationEntry } from "#src/domain/inbound/schema.ts";
import { viewEntry } from "#src/domain/inbound/view-conversation.ts";
import { CursorQuery, metaAfter, readAfter, readPerPage } from "../page.ts";
import { Rows } from "../rows.ts";
import { PhoneParam, requireContact } from "./contact-path.ts";
import { conversationPosition } from "./conversation-page.ts";
import { endpoint, listWith } from "./endpoint.ts";

const ConversationMeta = Type.Object({
  per_page: Type.Integer(),
  has_more: Type.Boolean({ description: "Whether older entries follow." }),
  next: Nullable(Type.String({ description: "Cursor of the older entries, to be passed as `after`." })),
});

export const conversationEndpoints = {
  "GET /w/{workspace}/contacts/{phone}/conversation": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: ["read"],
    params: { phone: PhoneParam },
    query: CursorQuery,
    output: listWith(ConversationEntry, ConversationMeta),
    reference: {
      operationId: "getConversation",
      tag: "Contacts",
      summary: "Get the conversation with a contact",
      description:
        "Returns what the person wrote and what was sent to them, newest first: by the API, in broadcasts, from the console, on the phone that shares the number, and by other senders on the number. Entries of the phone's history were never new: they are in no event. Follow `meta.next` for older entries.",
      success: "One page of the conversation.",
      meta: { per_page: 50, has_more: false, next: null },
      example: [
        {
          direction: "in",
          id: 311,
          origin: "messages",
          sent_by: null,
          type: "text",
          text: "Are you open on Sunday?",
          details: {},
          status: null,
          at: "2026-11-21T08:44:26+05:30",
        },
      ],
      problems: ["not_found"],
    },
  }).load(({ store, workspace, path, query }) => {
    const perPage = readPerPage(query);
    const from = readAfter(query, conversationPosition);
    const { places, next } = store.read((tx) => {
      return readConversationPlaces(tx, requireContact({ workspace, path }, tx), from, perPage);
    });
    const data = Rows.of(places, (place, tx) => {
      const item = readItem(tx, workspace.id, place);
      return item && viewEntry(item, workspace);
    });
    return { data, meta: metaAfter(perPage, next) };
  }),
};
