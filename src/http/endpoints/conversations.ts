/** Conversations for programs: one person on one number each, and who may answer in it. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Nullable } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { type ConversationPosition, findConversation, listConversations } from "#src/domain/inbound/conversations.ts";
import { ConversationView } from "#src/domain/inbound/schema.ts";
import { viewConversation } from "#src/domain/inbound/view-conversation.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { CursorQuery, readCursor, readPerPage, writeCursor } from "../page.ts";
import { Rows } from "../rows.ts";
import type { KeyCall } from "./call.ts";
import { Data, Id, listWith } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { conversationExample } from "./examples.ts";
import { readListPosition, searchConversations } from "./search-conversations.ts";

const ListMeta = Type.Object({
  per_page: Type.Integer(),
  has_more: Type.Boolean({ description: "Whether more conversations follow." }),
  next: Nullable(Type.String({ description: "Cursor of the next page, to be passed as `after`." })),
});

export const conversationListEndpoints = {
  "GET /w/{workspace}/conversations": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    query: {
      ...CursorQuery,
      number: Type.String({ description: "Only the conversations on this number of yours, in any common format." }),
    },
    output: listWith(ConversationView, ListMeta),
    reference: {
      operationId: "listConversations",
      tag: "Conversations",
      summary: "List conversations",
      description:
        "Returns the conversations of the workspace, one for each person on each of its numbers, the latest writer first. A page may have fewer entries than asked for although more follow: read on while `meta.next` is not null.",
      success: "One page of conversations.",
      meta: { per_page: 50, has_more: false, next: null },
      example: [conversationExample],
    },
  }).load(async (call) => {
    const { store, workspace, query } = call;
    const perPage = readPerPage(query);
    const after = query.get("after");
    const before = after === null ? null : readListPosition(readCursor(after));
    const { ids, next } = await find(call, query.get("number"), before, perPage);
    const data = Rows.of(ids, (id, tx) => {
      const conversation = findConversation(tx, workspace.id, id);
      return conversation && view(tx, conversation, workspace);
    });
    const meta = { per_page: perPage, has_more: next !== null, next: next === null ? null : writeCursor({ ...next }) };
    return store.read(() => ({ data, meta }));
  }),
  "GET /w/{workspace}/conversations/{conversation}": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    params: { conversation: Id("conversation", { examples: [17] }) },
    output: Data(ConversationView),
    reference: {
      operationId: "getConversationById",
      tag: "Conversations",
      summary: "Get a conversation",
      description: "Returns a conversation with the person, the owner and what was last said.",
      success: "The conversation.",
      example: conversationExample,
      problems: ["not_found"],
    },
  }).load(({ store, workspace, path }) =>
    store.read((tx) => {
      const conversation = findConversation(tx, workspace.id, path.conversation);
      if (conversation === undefined) throw notFound("conversation");
      return view(tx, conversation, workspace);
    }),
  ),
};

interface Found {
  ids: number[];
  next: ConversationPosition | null;
}

async function find(
  call: Pick<KeyCall, "store" | "workspace" | "searchReader" | "clock">,
  number: string | null,
  before: ConversationPosition | null,
  size: number,
): Promise<Found> {
  const { store, workspace } = call;
  if (number !== null) {
    const numberIds = [store.read((tx) => requireNumber(tx, workspace, number))];
    const { rows, next } = await searchConversations({ ...call, numberIds }, null, before, size);
    return { ids: rows.map(({ id }) => id), next };
  }
  const rows = store.read((tx) => listConversations(tx, workspace.id, {}, before, size + 1));
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  return { ids: shown.map(({ id }) => id), next: last === undefined ? null : { wroteAt: last.wroteAt, id: last.id } };
}

/** Throws `invalid_request`. */
function requireNumber(tx: ReadTx, workspace: Workspace, named: string): number {
  const chosen = chooseSender(tx, workspace, named);
  if ("fields" in chosen) throw invalidRequest({ number: chosen.fields.from ?? [] });
  if (chosen.sender === null) throw invalidRequest({ number: ["This workspace has no number yet."] });
  return chosen.sender.id;
}

function view(tx: ReadTx, conversation: Conversation, workspace: Workspace): Static<typeof ConversationView> {
  const number = numberById(tx).get({ id: conversation.numberId });
  if (number === undefined) throw notFound("conversation");
  return viewConversation(tx, conversation, number, workspace);
}
