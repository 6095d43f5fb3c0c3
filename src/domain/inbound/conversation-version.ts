/**
 * What a user had in sight of a person's conversation, as a short text that the console sends back with what the user does. So
 * the server sees what has changed since, in the transaction that does it. What its page sent meanwhile, and names behind the
 * version, is no change; nor are notes and states of the user, and what answers nothing: a broadcast, and what software sends
 * automatically.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import { conversationOn } from "../contacts/conversation-statements.ts";
import { type ConversationState, conversationStates } from "../contacts/conversation-states.ts";
import type { Conversation } from "../contacts/table.ts";
import type { ContactKey } from "../messages/contact-messages.ts";
import { findUser, seesNumber } from "../users/read.ts";
import { findAssignee } from "./assignee.ts";
import { listConversationsWith } from "./conversations.ts";
import { listNotes } from "./notes.ts";
import { type ConversationItem, readConversation, readConversationPlaces } from "./read-conversation.ts";
import type { ConversationNote } from "./table.ts";

/** One of another user, a program or the person. `by`: an address or name; null: the person, or it is not known. */
export type ConversationChange =
  | { kind: "item"; by: string | null; item: ConversationItem }
  | { kind: "note"; by: string; note: ConversationNote }
  | { kind: "state"; by: string | null; state: ConversationState }
  | { kind: "assignee"; by: string | null; assignee: string | null };

/** The user who reads, and the numbers whose conversations the user sees; null: all. */
interface VersionReader {
  user: { id: number; email: string };
  numberIds: readonly number[] | null;
}

interface Version {
  contactId: number;
  /** The number that replies are sent from. */
  numberId: number;
  inboundId: number;
  /** When the newest message was dispatched, and its id. */
  messageAt: number;
  messageId: number;
  echoId: number;
  noteId: number;
  state: ConversationState;
  /** 0: no user. */
  assigneeId: number;
}

/** A version, and the messages that its page has sent since. */
interface Seen extends Version {
  own: readonly number[];
}

/** The newest items that are compared. If all of them are new, that is a change in any case. */
const ITEMS_EXAMINED = 20;
const PATTERN = /^c(\d+)-n(\d+)-i(\d+)-m(\d+)-(\d+)-e(\d+)-n(\d+)-([a-z]+)-a(\d+)$/;

/** `from`: the number that replies are sent from. */
export function readVersion(
  tx: ReadTx,
  contact: ContactKey,
  from: { id: number } | undefined,
  reader: VersionReader,
): string {
  return write(current(tx, contact, from?.id ?? 0, reader));
}

function current(tx: ReadTx, contact: ContactKey, numberId: number, reader: VersionReader): Version {
  const all = listConversationsWith(tx, contact.workspaceId, contact.id, reader.numberIds);
  const shown = conversationIn(tx, contact, numberId);
  const { places } = readConversationPlaces(tx, contact, null, ITEMS_EXAMINED);
  const message = places.find(({ kind }) => kind === "message");
  const echoes = places.filter(({ kind }) => kind === "echo");
  return {
    contactId: contact.id,
    numberId,
    inboundId: Math.max(0, ...all.map(({ lastInboundId }) => lastInboundId)),
    messageAt: message?.at ?? 0,
    messageId: message?.id ?? 0,
    echoId: Math.max(0, ...echoes.map(({ id }) => id)),
    noteId: shown === undefined ? 0 : (listNotes(tx, shown, Number.MAX_SAFE_INTEGER, 1)[0]?.id ?? 0),
    state: shown?.state ?? "open",
    assigneeId: shown?.assigneeId ?? 0,
  };
}

function conversationIn(tx: ReadTx, contact: ContactKey, numberId: number): Conversation | undefined {
  return conversationOn(tx).get({ contactId: contact.id, numberId });
}

