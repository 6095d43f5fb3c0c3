/**
 * The inbox: conversations, the messages in each, and marking them seen. Replies are sent like any other message
 * (`messages.ts`).
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { clearDoubt } from "#src/domain/contacts/doubt.ts";
import { addressOf, getContact } from "#src/domain/contacts/find.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf, viewContact } from "#src/domain/contacts/view.ts";
import { WINDOW_MS, windowEnd, windowTimesOf } from "#src/domain/contacts/window.ts";
import {
  type ConversationPosition,
  countUnread,
  findConversation,
  hasUnreadElsewhere,
  isConversationOn,
  listConversations,
  markSeen,
  onNumbersSql,
  waitingSql,
} from "#src/domain/inbound/conversations.ts";
import { type ConversationItem, readConversation, readLastWord } from "#src/domain/inbound/read-conversation.ts";
import type { Conversation } from "#src/domain/inbound/table.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import type { SendRequest } from "#src/sending/send-message.ts";
import { keptAnswer } from "../answer.ts";
import { readKey } from "../idempotency.ts";
import { PageQuery, pageOf, pageOfRows, readConversationCursor, readScreen, wrongCursor } from "../page.ts";
import { Rows } from "../rows.ts";
import { sendOnce } from "../send-once.ts";
import { timesOf } from "../times.ts";
import { change, recordAct, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { ConversationItemView, viewConversationItem } from "./conversation-items.ts";
import { Data, Id, ListOf, strict } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";
import { senderOf } from "./sender.ts";

const contact = { contact: Id("conversation") };

const ConversationRow = Type.Object({
  contact_id: Type.Integer(),
  phone: OptionalText,
  username: OptionalText,
  user_id: OptionalText,
  name: OptionalText,
  consent: OneOf(consents),
  may_want_to_stop: Type.Boolean(),
  unread: Type.Integer(),
  wrote_at: Instant(),
  window_ends_at: OptionalTime,
  last: Nullable(ConversationItemView),
});

/** The network allows no more beside its button. */
const ASK_LENGTH_MAX = 1_024;
const UNREAD_COUNT_MAX = 100;
/** Among how many items the last one is found that a limited user sees. */
const ITEMS_EXAMINED = 20;

/** How many conversations one request scans for waiting people. */
const CONVERSATIONS_SCANNED = 20_000;

