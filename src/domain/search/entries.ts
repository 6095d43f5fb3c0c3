/**
 * The rows of the search index. The id of a row follows from what it is about: of what was written, the second, then the
 * row's id and kind, so that the newest come first in descending order; of a contact, a negative number.
 */
import { sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { deleteEntry, entryTerms, indexCursor, insertEntry, setIndexCursor } from "./statements.ts";
import { indexTerms, OWN } from "./words.ts";

/** In the order of the two lowest bits of a row's id. */
const writtenKinds = ["message", "inbound", "echo", "note"] as const;
export type WrittenKind = (typeof writtenKinds)[number];
export type EntryKind = WrittenKind | "contact";

const IDS_OF_A_SECOND = 2 ** 21;
const SECONDS_MAX = 2 ** 31;
const CONTACTS_FROM = -(2 ** 52);

export function writtenEntryId(kind: WrittenKind, id: number, at: number): number {
  return firstEntryAt(at) + ((id * writtenKinds.length) % IDS_OF_A_SECOND) + writtenKinds.indexOf(kind);
}

/** The lowest id of what was written in this second or later. */
export function firstEntryAt(at: number): number {
  return Math.min(Math.max(0, Math.floor(at / 1_000)), SECONDS_MAX) * IDS_OF_A_SECOND;
}

export function contactEntryId(contactId: number): number {
  return CONTACTS_FROM + contactId;
}

/** Each row has these; each search requires those of what its caller may see. */
export const ownToken = {
  workspace: (id: number) => `${OWN}w${id}`,
  number: (id: number) => `${OWN}n${id}`,
  contact: (id: number) => `${OWN}c${id}`,
  file: `${OWN}f`,
};

interface Entry {
  id: number;
  kind: EntryKind;
  subjectId: number;
  workspaceId: number;
  contactId: number;
  numberIds: readonly number[];
  hasFile: boolean;
  texts: readonly string[];
}

export function writeEntry(tx: Tx, entry: Entry): void {
  const own = [
    ownToken.workspace(entry.workspaceId),
    ...entry.numberIds.map(ownToken.number),
    ownToken.contact(entry.contactId),
    ...(entry.hasFile ? [ownToken.file] : []),
  ];
  const terms = [...own, ...entry.texts.map(indexTerms)].filter((text) => text !== "").join(" ");
  const id = BigInt(entry.id);
  const stored = entryTerms(tx).get({ id });
  if (stored?.terms === terms) return;
  if (stored !== undefined) deleteEntry(tx).run({ id });
  const { kind, subjectId, contactId } = entry;
  insertEntry(tx).run({ id, terms, kind, subjectId, contactId });
}

/** How many rows a transaction removes: each takes about two milliseconds, because the places of all its words are rewritten. */
export const REMOVED_MAX = 4;

/** Those of rows that are deleted or emptied. */
export function removeWritten(tx: Tx, kind: WrittenKind, rows: readonly { id: number; at: number }[]): void {
  for (const { id, at } of rows) deleteEntry(tx).run({ id: BigInt(writtenEntryId(kind, id, at)) });
}

/** Removes up to `limit` rows about the contact; returns whether there may be more. */
export function removeOfContact(tx: Tx, contactId: number, limit: number): boolean {
  const ids = tx.db.all<{ id: number }>(
    sql`SELECT rowid AS id FROM search_index WHERE search_index MATCH ${`"${ownToken.contact(contactId)}"`} LIMIT ${limit}`,
  );
  for (const { id } of ids) deleteEntry(tx).run({ id: BigInt(id) });
  return ids.length === limit;
}

/** Gives up to `limit` rows about one contact to another one; returns how many. */
export function moveEntries(tx: Tx, { from, to }: { from: number; to: number }, limit: number): number {
  const [was, becomes] = [ownToken.contact(from), ownToken.contact(to)];
  const found = tx.db.all<{ id: number; terms: string; kind: EntryKind; subjectId: number }>(
    sql`SELECT rowid AS id, terms, kind, subject_id AS "subjectId" FROM search_index
      WHERE search_index MATCH ${`"${was}"`} LIMIT ${limit}`,
  );
  for (const { id, terms, kind, subjectId } of found) {
    tx.db.run(sql`DELETE FROM search_index WHERE rowid = ${BigInt(id)}`);
    // The contact's own row is written again, from what it holds now.
    if (kind === "contact") continue;
    const moved = terms.split(" ").map((term) => (term === was ? becomes : term));
    tx.db.run(
      sql`INSERT INTO search_index (rowid, terms, kind, subject_id, contact_id)
        VALUES (${BigInt(id)}, ${moved.join(" ")}, ${kind}, ${subjectId}, ${to})`,
    );
  }
  return found.length;
}

interface Position {
  position: number;
  lastId: number;
}

export function readCursor(tx: ReadTx, source: string, part = 0): Position {
  return indexCursor(tx).get({ source, part }) ?? { position: 0, lastId: 0 };
}

export function writeCursor(tx: Tx, source: string, { position, lastId }: Position, part = 0): void {
  setIndexCursor(tx).run({ source, part, position, lastId });
}
