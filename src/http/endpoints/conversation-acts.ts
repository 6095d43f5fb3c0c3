/** What is done to a conversation: who owns its thread, its state, who answers it, and the notes of the staff. */
import { type Static, Type } from "@sinclair/typebox";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { FormComponent, Nullable, OneOf } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { conversationStates } from "#src/domain/contacts/conversation-states.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { listAnswerers } from "#src/domain/inbound/assignee.ts";
import { changeConversation } from "#src/domain/inbound/change-conversation.ts";
import { addNote, findNoteOfForm, listNotes } from "#src/domain/inbound/notes.ts";
import { ConversationView, NoteView } from "#src/domain/inbound/schema.ts";
import { threadActions } from "#src/domain/inbound/thread-actions.ts";
import { viewNote } from "#src/domain/inbound/view-conversation.ts";
import { EMAIL_LENGTH_MAX } from "#src/domain/users/user.ts";
import { getKey } from "#src/domain/workspaces/api-keys.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { setBlocked } from "#src/sending/block-person.ts";
import { controlThread } from "#src/sending/control-thread.ts";
import { answerData } from "../answer.ts";
import { readKey } from "../idempotency.ts";
import { CursorMeta, CursorQuery, cut, idPosition, metaAfter, readAfter, readPerPage } from "../page.ts";
import { change, recordAct, type WorkspaceCall } from "./call.ts";
import { conversationId, requireConversation, viewFor } from "./conversation-access.ts";
import { type CallOf, Data, endpoint, listWith } from "./endpoint.ts";
import { conversationExample, noteExample } from "./examples.ts";
import { unchangedCheck } from "./if-unchanged.ts";

/** As long as a message. */
const NOTE_LENGTH_MAX = 4_096;

const ControlThread = FormComponent("ControlThread", "Who is to have a conversation.", {
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
});

const ChangeConversation = FormComponent("ChangeConversation", "What changes of a conversation.", {
  state: Type.Optional(OneOf(conversationStates, "`snoozed` without `snoozed_until`: until the person writes.")),
  snoozed_until: Type.Optional(
    Nullable(
      Type.String({ examples: ["2026-11-28T09:00:00+05:30"] }),
      "When the snoozed conversation opens, at most a year ahead; null: when the person writes. Without an offset, in the workspace's timezone.",
    ),
  ),
  assignee: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: EMAIL_LENGTH_MAX, examples: ["asha@example.com"] }),
      "Who answers it: the e-mail address of a user of the console; null: no user.",
    ),
  ),
  take: Type.Optional(
    Type.Boolean({
      description: "Whether the conversation is also taken from a colleague who answers it; else that is 409.",
    }),
  ),
});

const AddNote = FormComponent("AddConversationNote", "A note for the staff.", {
  text: Type.String({ minLength: 1, maxLength: NOTE_LENGTH_MAX }),
});

const ofConversation = {
  key: ["inbox"],
  keyOfFirstVersion: [],
  session: "inbox",
  params: { conversation: conversationId },
} as const;
const ofShown = { ...ofConversation, output: Data(ConversationView) } as const;

