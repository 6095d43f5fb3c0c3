/** What the user is writing to a person, on every device. No other user sees it. */
import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Nullable } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { findConversationDraft, saveConversationDraft } from "#src/domain/inbound/drafts.ts";
import { change, Refusal, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { nameToSendTo, requireConversations } from "./inbox.ts";

const CONTENT_BYTES_MAX = 32 * 1024;
const KEY_LENGTH_MAX = 100;
/** As long as a draft is kept. */
const AGE_MS_MAX = 30 * 86_400_000;

const params = { contact: Id("conversation") };

/** What the console makes of it, as far as it is filled in: it is checked when it is sent. */
const Content = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), { maxProperties: 20 });
/** Since the user last changed it: clocks of devices differ. */
const AgeMs = Type.Integer({ minimum: 0, maximum: AGE_MS_MAX });
const Key = Type.String({ minLength: 1, maxLength: KEY_LENGTH_MAX });
/** Empty: one that was sent. */
const StoredKey = Type.String({ maxLength: KEY_LENGTH_MAX });

export const conversationDraftEndpoints = {
  "GET /w/{workspace}/inbox/{contact}/draft": endpoint({
    session: "inbox",
    params,
    /** Null: there is none. `content` null: it was sent or emptied. `key`: the idempotency key of its message. */
    output: Data(Nullable(Type.Object({ content: Nullable(Content), key: Type.String(), age_ms: Type.Integer() }))),
  }).read((tx, call) => {
    requirePerson(tx, call);
    const draft = findConversationDraft(tx, placeOf(call));
    if (draft === undefined) return null;
    const { content, messageKey, changedAt } = draft;
    return { content, key: messageKey, age_ms: Math.max(0, tx.now - changedAt) };
  }),
  // Writing is not audited, and needs no form key: the change that was made last is kept.
  "PUT /w/{workspace}/inbox/{contact}/draft": endpoint({
    session: "inbox",
    params,
    /** `content` null: it is empty. `replaces`: the key of the one that was changed; null: there was none. */
    body: Form({ content: Nullable(Content), key: Key, replaces: Nullable(StoredKey), age_ms: AgeMs }),
    output: Data(Empty),
  }).answer((call) =>
    change({ ...call, form: null }, (tx) => {
      const { content, key: messageKey, replaces, age_ms: ageMs } = call.body;
      requirePerson(tx, call);
      const change = { ...placeOf(call), workspaceId: call.workspace.id, replaces, changedAt: tx.now - ageMs };
      const isStored = saveConversationDraft(tx, { ...change, content: sized(content), messageKey });
      if (!isStored) throw new Refusal(409, "newer_draft", "The draft was changed or sent elsewhere since.");
      return { status: 200, data: {}, audit: null };
    }),
  ),
};

type Call = WorkspaceCallWith<{ contact: number }>;

function placeOf({ path, user }: Call) {
  return { contactId: path.contact, userId: user.id };
}

/** Throws `not_found` for a person whom the user does not see, and for one who was erased. */
function requirePerson(tx: ReadTx, call: Call): void {
  if (call.numberIds !== null) requireConversations(tx, call);
  const contact = findById(tx, call.workspace.id, call.path.contact);
  if (contact === undefined || nameToSendTo(tx, contact) === null) throw notFound("conversation");
}

function sized<Value extends object | null>(content: Value): Value {
  if (Buffer.byteLength(JSON.stringify(content)) <= CONTENT_BYTES_MAX) return content;
  throw invalidRequest({ content: ["A draft has at most 32 KiB."] });
}
