/**
 * Finds the messages of a person. Recipients of broadcasts have an index of SQLite's. Single messages move to
 * `contact_messages` later: see `batch-index.ts`. Until then they are the end of the index of a workspace's single messages,
 * which has their contacts too. `contact_messages_until` says up to which message all have an entry.
 */
import { oncePerConnection, type ReadTx, type Tx } from "#src/db/transaction.ts";
import type { Contact } from "../contacts/table.ts";
import type { BatchIndex, BatchMove } from "./batch-index.ts";
import {
  countUnindexed,
  dispatchedBefore,
  dispatchedFrom,
  everyContact,
  indexContacts,
  indexEntry,
  indexWorkspace,
  lastIndexedDispatch,
  lastMessageId,
  lastSent,
  lastTemplate,
  lastUnindexedDispatch,
  listedOfContact,
  ofStaffToContact,
  removeEntry,
  setIndexedUntil,
  textsOfContact,
  unindexedContacts,
} from "./contact-message-statements.ts";
import type { ShownStatus } from "./message.ts";
import { messageById } from "./statements.ts";
import type { Message } from "./table.ts";

/** How many messages move in one step; more do only if they have one contact. */
const STEP = 1_024;

/** Messages that move together. */
export interface ContactMove extends BatchMove {
  /** All single messages up to this one. */
  until: number;
  /** Contacts at which a step ends and the next begins. */
  borders: number[];
}

/** What the server's connection has in memory of the messages that are not in the index. Commands do not live long. */
class Unindexed {
  /** The last of each contact's. May name too many contacts, never too few: null while that is not known. */
  last: Map<number, number> | null = null;
  /** A message with this id, or a later one, may complete a batch. */
  dueAt = 0;
  onDue: (() => void) | null = null;
}

const unindexed = oncePerConnection(() => new Unindexed());

/** Call it with each new single message. */
export function noteAccepted(tx: Tx, { id, contactId }: Pick<Message, "id" | "contactId">): void {
  const known = unindexed(tx);
  // If the message is undone, the entry is superfluous.
  if (contactId !== null) known.last?.set(contactId, id);
  const { onDue } = known;
  if (onDue === null || id < known.dueAt) return;
  tx.afterCommit(() => {
    known.dueAt = Number.POSITIVE_INFINITY;
    onDue();
  });
}

/** Call it when a single message was dispatched once more. */
export function noteDispatchedAgain(tx: Tx, before: Message, after: Message): void {
  const { id: messageId, contactId } = before;
  if (contactId === null) return;
  // A scheduled message was not counted when it was accepted.
  const { last } = unindexed(tx);
  if (before.dispatchedAt === null) last?.set(contactId, Math.max(messageId, last.get(contactId) ?? 0));
  if (before.dispatchedAt !== null) removeEntry(tx).run({ contactId, dispatchedAt: before.dispatchedAt, messageId });
  if (after.dispatchedAt === null) return;
  // Also for one that has not moved: the move may have copied its neighbours already.
  indexEntry(tx).run({ contactId, dispatchedAt: after.dispatchedAt, messageId });
}

/** What a search for the messages of a contact needs of it. */
export type ContactKey = Pick<Contact, "id" | "workspaceId">;

/** A contact, as `dispatchedTo` takes it. */
interface ContactScope {
  contactId: number;
  /** 0: the contact has no message outside the index, so that none is searched there. */
  workspaceId: number;
}

function scopeOf(tx: ReadTx, { id: contactId, workspaceId }: ContactKey): ContactScope {
  const { last } = unindexed(tx);
  return { contactId, workspaceId: last === null || last.has(contactId) ? workspaceId : 0 };
}

/** When a contact was last sent anything; null if never. */
export function lastDispatchedAt(tx: ReadTx, contact: ContactKey): number | null {
  const indexed = lastIndexedDispatch(tx).only({ contactId: contact.id }).at;
  const other = lastUnindexedAt(tx, contact);
  return indexed === null || other === null ? (indexed ?? other) : Math.max(indexed, other);
}

function lastUnindexedAt(tx: ReadTx, contact: ContactKey): number | null {
  const { last } = unindexed(tx);
  const id = last?.get(contact.id);
  if (last !== null && id === undefined) return null;
  const message = id === undefined ? undefined : messageById(tx).get({ id });
  if (message?.contactId === contact.id && message.dispatchedAt !== null) return message.dispatchedAt;
  return lastUnindexedDispatch(tx).only({ contactId: contact.id, workspaceId: contact.workspaceId }).at;
}

/**
 * When the last template that counts under a limit was dispatched to a contact, after `since`; null if none was. With
 * `portfolioId`, only those of the portfolio's numbers.
 */
