/**
 * The inbox: conversations, the messages in each, and marking them seen. Replies are sent like any other message
 * (`messages.ts`).
 */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import {
  type ConversationPosition,
  countUnread,
  findConversation,
  listConversations,
  markSeen,
  waitingSql,
} from "#src/domain/inbound/conversations.ts";
import type { Conversation } from "#src/domain/inbound/table.ts";
import { WINDOW_MS } from "#src/domain/messages/plan.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { answerPage, answerRows, PER_PAGE, readPage, wrongCursor, wrongParameter } from "../../page.ts";
import { type ConversationCursor, readConversation } from "../queries/conversation.ts";
import { type ConsoleRoute, change, type WorkspaceCall } from "../route.ts";
import { timesOf } from "../view-developer.ts";
import { viewConversationItem } from "../view-messages.ts";

const ITEMS_PER_PAGE = 50;
const UNREAD_COUNT_MAX = 100;
/** How many conversations one request scans for waiting people. */
const CONVERSATIONS_SCANNED = 20_000;
const showFilters = ["unread", "waiting", "open"] as const;

export const inboxRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/conversations",
    needs: "member",
    handle: answerConversations,
  },
  {
    method: "GET",
    path: "/w/{workspace}/conversations/unread",
    needs: "member",
    handle: ({ store, workspace }) =>
      store.read((tx) => answerData(200, { count: countUnread(tx, workspace.id, UNREAD_COUNT_MAX) })),
  },
  {
    method: "GET",
    path: "/w/{workspace}/conversations/{contact}",
    needs: "member",
    handle: (call) => {
      const { store, workspace, query } = call;
      const from = readPage(query);
      const before = "after" in from ? readConversationCursor(from.after) : null;
      return store.read((tx) => {
        const conversation = findConversation(tx, workspace.id, contactIdOf(call));
        if (conversation === undefined) throw notFound("conversation");
        const contact = getContact(tx, workspace.id, conversation.contactId);
        const { items, next } = readConversation(tx, contact.id, before, ITEMS_PER_PAGE);
        const lastInbound = items.find((item) => item.kind === "inbound");
        // Replies come from the number that the person last wrote to.
        const numbers = listNumbers(tx, workspace.id);
        const receivingNumber = numbers.find(
          ({ id }) => lastInbound?.kind === "inbound" && id === lastInbound.inbound.numberId,
        );
        return answerData(200, {
          contact_id: contact.id,
          contact: viewContact(tx, contact, workspace),
          has_phone: contact.phone !== null,
          from: (receivingNumber ?? numbers[0])?.phone ?? null,
          unread: conversation.unread,
          last_inbound_id: conversation.lastInboundId,
          window_ends_at: timesOf(workspace)(windowEnd(contact.lastMessageAt)),
          items: items.map((item) => viewConversationItem(item, workspace)),
          next: next === null ? null : Buffer.from(JSON.stringify(next)).toString("base64url"),
        });
      });
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/conversations/{contact}/seen",
    needs: "member",
    body: Type.Object({ last_inbound_id: Type.Integer() }, { additionalProperties: false }),
    // Reading is not audited, and needs no form key.
    handle: (call) =>
      change({ ...call, form: null }, (tx) => {
        const { workspace, body } = call;
        const contactId = contactIdOf(call);
        if (findConversation(tx, workspace.id, contactId) === undefined) throw notFound("conversation");
        const isSeen = markSeen(tx, workspace.id, contactId, Number(body.last_inbound_id));
        return { status: 200, data: { is_seen: isSeen }, audit: null };
      }),
  },
];

async function answerConversations(call: WorkspaceCall) {
  const { store, workspace, query } = call;
  const from = readPage(query);
  const before = "after" in from ? readListPosition(from.after) : null;
  const show = query.get("show");
  if (show !== null && !showFilters.some((known) => known === show)) {
    throw wrongParameter("show", `Must be one of ${showFilters.join(", ")}.`);
  }
  if (show === "waiting") {
    const { rows, next } = await findWaiting(call, before);
    return store.read((tx) => {
      const data = rows.flatMap(({ contactId }) => {
        const conversation = findConversation(tx, workspace.id, contactId);
        return conversation === undefined ? [] : [viewRow(tx, conversation, workspace)];
      });
      return answerRows(from, data, { total: data.length, hasMore: next !== null, next });
    });
  }
  return store.read((tx) => {
    const wroteAfter = tx.now - WINDOW_MS;
    const filter = { isUnread: show === "unread", ...(show === "open" ? { wroteAfter } : {}) };
    const rows = listConversations(tx, workspace.id, filter, before, PER_PAGE + 1);
    const view = (row: Conversation) => viewRow(tx, row, workspace);
    return answerPage(from, rows, rows.length, view, ({ wroteAt, contactId }) => ({ wroteAt, contactId }));
  });
}

/**
 * A page of waiting conversations, and the cursor of the next: after the last match, or after the last conversation
 * that was scanned.
 */
async function findWaiting({ searchReader, workspace }: WorkspaceCall, before: ConversationPosition | null) {
  const { wroteAt, contactId } = before ?? { wroteAt: Number.MAX_SAFE_INTEGER, contactId: Number.MAX_SAFE_INTEGER };
  const parameters = [workspace.id, wroteAt, wroteAt, contactId, CONVERSATIONS_SCANNED, PER_PAGE + 1];
  const found = await searchReader.query(waitingSql, parameters);
  const positions = found.map((row) => ({
    wroteAt: Number(row.wrote_at),
    contactId: Number(row.contact_id),
    scanned: row.looked === null ? null : Number(row.looked),
  }));
  const waiting = positions.filter(({ scanned }) => scanned === null);
  const lowest = positions.find(({ scanned }) => scanned === CONVERSATIONS_SCANNED);
  const rows = waiting.slice(0, PER_PAGE);
  const nextRow = waiting.length > PER_PAGE ? rows.at(-1) : lowest;
  return { rows, next: nextRow === undefined ? null : { wroteAt: nextRow.wroteAt, contactId: nextRow.contactId } };
}

function viewRow(tx: ReadTx, { contactId, wroteAt, unread }: Conversation, workspace: Workspace) {
  const when = timesOf(workspace);
  const contact = getContact(tx, workspace.id, contactId);
  const [last] = readConversation(tx, contactId, null, 1).items;
  return {
    contact_id: contactId,
    phone: contact.phone,
    name: contact.name,
    consent: contact.consent,
    unread,
    wrote_at: when(wroteAt),
    window_ends_at: when(windowEnd(contact.lastMessageAt)),
    last: last === undefined ? null : viewConversationItem(last, workspace),
  };
}

function contactIdOf({ path }: WorkspaceCall): number {
  return requireId(path.contact, "conversation");
}

/** Null: the person has never written. */
function windowEnd(lastMessageAt: number | null): number | null {
  return lastMessageAt === null ? null : lastMessageAt + WINDOW_MS;
}

function readListPosition({ wroteAt, contactId }: Record<string, unknown>): ConversationPosition {
  if (typeof wroteAt !== "number" || typeof contactId !== "number") throw wrongCursor();
  return { wroteAt, contactId };
}

function readConversationCursor({ inboundId, messageAt, messageId }: Record<string, unknown>): ConversationCursor {
  if (typeof inboundId !== "number" || typeof messageAt !== "number" || typeof messageId !== "number") {
    throw wrongCursor();
  }
  return { inboundId, messageAt, messageId };
}
