/**
 * The inbox: conversations, the messages in each, and marking them seen. Replies are sent like any other message
 * (`messages.ts`).
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { ConversationState } from "#src/domain/contacts/conversation-states.ts";
import { clearDoubt } from "#src/domain/contacts/doubt.ts";
import { addressOf, findById, getContact } from "#src/domain/contacts/find.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import type { Contact, Conversation } from "#src/domain/contacts/table.ts";
import { threadOwners } from "#src/domain/contacts/thread-owners.ts";
import { isAgentRole, threadOn } from "#src/domain/contacts/threads.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { WINDOW_MS, windowEnd, windowTimesOf } from "#src/domain/contacts/window.ts";
import { readVersion } from "#src/domain/inbound/conversation-version.ts";
import {
  countInState,
  countUnread,
  findConversation,
  listAssigned,
  listConversations,
  listConversationsWith,
  markSeen,
} from "#src/domain/inbound/conversations.ts";
import { countMentions, listMentioned, markMentionsRead, newestMention } from "#src/domain/inbound/mentions.ts";
import { viewState } from "#src/domain/inbound/view-conversation.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import { inboxTopic } from "#src/domain/workspaces/inbox-topic.ts";
import type { SendRequest } from "#src/sending/send-message.ts";
import { keptAnswer } from "../answer.ts";
import { readKey } from "../idempotency.ts";
import { PageQuery, pageOf, pageOfRows, positionIn, readScreen, writeCursor } from "../page.ts";
import { Rows } from "../rows.ts";
import { sendOnce } from "../send-once.ts";
import { timesOf } from "../times.ts";
import { change, recordAct, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { ConversationItemView, viewConversationItem } from "./conversation-items.ts";
import { pageReader, seesItem } from "./conversation-page.ts";
import { Data, endpoint, Id, ListOf } from "./endpoint.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";
import { ConversationRow, readerOf, State, viewRow } from "./inbox-row.ts";
import { listPosition, searchConversations, type Wanted } from "./search-conversations.ts";
import { senderOf, sentByUser } from "./sender.ts";

const contact = { contact: Id("conversation") };

/** The network allows no more beside its button. */
const ASK_LENGTH_MAX = 1_024;
const UNREAD_COUNT_MAX = 100;

const inboxViews = ["mine", "unassigned", "mentions", "open", "snoozed", "done"] as const;

/** Which conversations a view has: its state, who answers them, and whom they mention. */
function viewOf(view: (typeof inboxViews)[number] | null, userId: number): Omit<Wanted, "show"> {
  switch (view) {
    case null:
      return {};
    case "mentions":
      return { mentionedId: userId };
    case "mine":
      return { state: "open", assignee: userId };
    case "unassigned":
      return { state: "open", assignee: "none" };
    default:
      return { state: view };
  }
}