export function lastTemplateAt(
  tx: ReadTx,
  contact: ContactKey,
  { since, portfolioId }: { since: number; portfolioId: number | null },
): number | null {
  return lastTemplate(tx).get({ ...scopeOf(tx, contact), since, portfolioId, limit: 1, offset: 0 })?.at ?? null;
}

/** The last message that a contact got, or may have got, after one moment and not after another. */
export function lastSentBetween(
  tx: ReadTx,
  contact: ContactKey,
  range: { after: number; until: number },
): { id: number; at: number } | undefined {
  return lastSent(tx).get({ ...scopeOf(tx, contact), ...range, limit: 1, offset: 0 });
}

/** Where a message stands among those of its contact: when it was dispatched, and its id. */
interface DispatchPlace {
  at: number;
  id: number;
}

/**
 * The places of messages dispatched to a contact, the newest first, those before a place in this order. A scheduled message
 * stands where it was accepted until it is dispatched.
 */
export function listDispatchedPlaces(
  tx: ReadTx,
  contact: ContactKey,
  before: DispatchPlace,
  limit: number,
): DispatchPlace[] {
  const given = { ...scopeOf(tx, contact), beforeAt: before.at, beforeId: before.id, limit, offset: 0 };
  return dispatchedBefore(tx).all(given);
}

/** The same from a place on, the oldest first. */
export function listDispatchedPlacesFrom(
  tx: ReadTx,
  contact: ContactKey,
  from: DispatchPlace,
  limit: number,
): DispatchPlace[] {
  return dispatchedFrom(tx).all({ ...scopeOf(tx, contact), fromAt: from.at, fromId: from.id, limit, offset: 0 });
}

/** The ids of the messages that answer a contact, dispatched since a moment, the newest first: see `answers.ts`. */
export function listAnswerIds(
  tx: ReadTx,
  contact: ContactKey,
  range: { since: number; textsUntil: number },
  limit: number,
): number[] {
  const { since, textsUntil: until } = range;
  const texts = textsOfContact(tx).all({ ...scopeOf(tx, contact), since, until, limit, offset: 0 });
  const ofStaff = ofStaffToContact(tx).all({ contactId: contact.id, since, limit });
  const newest = [...texts, ...ofStaff].toSorted((one, other) => other.at - one.at || other.id - one.id);
  return [...new Set(newest.map(({ id }) => id))].slice(0, limit);
}

/**
 * The same of messages of the API that were accepted and dispatched since a moment and that customers see. Scheduled ones
 * keep the place where they were accepted.
 */
export function listListedPlaces(
  tx: ReadTx,
  contact: ContactKey,
  page: {
    before: DispatchPlace;
    since: number;
    status: ShownStatus | null;
    limit: number;
    offset: number;
  },
): DispatchPlace[] {
  const { before, ...others } = page;
  return listedOfContact(tx).all({
    ...others,
    ...scopeOf(tx, contact),
    beforeAt: before.at,
    beforeId: before.id,
  });
}

export const contactMessageIndex: BatchIndex<ContactMove> = {
  name: "contact_messages",
  failure: {
    event: "contact_messages.failed",
    message: "Moving single messages to their index by contact failed; trying again in a minute",
  },
  watch(tx, _, onDue) {
    unindexed(tx).onDue = onDue;
  },
  load(tx) {
    const known = unindexed(tx);
    if (known.last !== null) return false;
    const { id: until } = lastMessageId(tx).only();
    const contacts = unindexedContacts(tx).all({ until });
    known.last = new Map(contacts.map(({ contactId, messageId }) => [contactId, messageId]));
    return false;
  },
  plan(tx, batch) {
    const { id: until } = lastMessageId(tx).only();
    const { count } = countUnindexed(tx).only({ until });
    if (count < batch) {
      unindexed(tx).dueAt = until + batch - count;
      return null;
    }
    const contacts = everyContact(tx).all({ until, distance: STEP });
    const borders = [...new Set(contacts.map(({ contactId }) => contactId))];
    return { until, borders, steps: borders.length + 1 };
  },
  copy(tx, { until, borders }, step) {
    const from = borders[step - 1] ?? Number.MIN_SAFE_INTEGER;
    const to = borders[step] ?? Number.MAX_SAFE_INTEGER;
    indexContacts(tx).run({ until, from, to });
  },
  end(tx, { until }) {
    setIndexedUntil(tx).run({ until });
    const { last } = unindexed(tx);
    tx.afterCommit(() => {
      if (last === null) return;
      for (const [contactId, messageId] of last) if (messageId <= until) last.delete(contactId);
    });
  },
  forget(tx) {
    const known = unindexed(tx);
    known.last = null;
    known.dueAt = 0;
    known.onDue?.();
  },
};

/** The rows of the workspace have been replaced by an earlier state of theirs: those that had moved since have no entry. */
export function indexAllOf(tx: Tx, workspaceId: number): void {
  indexWorkspace(tx).run({ workspaceId });
}