export const inboxEndpoints = {
  "GET /w/{workspace}/conversations": endpoint({
    session: "inbox",
    query: { ...PageQuery, show: OneOf(["unread", "waiting", "open"]) },
    output: ListOf(ConversationRow),
  }).load(async (call) => {
    const { store, workspace, query } = call;
    const from = readScreen(query);
    const before = "after" in from ? readListPosition(from.after) : null;
    const show = query.get("show");
    if (show === "waiting" || call.numberIds !== null) {
      const { rows, next } = await searchConversations(call, show, before, from.perPage);
      const data = Rows.of(rows, ({ contactId }, tx) => {
        const conversation = findConversation(tx, workspace.id, contactId);
        return conversation === undefined ? null : viewRow(tx, conversation, call);
      });
      return pageOfRows(from, data, { total: rows.length, hasMore: next !== null, next });
    }
    return store.read((tx) => {
      const openedAfter = tx.now - WINDOW_MS;
      const filter = { isUnread: show === "unread", ...(show === "open" ? { openedAfter } : {}) };
      const rows = listConversations(tx, workspace.id, filter, before, from.perPage + 1);
      const view = (row: Conversation, now: ReadTx) => viewRow(now, row, call);
      return pageOf(from, rows, rows.length, view, ({ wroteAt, contactId }) => ({ wroteAt, contactId }));
    });
  }),
  "GET /w/{workspace}/conversations/unread": endpoint({
    session: "inbox",
    output: Data(Type.Object({ count: Type.Integer() })),
  }).load(async (call) => {
    const { store, workspace, numberIds } = call;
    if (numberIds === null) return { count: store.read((tx) => countUnread(tx, workspace.id, UNREAD_COUNT_MAX)) };
    return { count: (await searchConversations(call, "unread", null, UNREAD_COUNT_MAX)).rows.length };
  }),
  "GET /w/{workspace}/conversations/{contact}": endpoint({
    session: "inbox",
    params: contact,
    query: PageQuery,
    output: Data(
      Type.Object({
        contact_id: Type.Integer(),
        contact: ContactView,
        /** The phone number or user id to send to; null: the person was erased. */
        to: OptionalText,
        /** The phone number is not known: it can be asked for. */
        has_phone: Type.Boolean(),
        /** The number that replies are sent from. */
        from: OptionalText,
        unread: Type.Integer(),
        last_inbound_id: Type.Integer(),
        window_ends_at: OptionalTime,
        /** Newest first. */
        items: Type.Array(ConversationItemView),
        next: OptionalText,
      }),
    ),
  }).load((call) => {
    const { store, turns, workspace, query } = call;
    const from = readScreen(query);
    const before = "after" in from ? readConversationCursor(from.after) : null;
    const read = (tx: ReadTx) => {
      const conversation = requireConversation(tx, call);
      const contact = getContact(tx, workspace.id, conversation.contactId);
      const { items, next } = readConversation(tx, contact, before, from.perPage);
      const lastInbound = items.find((item) => item.kind === "inbound");
      // Replies come from the number that the person last wrote to.
      const numbers = listNumbers(tx, workspace.id).filter(({ id }) => seesNumber(call, id));
      const receivingNumber = numbers.find(
        ({ id }) => lastInbound?.kind === "inbound" && id === lastInbound.inbound.numberId,
      );
      return {
        contact_id: contact.id,
        contact: viewContact(tx, contact, workspace),
        to: nameToSendTo(tx, contact),
        has_phone: addressOf(tx, contact).phone !== null,
        from: (receivingNumber ?? numbers[0])?.phone ?? null,
        unread: conversation.unread,
        last_inbound_id: conversation.lastInboundId,
        window_ends_at: timesOf(workspace)(windowEnd(windowTimesOf(tx, contact))),
        items: items.filter((item) => seesItem(call, item)).map((item) => viewConversationItem(item, workspace)),
        next: next === null ? null : Buffer.from(JSON.stringify(next)).toString("base64url"),
      };
    };
    return turns.take(workspace.id, () => store.read(read));
  }),
  /** Sends the network's own button, by which the person shares their phone number. */
  "POST /w/{workspace}/conversations/{contact}/ask-for-number": endpoint({
    session: "inbox",
    params: contact,
    body: Type.Object(
      { text: Type.String({ minLength: 1, maxLength: ASK_LENGTH_MAX }), from: Type.Optional(Type.String()) },
      strict,
    ),
    output: Data(MessageView),
  }).answer(async (call) => {
    const { store, workspace, path, body } = call;
    const to = store.read((tx) => {
      requireConversation(tx, call);
      return nameToSendTo(tx, getContact(tx, workspace.id, path.contact));
    });
    if (to === null) throw notFound("contact");
    if (SHOWS_NOTHING.test(body.text)) throw invalidRequest({ text: ["The text is blank."] });
    const content = { type: "contact_request" as const, body: body.text };
    const onStored: SendRequest["onStored"] = (tx, { id }) => {
      recordAct(tx, call, { action: "message.send", subject: to, details: { id, asks: "number" } });
    };
    const from = store.read((tx) => senderOf(tx, call, body.from ?? null));
    const input = { to, from, reference: null, content };
    const sent = await sendOnce(call, { workspaceId: workspace.id, origin: "console", input, onStored }, readKey(call));
    return keptAnswer<{ data: Static<typeof MessageView> }>(sent);
  }),
  "POST /w/{workspace}/conversations/{contact}/keep": endpoint({
    session: "inbox",
    params: contact,
    output: Data(ContactView),
  }).change((tx, call) => {
    const { workspace, path } = call;
    requireConversation(tx, call);
    const contact = clearDoubt(tx, workspace, getContact(tx, workspace.id, path.contact));
    const audit = { action: "contact.keep", subject: contact.phone ?? String(contact.id) };
    return { status: 200, data: viewContact(tx, contact, workspace), audit };
  }),
  // Reading is not audited, and needs no form key.
  "POST /w/{workspace}/conversations/{contact}/seen": endpoint({
    session: "inbox",
    params: contact,
    body: Type.Object({ last_inbound_id: Type.Integer() }, strict),
    output: Data(Type.Object({ is_seen: Type.Boolean() })),
  }).answer((call) =>
    change({ ...call, form: null }, (tx) => {
      const { workspace, body } = call;
      const contactId = call.path.contact;
      const conversation = requireConversation(tx, call);
      // Read is read for all: what came to a number that the user does not see stays unread.
      const isElsewhere = call.numberIds !== null && hasUnreadElsewhere(tx, conversation, call.numberIds);
      const isSeen = !isElsewhere && markSeen(tx, workspace.id, contactId, body.last_inbound_id);
      return { status: 200, data: { is_seen: isSeen }, audit: null };
    }),
  ),
};