export const inboxEndpoints = {
  "GET /w/{workspace}/inbox": endpoint({
    session: "inbox",
    query: { ...PageQuery, show: OneOf(["unread", "waiting", "open"]), view: OneOf(inboxViews) },
    output: ListOf(ConversationRow),
  }).load(async (call) => {
    const { store, workspace, query } = call;
    const from = readScreen(query, listPosition);
    const before = positionIn(from);
    const view = query.get("view");
    const show = query.get("show");
    if (view === "mentions" && show === null) {
      return store.read((tx) => {
        const rows = listMentioned(tx, readerOf(call), before, from.perPage + 1);
        const ofRow = (row: Conversation, now: ReadTx) => viewRow(now, row, call);
        return pageOf(from, rows, rows.length, ofRow, ({ wroteAt, id }) => ({ wroteAt, id }));
      });
    }
    const wanted = viewOf(view, call.user.id);
    const { state = null, assignee = "any", mentionedId = null } = wanted;
    // No index has both, or lists who has none.
    const isSearched = state !== null && (show !== null || assignee === "none");
    if (isSearched || show === "waiting" || mentionedId !== null || call.numberIds !== null) {
      const { rows, next } = await searchConversations(call, { ...wanted, show }, before, from.perPage);
      const data = Rows.of(rows, ({ id }, tx) => {
        const conversation = findConversation(tx, workspace.id, id);
        return conversation === undefined ? null : viewRow(tx, conversation, call);
      });
      return pageOfRows(from, data, { total: rows.length, hasMore: next !== null, next });
    }
    return store.read((tx) => {
      const openedAfter = tx.now - WINDOW_MS;
      const filter = {
        isUnread: show === "unread",
        ...(show === "open" ? { openedAfter } : {}),
        ...(state === null ? {} : { state }),
      };
      const rows =
        typeof assignee === "number"
          ? listAssigned(tx, { workspaceId: workspace.id, assigneeId: assignee, state }, before, from.perPage + 1)
          : listConversations(tx, workspace.id, filter, before, from.perPage + 1);
      const ofRow = (row: Conversation, now: ReadTx) => viewRow(now, row, call);
      return pageOf(from, rows, rows.length, ofRow, ({ wroteAt, id }) => ({ wroteAt, id }));
    });
  }),
  "GET /w/{workspace}/inbox/unread": endpoint({
    session: "inbox",
    /** `mentions`: conversations with notes that name the user and are not read. */
    output: Data(Type.Object({ count: Type.Integer(), mentions: Type.Integer() })),
  }).load(async (call) => {
    const { store, workspace, numberIds } = call;
    const mentions = store.read((tx) => countMentions(tx, readerOf(call), UNREAD_COUNT_MAX));
    if (numberIds === null)
      return { count: store.read((tx) => countUnread(tx, workspace.id, UNREAD_COUNT_MAX)), mentions };
    const { rows } = await searchConversations(call, { show: "unread" }, null, UNREAD_COUNT_MAX);
    return { count: rows.length, mentions };
  }),
  "GET /w/{workspace}/inbox/views": endpoint({
    session: "inbox",
    /** How many conversations each has, up to 100; null: they are not counted for a user who sees some numbers. */
    output: Data(Nullable(Type.Object({ mine: Type.Integer(), open: Type.Integer(), snoozed: Type.Integer() }))),
  }).load(({ store, workspace, numberIds, user }) =>
    store.read((tx) => {
      if (numberIds !== null) return null;
      const count = (state: ConversationState, of?: number) => countInState(tx, workspace.id, state, of);
      return { mine: count("open", user.id), open: count("open"), snoozed: count("snoozed") };
    }),
  ),
  "GET /w/{workspace}/inbox/{contact}": endpoint({
    session: "inbox",
    params: contact,
    query: {
      ...PageQuery,
      /** The name of an item, or of a note: the page that it stands in the middle of. */
      around: Type.String(),
    },
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
        /** On that number; null: there is none. */
        conversation: Nullable(Type.Object({ id: Type.Integer(), ...State })),
        /** On that number; null: no other sender is on it, or there is none. */
        thread: Nullable(
          Type.Object({
            owner: OneOf(threadOwners),
            role: OptionalText,
            since: Instant(),
            /** A message takes the thread from its owner, by the network's rule. */
            is_taken_by_message: Type.Boolean(),
          }),
        ),
        /** Of all of it, for `If-Match` of what the user does next. */
        version: Type.String(),
        unread: Type.Integer(),
        last_inbound_id: Type.Integer(),
        /** The newest note that names the user and is not read. */
        last_mention_id: Nullable(Type.Integer()),
        window_ends_at: OptionalTime,
        /** Newest first. */
        items: Type.Array(ConversationItemView),
        next: OptionalText,
        /** Cursor, for `after`, of a page around an item and of those behind it; null: nothing is newer. */
        newer: OptionalText,
      }),
    ),
  }).load((call) => {
    const { store, turns, workspace } = call;
    const readPage = pageReader(call);
    const read = (tx: ReadTx) => {
      // Who sees all numbers may write first. Who is limited to numbers sees conversations on those alone.
      const conversations =
        call.numberIds === null
          ? listConversationsWith(tx, workspace.id, call.path.contact, null)
          : requireConversations(tx, call);
      const contact = findById(tx, workspace.id, call.path.contact);
      if (contact === undefined) throw notFound("conversation");
      const { items, next, newer } = readPage(tx, contact);
      const lastInbound = items.find((item) => item.kind === "inbound");
      // Replies come from the number that the person last wrote to.
      const numbers = listNumbers(tx, workspace.id).filter(({ id }) => seesNumber(call, id));
      const receivingNumber = numbers.find(
        ({ id }) => lastInbound?.kind === "inbound" && id === lastInbound.inbound.numberId,
      );
      const from = receivingNumber ?? numbers[0];
      const current = conversations.find(({ numberId }) => numberId === from?.id);
      return {
        contact_id: contact.id,
        contact: viewContact(tx, contact, workspace),
        to: nameToSendTo(tx, contact),
        has_phone: addressOf(tx, contact).phone !== null,
        from: from?.phone ?? null,
        conversation: current === undefined ? null : { id: current.id, ...viewState(tx, current, workspace) },
        thread: from === undefined || current === undefined ? null : viewThread(current, from, call, tx.now),
        version: readVersion(tx, contact, from, call),
        unread: sumOf(conversations, ({ unread }) => unread),
        last_inbound_id: Math.max(0, ...conversations.map(({ lastInboundId }) => lastInboundId)),
        last_mention_id: newestMention(tx, readerOf(call), contact.id),
        window_ends_at: timesOf(workspace)(windowEnd(windowTimesOf(tx, contact))),
        items: items.filter((item) => seesItem(call, item)).map((item) => viewConversationItem(item, workspace)),
        next: next === null ? null : writeCursor(next),
        newer: newer === null ? null : writeCursor({ ...newer, isNewer: true }),
      };
    };
    return turns.take(workspace.id, () => store.read(read));
  }),
  /** Sends the network's own button, by which the person shares their phone number. */
  "POST /w/{workspace}/inbox/{contact}/ask-for-number": endpoint({
    session: "inbox",
    params: contact,
    body: Form({ text: Type.String({ minLength: 1, maxLength: ASK_LENGTH_MAX }), from: Type.Optional(Type.String()) }),
    output: Data(MessageView),
  }).answer(async (call) => {
    const { store, workspace, path, body } = call;
    const to = store.read((tx) => {
      requireConversations(tx, call);
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
    const request = {
      workspaceId: workspace.id,
      origin: "console",
      sentBy: sentByUser(call.user),
      input,
      onStored,
    } as const;
    const sent = await sendOnce(call, request, readKey(call));
    return keptAnswer<{ data: Static<typeof MessageView> }>(sent);
  }),
  "POST /w/{workspace}/inbox/{contact}/keep": endpoint({
    session: "inbox",
    params: contact,
    output: Data(ContactView),
  }).change((tx, call) => {
    const { workspace, path } = call;
    requireConversations(tx, call);
    const contact = clearDoubt(tx, workspace, getContact(tx, workspace.id, path.contact));
    const audit = { action: "contact.keep", subject: contact.phone ?? String(contact.id) };
    return { status: 200, data: viewContact(tx, contact, workspace), audit };
  }),
  // Reading is not audited, and needs no form key.
  "POST /w/{workspace}/inbox/{contact}/seen": endpoint({
    session: "inbox",
    params: contact,
    body: Form({ last_inbound_id: Type.Integer(), last_mention_id: Type.Optional(Type.Integer()) }),
    output: Data(Type.Object({ is_seen: Type.Boolean() })),
  }).answer((call) =>
    change({ ...call, form: null }, (tx) => {
      const { body } = call;
      // Read is read for all: what came to a number that the user does not see stays unread.
      const ids = requireConversations(tx, call).map(({ id }) => id);
      const isSeen = markSeen(tx, ids, body.last_inbound_id);
      if (isSeen) tx.notify(inboxTopic(call.workspace.id));
      const isRead = markMentionsRead(tx, readerOf(call), call.path.contact, body.last_mention_id ?? 0);
      return { status: 200, data: { is_seen: isSeen || isRead }, audit: null };
    }),
  ),
};

/** With one person, on the numbers that the user sees. Throws `not_found` if there is none. */
export function requireConversations(tx: ReadTx, call: WorkspaceCallWith<{ contact: number }>): Conversation[] {
  const found = listConversationsWith(tx, call.workspace.id, call.path.contact, call.numberIds);
  if (found.length === 0) throw notFound("conversation");
  return found;
}

function viewThread(conversation: Conversation, number: SendingNumber, { workspace }: WorkspaceCall, now: number) {
  if (number.sharedSince === null) return null;
  const { owner, role, since } = threadOn(conversation, number, now);
  return {
    owner,
    role,
    since: timesOf(workspace)(since),
    is_taken_by_message: isAgentRole(role),
  };
}

function sumOf<T>(rows: readonly T[], figure: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + figure(row), 0);
}

/** A name that leads to this contact; if it has none left, one of the linked contact that took it. */
export function nameToSendTo(tx: ReadTx, contact: Contact): string | null {
  return contact.phone ?? contact.networkUserId ?? addressOf(tx, contact).phone;
}
