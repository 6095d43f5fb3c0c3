/** What a request for a conversation shows of it: its end, a page of what is older or newer, or one item and what is around it. */
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { placeAfter, readNewer } from "#src/domain/inbound/read-around.ts";
import {
  type ConversationCursor,
  type ConversationItem,
  readConversation,
  readItem,
} from "#src/domain/inbound/read-conversation.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import { positionWith, readScreen, wrongParameter } from "../page.ts";
import type { WorkspaceCall } from "./call.ts";
import { readItemName } from "./conversation-items.ts";

export const conversationMembers = {
  inboundAt: "number",
  inboundId: "number",
  messageAt: "number",
  messageId: "number",
  echoAt: "number",
  echoId: "number",
} as const;
export const conversationPosition = positionWith(conversationMembers);

interface Shown {
  /** Newest first. */
  items: ConversationItem[];
  next: ConversationCursor | null;
  newer: ConversationCursor | null;
}

/** Reads what a request for a conversation asks for. Throws `invalid_request`, and `not_found` if an item is gone. */
export function pageReader(call: ShownCall): (tx: ReadTx, contact: Contact) => Shown {
  const page = readScreen(call.query, (cursor) => ({
    from: conversationPosition(cursor),
    isNewer: cursor.isNewer === true,
  }));
  const { perPage } = page;
  const around = call.query.get("around");
  if (around !== null) {
    const name = readItemName(around);
    if (name === null) throw wrongParameter("around", "Must be the name of an item, such as i12, m12, e12 or n12.");
    return (tx, contact) => readAround(tx, call, contact, name, Math.ceil(perPage / 2));
  }
  if (!("after" in page)) return (tx, contact) => ({ ...readConversation(tx, contact, null, perPage), newer: null });
  const { from, isNewer } = page.after;
  return isNewer
    ? (tx, contact) => ({ ...readNewer(tx, contact, from, perPage), next: null })
    : (tx, contact) => ({ ...readConversation(tx, contact, from, perPage), newer: null });
}

/** `half`: how many items on each side. */
function readAround(
  tx: ReadTx,
  call: ShownCall,
  contact: Contact,
  { kind, id }: NonNullable<ReturnType<typeof readItemName>>,
  half: number,
): Shown {
  const item = kind === "note" ? null : readItem(tx, contact.workspaceId, { kind, id, at: 0 });
  const place = placeAfter(tx, contact, kind, id);
  if (place === null || (item !== null && !seesItem(call, item))) throw notFound("message");
  const after = readNewer(tx, contact, place, half);
  const { items, next } = readConversation(tx, contact, place, half);
  return { items: [...after.items, ...items], next, newer: after.newer };
}

type ShownCall = Pick<WorkspaceCall, "numberIds"> & {
  query: { get(name: "page" | "per_page" | "after" | "around"): string | null };
};

export function seesItem(access: Pick<WorkspaceCall, "numberIds">, item: ConversationItem): boolean {
  switch (item.kind) {
    case "inbound":
      return seesNumber(access, item.inbound.numberId);
    case "echo":
      return seesNumber(access, item.echo.numberId);
    case "message":
      return seesNumber(access, item.message.numberId);
  }
}