function write({ contactId, numberId, inboundId, messageAt, messageId, echoId, noteId, state, assigneeId }: Version) {
  return `c${contactId}-n${numberId}-i${inboundId}-m${messageAt}-${messageId}-e${echoId}-n${noteId}-${state}-a${assigneeId}`;
}

/** `c1-…`, or `c1-… m12 m13` with the messages that the page has sent since. Null: the text is not that. */
export function parseSeen(text: string): Seen | null {
  const [version = "", ...names] = text.split(" ");
  const own = names.map((name) => Number(/^m([1-9]\d{0,14})$/.exec(name)?.[1]));
  const found = own.some(Number.isNaN) ? null : PATTERN.exec(version);
  const state = conversationStates.find((one) => one === found?.[8]);
  if (found === null || state === undefined) return null;
  const at = (index: number): number => Number(found[index]);
  return {
    ...{ contactId: at(1), numberId: at(2), inboundId: at(3), messageAt: at(4), messageId: at(5) },
    ...{ echoId: at(6), noteId: at(7), state, assigneeId: at(9), own },
  };
}

/** What the user has not seen, the newest items first. Also the version that has all of it. */
export function changesSince(
  tx: ReadTx,
  contact: ContactKey,
  seen: Seen,
  reader: VersionReader,
): { changes: ConversationChange[]; version: string } {
  const now = current(tx, contact, seen.numberId, reader);
  const shown = conversationIn(tx, contact, seen.numberId);
  const changes = [...newItems(tx, contact, seen, reader), ...newNotes(tx, shown, seen, reader)];
  return { changes: [...changes, ...newState(tx, shown, seen, reader)], version: write(now) };
}

function newItems(tx: ReadTx, contact: ContactKey, seen: Seen, reader: VersionReader): ConversationChange[] {
  return readConversation(tx, contact, null, ITEMS_EXAMINED)
    .items.filter((item) => isNew(item, seen, reader))
    .map((item) => ({ kind: "item", by: item.kind === "message" ? item.message.senderName : null, item }));
}

function isNew(item: ConversationItem, seen: Seen, { numberIds }: VersionReader): boolean {
  switch (item.kind) {
    case "inbound": {
      const { id, numberId, origin } = item.inbound;
      return id > seen.inboundId && origin !== "history" && seesNumber({ numberIds }, numberId);
    }
    case "echo": {
      const { id, numberId, origin } = item.echo;
      return id > seen.echoId && origin !== "history" && seesNumber({ numberIds }, numberId);
    }
    case "message": {
      const { id, broadcastId, automated, numberId } = item.message;
      if (item.at < seen.messageAt || (item.at === seen.messageAt && id <= seen.messageId)) return false;
      return !seen.own.includes(id) && !automated && broadcastId === null && seesNumber({ numberIds }, numberId);
    }
  }
}

function newNotes(
  tx: ReadTx,
  shown: Conversation | undefined,
  seen: Version,
  { user }: VersionReader,
): ConversationChange[] {
  if (shown === undefined) return [];
  return listNotes(tx, shown, Number.MAX_SAFE_INTEGER, ITEMS_EXAMINED)
    .filter(({ id, userId }) => id > seen.noteId && userId !== user.id)
    .map((note) => ({ kind: "note", by: note.author, note }));
}

/** A conversation that was opened again is not asked about: the message that opened it is, if it is new. */
function newState(
  tx: ReadTx,
  shown: Conversation | undefined,
  seen: Version,
  { user }: VersionReader,
): ConversationChange[] {
  if (shown === undefined || shown.changedById === user.id) return [];
  const by = shown.changedById === null ? null : (findUser(tx, shown.changedById)?.email ?? null);
  const { state, assigneeId } = shown;
  const changes: ConversationChange[] = [];
  if (state !== seen.state && state !== "open") changes.push({ kind: "state", by, state });
  if ((assigneeId ?? 0) !== seen.assigneeId && assigneeId !== user.id)
    changes.push({ kind: "assignee", by, assignee: findAssignee(tx, shown)?.email ?? null });
  return changes;
}
