/** The conversation around one item or note, and on from there: what is newer, one page at a time. */
import type { ReadTx } from "#src/db/transaction.ts";
import { type ContactKey, listDispatchedPlacesFrom } from "../messages/contact-messages.ts";
import { findByNetworkId } from "../messages/network-ids.ts";
import { findNote } from "./notes.ts";
import {
  type ConversationCursor,
  type ConversationItem,
  type ConversationPlace,
  newestFirst,
  readItem,
} from "./read-conversation.ts";
import { echoesFrom, inboundsFrom } from "./statements.ts";

/** A page of what is newer than a place. */
interface NewerPage {
  /** Newest first. */
  items: ConversationItem[];
  /** Null: no newer items. */
  newer: ConversationCursor | null;
}

/** The items that come next after a place. */
export function readNewer(tx: ReadTx, contact: ContactKey, from: ConversationCursor, limit: number): NewerPage {
  const start = { contactId: contact.id, limit: limit + 1 };
  const all = newestFirst(
    listDispatchedPlacesFrom(tx, contact, { at: from.messageAt, id: from.messageId }, limit + 1).toReversed(),
    listEchoesOfOthersFrom(tx, contact.id, from, limit + 1).toReversed(),
    inboundsFrom(tx)
      .all({ ...start, at: from.inboundAt, id: from.inboundId })
      .toReversed(),
  );
  const places = all.slice(-limit);
  const items = places.flatMap((place) => readItem(tx, contact.workspaceId, place) ?? []);
  return { items, newer: all.length > places.length ? afterNewest(places, from) : null };
}

/** Behind the newest of each kind. `places`: newest first. */
function afterNewest(places: readonly ConversationPlace[], from: ConversationCursor): ConversationCursor {
  const inbound = places.find(({ kind }) => kind === "inbound");
  const message = places.find(({ kind }) => kind === "message");
  const echo = places.find(({ kind }) => kind === "echo");
  return {
    inboundAt: inbound?.at ?? from.inboundAt,
    inboundId: inbound === undefined ? from.inboundId : inbound.id + 1,
    messageAt: message?.at ?? from.messageAt,
    messageId: message === undefined ? from.messageId : message.id + 1,
    echoAt: echo?.at ?? from.echoAt,
    echoId: echo === undefined ? from.echoId : echo.id + 1,
  };
}

/** The place behind one item or note of a contact; null: the contact has none of this name. */
export function placeAfter(
  tx: ReadTx,
  contact: ContactKey,
  kind: ConversationItem["kind"] | "note",
  id: number,
): ConversationCursor | null {
  const at = timeOf(tx, contact, kind, id);
  if (at === null) return null;
  // Of the same moment, all of the other kinds are before it.
  const all = { at: at + 1, id: 0 };
  const behind = (one: ConversationItem["kind"]) => (one === kind ? { at, id: id + 1 } : all);
  const [inbound, message, echo] = [behind("inbound"), behind("message"), behind("echo")];
  return {
    ...{ inboundAt: inbound.at, inboundId: inbound.id, messageAt: message.at, messageId: message.id },
    ...{ echoAt: echo.at, echoId: echo.id },
  };
}

function timeOf(
  tx: ReadTx,
  { id: contactId, workspaceId }: ContactKey,
  kind: ConversationItem["kind"] | "note",
  id: number,
): number | null {
  if (kind === "note") {
    const note = findNote(tx, workspaceId, id);
    return note?.contactId === contactId ? note.createdAt : null;
  }
  const item = readItem(tx, workspaceId, { kind, id, at: 0 });
  switch (item?.kind) {
    case "inbound":
      return item.inbound.contactId === contactId ? item.inbound.receivedAt : null;
    case "echo":
      return item.echo.contactId === contactId ? item.echo.sentAt : null;
    case "message":
      return item.message.contactId === contactId ? item.at : null;
    default:
      return null;
  }
}

/** The same from a place on, the oldest first. */
function listEchoesOfOthersFrom(tx: ReadTx, contactId: number, start: ConversationCursor, limit: number) {
  const found: { id: number; at: number }[] = [];
  for (let at = start.echoAt, id = start.echoId; ; ) {
    const page = echoesFrom(tx).all({ contactId, at, id, limit });
    found.push(...page.filter((echo) => findByNetworkId(tx, echo.numberId, echo.networkMessageId) === undefined));
    const last = page.at(-1);
    if (last === undefined || page.length < limit || found.length >= limit) return found.slice(0, limit);
    [at, id] = [last.at, last.id + 1];
  }
}
