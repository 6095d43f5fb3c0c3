/** The inbox: who wrote, what passed between them and us, and what has been seen. Answers go by the API's own sending. */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import type { Reading } from "#src/db/transaction.ts";
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
import { readThread, type ThreadPosition } from "../queries/conversation.ts";
import { type ConsoleRoute, change, type WorkspaceCall } from "../route.ts";
import { timesOf } from "../view-developer.ts";
import { viewThreadItem } from "../view-messages.ts";

const THREAD = 50;
const UNREAD_COUNTED = 100;
/** Who waits is looked for among so many at a time. */
const LOOKED_AT = 20_000;
const shows = ["unread", "waiting", "open"] as const;

export const inboxRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/conversations",
    needs: "member",
    handle: listConversationsShown,
  },
  {
    method: "GET",
    path: "/w/{workspace}/conversations/unread",
    needs: "member",
    handle: ({ store, workspace }) =>
      store.read((reading) => answerData(200, { count: countUnread(reading, workspace.id, UNREAD_COUNTED) })),
  },
  {
    method: "GET",
    path: "/w/{workspace}/conversations/{contact}",
    needs: "member",
    handle: (call) => {
      const { store, workspace, query } = call;
      const from = readPage(query);
      const before = "after" in from ? threadPositionOf(from.after) : null;
      return store.read((reading) => {
        const conversation = findConversation(reading, workspace.id, contactIdOf(call));
        if (conversation === undefined) throw notFound("conversation");
        const contact = getContact(reading, workspace.id, conversation.contactId);
        const { items, next } = readThread(reading, contact.id, before, THREAD);
        const lastInbound = items.find((item) => item.kind === "inbound");
        // The number that they wrote to last is the one that answers.
        const numbers = listNumbers(reading, workspace.id);
        const wroteTo = numbers.find(
          ({ id }) => lastInbound?.kind === "inbound" && id === lastInbound.inbound.numberId,
        );
        return answerData(200, {
          contact_id: contact.id,
          contact: viewContact(reading, contact, workspace),
          has_phone: contact.phone !== null,
          from: (wroteTo ?? numbers[0])?.phone ?? null,
          unread: conversation.unread,
          last_inbound_id: conversation.lastInboundId,
          window_ends_at: timesOf(workspace)(windowEnd(contact.lastMessageAt)),
          items: items.map((item) => viewThreadItem(item, workspace)),
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
    // Looking is no deed: it is not logged, and no form key is kept for it.
    handle: (call) =>
      change({ ...call, form: null }, (tx) => {
        const { workspace, body } = call;
        const contactId = contactIdOf(call);
        if (findConversation(tx, workspace.id, contactId) === undefined) throw notFound("conversation");
        const isSeen = markSeen(tx, workspace.id, contactId, Number(body.last_inbound_id));
        return { status: 200, data: { is_seen: isSeen }, deed: null };
      }),
  },
];

async function listConversationsShown(call: WorkspaceCall) {
  const { store, workspace, query } = call;
  const from = readPage(query);
  const before = "after" in from ? positionOf(from.after) : null;
  const show = query.get("show");
  if (show !== null && !shows.some((known) => known === show)) {
    throw wrongParameter("show", `This is one of ${shows.join(", ")}.`);
  }
  if (show === "waiting") {
    const { rows, next } = await findWaiting(call, before);
    return store.read((reading) => {
      const data = rows.flatMap(({ contactId }) => {
        const conversation = findConversation(reading, workspace.id, contactId);
        return conversation === undefined ? [] : [viewRow(reading, conversation, workspace)];
      });
      return answerRows(from, data, { total: data.length, hasMore: next !== null, next });
    });
  }
  return store.read((reading) => {
    const wroteAfter = reading.now - WINDOW_MS;
    const filter = { isUnread: show === "unread", ...(show === "open" ? { wroteAfter } : {}) };
    const rows = listConversations(reading, workspace.id, filter, before, PER_PAGE + 1);
    const view = (row: Conversation) => viewRow(reading, row, workspace);
    return answerPage(from, rows, rows.length, view, ({ wroteAt, contactId }) => ({ wroteAt, contactId }));
  });
}

/** A page of those who wait, and where it goes on: behind the last of them, or behind the last that was looked at. */
async function findWaiting({ searchReader, workspace }: WorkspaceCall, before: ConversationPosition | null) {
  const { wroteAt, contactId } = before ?? { wroteAt: Number.MAX_SAFE_INTEGER, contactId: Number.MAX_SAFE_INTEGER };
  const parameters = [workspace.id, wroteAt, wroteAt, contactId, LOOKED_AT, PER_PAGE + 1];
  const found = await searchReader.query(waitingSql, parameters);
  const positions = found.map((row) => ({
    wroteAt: Number(row.wrote_at),
    contactId: Number(row.contact_id),
    looked: row.looked === null ? null : Number(row.looked),
  }));
  const waiting = positions.filter(({ looked }) => looked === null);
  const lowest = positions.find(({ looked }) => looked === LOOKED_AT);
  const rows = waiting.slice(0, PER_PAGE);
  const goesOn = waiting.length > PER_PAGE ? rows.at(-1) : lowest;
  return { rows, next: goesOn === undefined ? null : { wroteAt: goesOn.wroteAt, contactId: goesOn.contactId } };
}

function viewRow(reading: Reading, { contactId, wroteAt, unread }: Conversation, workspace: Workspace) {
  const when = timesOf(workspace);
  const contact = getContact(reading, workspace.id, contactId);
  const [last] = readThread(reading, contactId, null, 1).items;
  return {
    contact_id: contactId,
    phone: contact.phone,
    name: contact.name,
    consent: contact.consent,
    unread,
    wrote_at: when(wroteAt),
    window_ends_at: when(windowEnd(contact.lastMessageAt)),
    last: last === undefined ? null : viewThreadItem(last, workspace),
  };
}

function contactIdOf({ path }: WorkspaceCall): number {
  return requireId(path.contact, "conversation");
}

/** Null: they never wrote. */
function windowEnd(lastMessageAt: number | null): number | null {
  return lastMessageAt === null ? null : lastMessageAt + WINDOW_MS;
}

function positionOf({ wroteAt, contactId }: Record<string, unknown>): ConversationPosition {
  if (typeof wroteAt !== "number" || typeof contactId !== "number") throw wrongCursor();
  return { wroteAt, contactId };
}

function threadPositionOf({ inboundId, messageAt, messageId }: Record<string, unknown>): ThreadPosition {
  if (typeof inboundId !== "number" || typeof messageAt !== "number" || typeof messageId !== "number") {
    throw wrongCursor();
  }
  return { inboundId, messageAt, messageId };
}
