/** Conversations for programs: one person on one number each, and who may answer in it. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { type ConversationPosition, findConversation, listConversations } from "#src/domain/inbound/conversations.ts";
import { ConversationView } from "#src/domain/inbound/schema.ts";
import { threadActions } from "#src/domain/inbound/thread-actions.ts";
import { viewConversation } from "#src/domain/inbound/view-conversation.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { controlThread } from "#src/sending/control-thread.ts";
import { answerData } from "../answer.ts";
import { CursorQuery, readCursor, readPerPage, writeCursor } from "../page.ts";
import { Rows } from "../rows.ts";
import { type AnyCallWith, type KeyCall, recordAct, type WorkspaceCall } from "./call.ts";
import { Data, Id, listWith, strict } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { conversationExample } from "./examples.ts";
import { readListPosition, searchConversations } from "./search-conversations.ts";

const ListMeta = Type.Object({
  per_page: Type.Integer(),
  has_more: Type.Boolean({ description: "Whether more conversations follow." }),
  next: Nullable(Type.String({ description: "Cursor of the next page, to be passed as `after`." })),
});

const conversationId = Id("conversation", { examples: [17] });

const ControlThread = Type.Object(
  {
    action: OneOf(
      threadActions,
      "`take`: you answer from now on. `release`: no sender has the conversation, and WhatsApp routes the next message of the person. `pass`: another sender gets it at once.",
    ),
    to: Type.Optional(
      OneOf(
        ["ai_agent"],
        "With `pass`: Meta's Business Agent gets the conversation. Without it, the escalation partner of the number does.",
      ),
    ),
  },
  { $id: "ControlThread", ...strict, description: "Who is to have a conversation." },
);

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
    params: { conversation: conversationId },
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

export const conversationActEndpoints = {
  "POST /w/{workspace}/conversations/{conversation}/thread": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    session: "inbox",
    params: { conversation: conversationId },
    body: ControlThread,
    output: Data(ConversationView),
    reference: {
      operationId: "controlConversationThread",
      tag: "Conversations",
      summary: "Take a conversation over, give it back, or pass it on",
      description:
        "On a number that other senders answer too, only the owner of a conversation may send free messages in it. WhatsApp is asked once, and never again where it gave no answer: then the answer is 502 with `whatsapp_code` `timeout`, and what arrives next shows the owner. Only the escalation partner of the number, chosen in Meta Business Suite, may take a conversation (else 502 with 2494191). A conversation that is yours already is not taken, and one that is not yours is not given away: both answer 200 and ask nothing.",
      bodies: {
        take: { summary: "Take over", value: { action: "take" } },
        release: { summary: "Give back: WhatsApp routes the next message again", value: { action: "release" } },
        pass: { summary: "Pass to Meta's Business Agent", value: { action: "pass", to: "ai_agent" } },
      },
      success: "The conversation with its owner now.",
      example: conversationExample,
      problems: ["not_found", "invalid_number", "number_not_ready", "whatsapp_error"],
    },
  }).answer(async (call) => {
    const { action, to = null } = call.body;
    if (to !== null && action !== "pass") throw invalidRequest({ to: ["Only `pass` names a new owner."] });
    const find = (tx: ReadTx) => requireConversation(tx, call);
    const { user } = call;
    const onStored = (tx: Tx) => {
      if (user === null) return;
      recordAct(tx, call, { action: "conversation.thread", subject: subjectOf(tx, find(tx)), details: { action } });
    };
    await controlThread(call.dispatch, find, { action, targetRole: to }, onStored);
    return answerData(
      200,
      call.store.read((tx) => view(tx, find(tx), call.workspace)),
    );
  }),
};

/** Throws `not_found`, also for one on a number that the user does not see. */
function requireConversation(
  tx: ReadTx,
  call: AnyCallWith<{ conversation: number }> & { numberIds?: WorkspaceCall["numberIds"] },
): Conversation {
  const found = findConversation(tx, call.workspace.id, call.path.conversation);
  if (found === undefined || !seesNumber({ numberIds: call.numberIds ?? null }, found.numberId))
    throw notFound("conversation");
  return found;
}

/** How the audit log names a conversation. */
function subjectOf(tx: ReadTx, { workspaceId, contactId }: Conversation): string {
  return getContact(tx, workspaceId, contactId).phone ?? String(contactId);
}

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