export const conversationActEndpoints = {
  "PATCH /w/{workspace}/conversations/{conversation}": endpoint({
    ...ofShown,
    body: ChangeConversation,
    reference: {
      operationId: "changeConversation",
      tag: "Conversations",
      summary: "Change a conversation's state, or who answers it",
      description:
        "Members that are omitted stay as they are. Whatever the state, a new message of the person opens the conversation. Each change is an event `conversation.updated`, for addresses that name it.",
      bodies: {
        done: { summary: "Done", value: { state: "done" } },
        snoozed: { summary: "Snoozed until a time", value: { snoozed_until: "2026-11-27T10:00:00+05:30" } },
        unassigned: {
          summary: "Without an assignee, also where a colleague answers it",
          value: { assignee: null, take: true },
        },
      },
      success: "The conversation.",
      example: conversationExample,
      problems: ["not_found", "conversation_assigned"],
    },
  }).change((tx, call) => {
    const { body, workspace, user } = call;
    const before = requireConversation(tx, call);
    if (call.user !== null) requireInSight(tx, call);
    const snoozedUntil = readSnooze(body.snoozed_until, workspace);
    const changes = { state: body.state, snoozedUntil, assignee: body.assignee, take: body.take };
    const after = changeConversation(tx, before, changes, user?.id ?? null);
    const { state, assigneeId } = after;
    const details = { state, ...(assigneeId === null ? {} : { assignee: assigneeId }) };
    const audit = { action: "conversation.change", subject: subjectOf(tx, after), details };
    return { status: 200, data: viewFor(tx, after, workspace), audit: after === before ? null : audit };
  }),
  "GET /w/{workspace}/conversations/{conversation}/assignees": endpoint({
    session: "inbox",
    params: { conversation: conversationId },
    /** The addresses of those who may answer it. */
    output: Data(Type.Array(Type.String())),
  }).load((call) =>
    call.store.read((tx) => listAnswerers(tx, requireConversation(tx, call)).map(({ email }) => email)),
  ),
  "POST /w/{workspace}/conversations/{conversation}/thread": endpoint({
    ...ofShown,
    body: ControlThread,
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
      call.store.read((tx) => viewFor(tx, find(tx), call.workspace)),
    );
  }),
  "POST /w/{workspace}/conversations/{conversation}/block": endpoint({
    ...ofShown,
    reference: {
      operationId: "blockPerson",
      tag: "Conversations",
      summary: "Block the person on the number of a conversation",
      description:
        "WhatsApp then lets the person write no more to this number, and delivers nothing of it to them; they are not told. It blocks only people who wrote within the last 24 hours (else 502 with 131047). WhatsApp is asked once: where it gave no answer, the answer is 502 with `whatsapp_code` `timeout`, `block_state` is `checking`, and WhatsApp's list says within a minute what it is. A person who is blocked already is not blocked again: 200.",
      success: "The conversation.",
      example: { ...conversationExample, block_state: "blocked" },
      problems: ["not_found", "invalid_number", "number_not_ready", "whatsapp_error"],
    },
  }).answer((call) => changeBlock(call, "block")),
  "DELETE /w/{workspace}/conversations/{conversation}/block": endpoint({
    ...ofShown,
    reference: {
      operationId: "unblockPerson",
      tag: "Conversations",
      summary: "Unblock the person on the number of a conversation",
      description:
        "The person can write to the number again. WhatsApp is asked once, as to block. A person who is not blocked is not unblocked: 200.",
      success: "The conversation.",
      example: conversationExample,
      problems: ["not_found", "invalid_number", "number_not_ready", "whatsapp_error"],
    },
  }).answer((call) => changeBlock(call, "unblock")),
  "GET /w/{workspace}/conversations/{conversation}/notes": endpoint({
    ...ofConversation,
    query: CursorQuery,
    output: listWith(NoteView, CursorMeta),
    reference: {
      operationId: "listConversationNotes",
      tag: "Conversations",
      summary: "List the notes of a conversation",
      description: "Returns the notes of the staff and of programs about a conversation, the newest first.",
      success: "One page of notes.",
      meta: { per_page: 50, has_more: false, next: null },
      example: [noteExample],
      problems: ["not_found"],
    },
  }).load((call) => {
    const { store, workspace, query } = call;
    const perPage = readPerPage(query);
    const beforeId = readAfter(query, idPosition) ?? Number.MAX_SAFE_INTEGER;
    return store.read((tx) => {
      const notes = listNotes(tx, requireConversation(tx, call), beforeId, perPage + 1);
      const { shown, next } = cut(notes, perPage, ({ id }) => ({ id }));
      return { data: shown.map((note) => viewNote(note, workspace)), meta: metaAfter(perPage, next) };
    });
  }),
  "POST /w/{workspace}/conversations/{conversation}/notes": endpoint({
    ...ofConversation,
    body: AddNote,
    output: Data(NoteView),
    reference: {
      operationId: "addConversationNote",
      tag: "Conversations",
      summary: "Add a note to a conversation",
      description:
        "A note is for the staff alone: it is never sent, and is in no event. It is deleted when the person is erased.",
      bodies: { note: { summary: "A note", value: { text: "Wants the blue one; call back on Monday." } } },
      keys: { note: "note-for-17" },
      success: "The note.",
      status: 201,
      example: noteExample,
      problems: ["not_found", "idempotency_conflict"],
    },
  }).answer((call) => {
    const { text } = call.body;
    if (SHOWS_NOTHING.test(text)) throw invalidRequest({ text: ["The text is blank."] });
    const formKey = call.user === null ? null : (call.form?.key ?? null);
    const add = (tx: Tx) => {
      const conversation = requireConversation(tx, call);
      // A note may wait in a browser for longer than the answer to its form is kept.
      const repeated = formKey === null ? undefined : findNoteOfForm(tx, call.workspace.id, formKey);
      if (repeated !== undefined) return { status: 201, data: viewNote(repeated, call.workspace), audit: null };
      const author = call.user === null ? getKey(tx, call.workspace.id, call.keyId).name : call.user.email;
      const note = addNote(tx, conversation, { text, userId: call.user?.id ?? null, author, formKey });
      const audit = { action: "conversation.note", subject: subjectOf(tx, conversation), details: { id: note.id } };
      return { status: 201, data: viewNote(note, call.workspace), audit };
    };
    return call.user === null ? change(call, add, readKey(call)) : change(call, add);
  }),
};

async function changeBlock(call: CallOf<typeof ofShown & { reference: never }>, action: "block" | "unblock") {
  const find = (tx: ReadTx) => requireConversation(tx, call);
  await setBlocked(call.dispatch, find, action, (tx) => {
    if (call.user === null) return;
    recordAct(tx, call, { action: `conversation.${action}`, subject: subjectOf(tx, find(tx)), details: {} });
  });
  return answerData(
    200,
    call.store.read((tx) => viewFor(tx, find(tx), call.workspace)),
  );
}

/** What ends a conversation, and what takes it, is done to the conversation that the user had in sight. Throws a `Refusal`. */
function requireInSight(tx: ReadTx, call: WorkspaceCall & { body: Static<typeof ChangeConversation> }): void {
  const { state, snoozed_until: until, take } = call.body;
  const isEnd = (state !== undefined && state !== "open") || until != null;
  if (isEnd) unchangedCheck(call)?.(tx);
  else if (take === true) unchangedCheck(call, ["assignee"])?.(tx);
}

/** Throws `invalid_request`. */
function readSnooze(given: string | null | undefined, { timezone }: Workspace): number | null | undefined {
  if (given == null) return given;
  const at = readInstant(given, timezone);
  if (at === null) throw invalidRequest({ snoozed_until: ["This is not a time in ISO 8601."] });
  return at;
}

/** How the audit log names a conversation. */
function subjectOf(tx: ReadTx, { workspaceId, contactId }: Conversation): string {
  return getContact(tx, workspaceId, contactId).phone ?? String(contactId);
}