/** Throws `not_found` also for a conversation on numbers that the user does not see. */
function requireConversation(tx: ReadTx, call: WorkspaceCallWith<{ contact: number }>): Conversation {
  const { workspace, path, numberIds } = call;
  const found = findConversation(tx, workspace.id, path.contact);
  const isSeen = found !== undefined && (numberIds === null || isConversationOn(tx, found.contactId, numberIds));
  if (!isSeen) throw notFound("conversation");
  return found;
}

function seesItem(access: Pick<WorkspaceCall, "numberIds">, item: ConversationItem): boolean {
  switch (item.kind) {
    case "inbound":
      return seesNumber(access, item.inbound.numberId);
    case "echo":
      return seesNumber(access, item.echo.numberId);
    case "message":
      return seesNumber(access, item.message.numberId);
  }
}

/**
 * A page of conversations that wait, or that a limited user sees, and the cursor of the next: after the last match, or
 * after the last conversation that was scanned.
 */
async function searchConversations(
  { searchReader, workspace, numberIds, clock }: WorkspaceCall,
  show: string | null,
  before: ConversationPosition | null,
  size: number,
) {
  const { wroteAt, contactId } = before ?? { wroteAt: Number.MAX_SAFE_INTEGER, contactId: Number.MAX_SAFE_INTEGER };
  const numbers = numberIds === null ? null : JSON.stringify(numberIds);
  const position = [workspace.id, wroteAt, wroteAt, contactId, CONVERSATIONS_SCANNED];
  const openedAfter = show === "open" ? clock.now() - WINDOW_MS + 1 : 0;
  const found =
    show === "waiting"
      ? await searchReader.query(waitingSql, [workspace.id, ...position, numbers, numbers, size + 1])
      : await searchReader.query(onNumbersSql, [
          ...position,
          show === "unread" ? 1 : 0,
          openedAfter,
          numbers,
          size + 1,
        ]);
  const positions = found.map((row) => ({
    wroteAt: Number(row.wrote_at),
    contactId: Number(row.contact_id),
    scanned: row.looked === null ? null : Number(row.looked),
  }));
  const waiting = positions.filter(({ scanned }) => scanned === null);
  const lowest = positions.find(({ scanned }) => scanned === CONVERSATIONS_SCANNED);
  const rows = waiting.slice(0, size);
  const nextRow = waiting.length > size ? rows.at(-1) : lowest;
  return { rows, next: nextRow === undefined ? null : { wroteAt: nextRow.wroteAt, contactId: nextRow.contactId } };
}

function viewRow(
  tx: ReadTx,
  { contactId, wroteAt, unread }: Conversation,
  call: WorkspaceCall,
): Static<typeof ConversationRow> {
  const { workspace, numberIds } = call;
  const when = timesOf(workspace);
  const contact = getContact(tx, workspace.id, contactId);
  const last = readLastWord(tx, contact, (id) => seesNumber(call, id), numberIds === null ? 1 : ITEMS_EXAMINED);
  return {
    contact_id: contactId,
    phone: contact.phone,
    username: contact.username,
    user_id: contact.networkUserId,
    name: displayNameOf(contact),
    consent: contact.consent,
    may_want_to_stop: contact.mayWantToStopSince !== null,
    unread,
    wrote_at: when(wroteAt),
    window_ends_at: when(windowEnd(windowTimesOf(tx, contact))),
    last: last === null ? null : viewConversationItem(last, workspace),
  };
}

/** A name that leads to this contact; if it has none left, one of the linked contact that took it. */
function nameToSendTo(tx: ReadTx, contact: Contact): string | null {
  return contact.phone ?? contact.networkUserId ?? addressOf(tx, contact).phone;
}

function readListPosition({ wroteAt, contactId }: Record<string, unknown>): ConversationPosition {
  if (typeof wroteAt !== "number" || typeof contactId !== "number") throw wrongCursor();
  return { wroteAt, contactId };
}
