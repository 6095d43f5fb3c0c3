/**
 * Erases what a person wrote and got, walk by walk and contact by contact. Each walk follows an index of the contact from a place on,
 * so that no row is read again for each slice, and a slice reads and erases a bounded number of rows. The places are in memory: after a crash
 * the walks begin with the first row, and pass what is erased.
 */
import { inArray, type SQL, sql } from "drizzle-orm";
import { deleteRows, listRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { consentLog, type ErasedCounts } from "../contacts/table.ts";
import { echoes, inbounds } from "../inbound/table.ts";
import { eraseMedia } from "../media/release.ts";
import { type Media, media } from "../media/table.ts";
import { isUnindexed } from "../messages/contact-message-statements.ts";
import { ERASED } from "../messages/message.ts";
import { removeNetworkIds } from "../messages/network-ids.ts";
import { failErased } from "../messages/scheduled.ts";
import { messages, providerRequests } from "../messages/table.ts";
import { removeOfContact } from "../search/entries.ts";
import { eraseFromBroadcast } from "./erase-from-broadcasts.ts";
import { emptyEventOf, redactAnswers } from "./erase-mentions.ts";
import type { Person } from "./person.ts";
import { emptyRows } from "./person-columns.ts";

/** Rows that one slice reads. */
const READ_AT_ONCE = 500;
/** Rows that one slice erases: each is in several indexes, and has others that follow it. */
const ERASED_AT_ONCE = 12;
/** Rows of the search index, each of which rewrites the places of all its words. */
const INDEXED_AT_ONCE = 2;
/** A person of many contacts: a slice ends after so many walks that found nothing. */
const EMPTY_WALKS_MAX = 50;

type ErasedTexts = Partial<
  Pick<ErasedCounts, "sent" | "of_broadcasts" | "scheduled" | "received" | "by_other_senders" | "files">
>;

/** A file of the person's that the disk may hold under another name than that of a stored file. */
export type PersonFile = Pick<Media, "id" | "networkMediaId">;

/** Where the next slice continues. */
export interface Place {
  /** Its index among the person's contacts, and that of the walk. */
  contact: number;
  walk: number;
  /** The row that was read last, as its walk is sorted. */
  after: Row;
}

interface Row {
  at: number;
  id: number;
}

interface Slice {
  tx: Tx;
  person: Person;
  contactId: number;
  /** Called before a file's row is emptied. */
  forget: (file: PersonFile) => void;
}

interface Walk {
  /** SQL of the next rows in their order: `at`, `id`, and `isOver` for one that is erased or another's. */
  rows: (slice: Slice, after: Row) => SQL;
  erase: (slice: Slice, ids: number[]) => ErasedTexts;
}

const START: Row = { at: Number.MIN_SAFE_INTEGER, id: 0 };
export const FIRST_PLACE: Place = { contact: 0, walk: 0, after: START };

/**
 * Erases some rows from a place on. `next`: where to continue; null at the end. `forget` removes a file; the row by which it is found is emptied
 * after that, in this transaction.
 */
export function eraseTexts(
  tx: Tx,
  person: Person,
  from: Place,
  forget: (file: PersonFile) => void,
): { next: Place | null; erased: ErasedTexts } {
  let { contact, walk: index, after } = from;
  for (let empty = 0; empty < EMPTY_WALKS_MAX; ) {
    const contactId = person.contactIds[contact];
    if (contactId === undefined) return { next: null, erased: {} };
    const slice: Slice = { tx, person, contactId, forget };
    const walk = walks[index];
    if (walk === undefined) {
      if (removeOfContact(tx, contactId, INDEXED_AT_ONCE)) return { next: { contact, walk: index, after }, erased: {} };
      [contact, index, after] = [contact + 1, 0, START];
      empty += 1;
      continue;
    }
    const { last, ids, isEnd } = readRows(slice, walk, after);
    const next = isEnd ? { contact, walk: index + 1, after: START } : { contact, walk: index, after: last };
    if (ids.length > 0) return { next, erased: walk.erase(slice, ids) };
    if (!isEnd) return { next, erased: {} };
    [index, after] = [index + 1, START];
    empty += 1;
  }
  return { next: { contact, walk: index, after }, erased: {} };
}

/** `ids`: what is to be erased up to `last`. */
function readRows(slice: Slice, walk: Walk, after: Row): { last: Row; ids: number[]; isEnd: boolean } {
  const rows = slice.tx.db.all<Row & { isOver: number }>(sql`${walk.rows(slice, after)} LIMIT ${READ_AT_ONCE}`);
  const ids: number[] = [];
  for (const { at, id, isOver } of rows) {
    if (isOver === 1) continue;
    ids.push(id);
    if (ids.length === ERASED_AT_ONCE) return { last: { at, id }, ids, isEnd: false };
  }
  return { last: rows.at(-1) ?? after, ids, isEnd: rows.length < READ_AT_ONCE };
}

const IS_ERASED = sql`messages.to_phone = ${ERASED} AS "isOver"`;

const walks: readonly Walk[] = [
  // First, so that what was to be sent fails soon.
  {
    rows: ({ contactId }, { at, id }) => sql`SELECT created_at AS at, id, ${IS_ERASED} FROM messages
      WHERE contact_id = ${contactId} AND send_at IS NOT NULL AND (created_at, id) > (${at}, ${id}) ORDER BY created_at, id`,
    erase: eraseMessages,
  },
  // Those that are not in the index yet: of all the person's contacts, and before the index, into which they move.
  {
    rows: ({ person: { workspaceId, contactIds } }, { id }) => sql`SELECT 0 AS at, id,
      CASE WHEN contact_id IN (SELECT value FROM json_each(${JSON.stringify(contactIds)})) THEN to_phone = ${ERASED} ELSE 1 END AS "isOver"
      FROM messages WHERE workspace_id = ${workspaceId} AND ${sql.raw(isUnindexed)} AND id > ${id} ORDER BY id`,
    erase: eraseMessages,
  },
  {
    rows: ({ contactId }, { at, id }) => sql`SELECT entry.dispatched_at AS at, entry.message_id AS id, ${IS_ERASED}
      FROM contact_messages AS entry CROSS JOIN messages ON messages.id = entry.message_id
      WHERE entry.contact_id = ${contactId} AND (entry.dispatched_at, entry.message_id) > (${at}, ${id})
      ORDER BY entry.dispatched_at, entry.message_id`,
    erase: eraseMessages,
  },
  // Recipients of broadcasts: those that were not dispatched, and the others.
  {
    rows: ({ contactId }, { id }) => sql`SELECT 0 AS at, id, ${IS_ERASED} FROM messages
      WHERE contact_id = ${contactId} AND broadcast_id IS NOT NULL AND dispatched_at IS NULL AND id > ${id} ORDER BY id`,
    erase: eraseMessages,
  },
  {
    rows: ({ contactId }, { at, id }) => sql`SELECT dispatched_at AS at, id, ${IS_ERASED} FROM messages
      WHERE contact_id = ${contactId} AND broadcast_id IS NOT NULL AND (dispatched_at, id) > (${at}, ${id})
      ORDER BY dispatched_at, id`,
    erase: eraseMessages,
  },
  {
    rows: ({ contactId }, { at, id }) => sql`SELECT received_at AS at, id, text IS ${ERASED} AS "isOver" FROM inbounds
      WHERE contact_id = ${contactId} AND (received_at, id) > (${at}, ${id}) ORDER BY received_at, id`,
    erase: eraseInbounds,
  },
  {
    rows: ({ contactId }, { at, id }) => sql`SELECT sent_at AS at, id, text IS ${ERASED} AS "isOver" FROM echoes
      WHERE contact_id = ${contactId} AND (sent_at, id) > (${at}, ${id}) ORDER BY sent_at, id`,
    erase({ tx }, ids) {
      emptyRows(tx, "echoes", inArray(echoes.id, ids));
      return { by_other_senders: ids.length };
    },
  },
  {
    rows: ({ contactId }, { id }) => sql`SELECT 0 AS at, id, evidence = '{}' AS "isOver" FROM consent_log
      WHERE contact_id = ${contactId} AND id > ${id} ORDER BY id`,
    erase({ tx }, ids) {
      emptyRows(tx, "consent_log", inArray(consentLog.id, ids));
      return {};
    },
  },
];

function eraseMessages({ tx, person: { workspaceId, names } }: Slice, ids: number[]): ErasedTexts {
  const erased = { sent: 0, of_broadcasts: 0, scheduled: 0 };
  const found = tx.db
    .select({
      id: messages.id,
      sendToken: messages.sendToken,
      networkMessageId: messages.networkMessageId,
      broadcastId: messages.broadcastId,
      isScheduled: sql<number>`${messages.sendAt} IS NOT NULL AND ${messages.status} = 'pending'`,
    })
    .from(messages)
    .where(inArray(messages.id, ids))
    .all();
  removeNetworkIds(tx, found);
  const sendTokens = found.map(({ sendToken }) => sendToken);
  deleteRows(tx, providerRequests, inArray(providerRequests.sendToken, sendTokens));
  emptyRows(tx, "messages", inArray(messages.id, ids));
  failErased(
    tx,
    found.flatMap(({ id, isScheduled }) => (isScheduled === 1 ? id : [])),
  );
  redactAnswers(tx, workspaceId, ids);
  const texts = names.map(({ text }) => text);
  const ofBroadcasts = new Set(found.flatMap(({ broadcastId }) => broadcastId ?? []));
  for (const id of ofBroadcasts) eraseFromBroadcast(tx, id, texts);
  for (const { broadcastId, isScheduled } of found)
    erased[broadcastId !== null ? "of_broadcasts" : isScheduled === 1 ? "scheduled" : "sent"] += 1;
  return erased;
}

function eraseInbounds({ tx, forget }: Slice, ids: number[]): ErasedTexts {
  for (const file of listRows(tx, media, inArray(media.inboundId, ids))) forget(file);
  const erased = eraseMedia(tx, ids);
  for (const { eventSeq } of erased) if (eventSeq !== null) emptyEventOf(tx, eventSeq);
  emptyRows(tx, "media", inArray(media.inboundId, ids));
  emptyRows(tx, "inbounds", inArray(inbounds.id, ids));
  return { received: ids.length, files: erased.filter(({ state }) => state === "stored").length };
}
