/**
 * Everything that a workspace keeps of a person, as it is handed to that person: the profile, consent with its evidence,
 * what both sides wrote, messages that were not sent, notes, files, and the rows of every table that an erasure would
 * delete. Read a page at a time: a conversation may be long.
 */
import { eq, inArray, sql } from "drizzle-orm";
import { fileNameOf } from "#src/core/file-name.ts";
import { formatInstant } from "#src/core/instant.ts";
import { tablesWith } from "#src/db/table-policies.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Contact, consentLog } from "#src/domain/contacts/table.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { type ConversationCursor, readConversation } from "#src/domain/inbound/read-conversation.ts";
import { conversationNotes, inbounds } from "#src/domain/inbound/table.ts";
import { viewEntry } from "#src/domain/inbound/view-conversation.ts";
import { type MediaFile, media, mediaFiles, uploadPeople, uploads } from "#src/domain/media/table.ts";
import { idsOfContact } from "#src/domain/messages/contact-message-statements.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

/** Rows that are read and shown in a few milliseconds. */
const PAGE = 20;

/** A file of the archive, in the folder `files`. */
export interface PersonFile {
  name: string;
  mime_type: string;
  bytes: number;
  /** In the words of a conversation: received from the person, or sent to them. */
  direction: "in" | "out";
  /** The received message, or the upload. */
  of: number;
  stored: Pick<MediaFile, "workspaceId" | "hash">;
}

export function readProfile(tx: ReadTx, contact: Contact, workspace: Workspace) {
  const when = (ms: number): string => formatInstant(ms, workspace.timezone);
  const changes = tx.db.select().from(consentLog).where(eq(consentLog.contactId, contact.id)).all();
  const consent = changes.map(({ was, became, source, at, evidence }) => ({
    was,
    became,
    source,
    at: when(at),
    evidence,
  }));
  return { profile: viewContact(tx, contact, workspace), consent_log: consent };
}

export type Profile = ReturnType<typeof readProfile>;

/** What both sides wrote, in words. */
export function readEntries(tx: ReadTx, contact: Contact, workspace: Workspace, from: ConversationCursor | null) {
  const { items, next } = readConversation(tx, contact, from, PAGE);
  const entries = items.map((item) => ({
    ...viewEntry(item, workspace),
    uploads: item.kind === "message" ? uploadsIn(item.message.content) : [],
  }));
  return { entries, next };
}

export type Entry = ReturnType<typeof readEntries>["entries"][number];

/** The ids of uploads in a message's content. */
function uploadsIn(content: unknown): number[] {
  if (typeof content !== "object" || content === null) return [];
  return Object.entries(content).flatMap(([name, value]) =>
    name === "id" && typeof value === "number" ? value : uploadsIn(value),
  );
}

/** Messages of a person, whose rows outlive the erasure. */
const kept = {
  messages: (contact: Contact): string =>
    idsOfContact(String(contact.id), String(contact.workspaceId), { broadcasts: true }),
  inbounds: ({ id }: Contact): string => `SELECT id FROM inbounds WHERE contact_id = ${id}`,
  echoes: ({ id }: Contact): string => `SELECT id FROM echoes WHERE contact_id = ${id}`,
} as const;

export const messageTables = Object.keys(kept) as (keyof typeof kept)[];

/** A page of rows as they are stored, by id: messages that were never sent, too. */
export function readMessageRows(tx: ReadTx, contact: Contact, table: keyof typeof kept, afterId: number) {
  const ids = sql.raw(kept[table](contact));
  return tx.db.all<{ id: number }>(
    sql`SELECT * FROM ${sql.raw(table)} WHERE id IN (${ids}) AND id > ${afterId} ORDER BY id LIMIT ${sql.raw(String(PAGE))}`,
  );
}

/** The tables from which an erasure deletes the contact. */
export const recordTables = tablesWith("person", "deleted");

/** A page of their rows as they are stored, after the first `offset`. */
export function readRecords(
  tx: ReadTx,
  { id }: Contact,
  table: (typeof recordTables)[number],
  offset: number,
): object[] {
  const page = sql.raw(`LIMIT ${PAGE} OFFSET ${offset}`);
  return tx.db.all<object>(sql`SELECT * FROM ${sql.raw(table)} WHERE contact_id = ${id} ${page}`);
}

interface PersonNote {
  text: string;
  author: string;
  at: string;
}

/** A page of notes, by number and id. */
export function readNotes(tx: ReadTx, { id }: Contact, { timezone }: Workspace, offset: number): PersonNote[] {
  const rows = tx.db
    .select()
    .from(conversationNotes)
    .where(eq(conversationNotes.contactId, id))
    .orderBy(conversationNotes.numberId, conversationNotes.id)
    .limit(PAGE)
    .offset(offset)
    .all();
  return rows.map((note) => ({
    ...{ text: note.text, author: note.author },
    at: formatInstant(note.createdAt, timezone),
  }));
}

export function listFiles(tx: ReadTx, all: readonly Contact[]): PersonFile[] {
  const ids = all.map(({ id }) => id);
  const received = tx.db
    .select({ medium: media, file: mediaFiles })
    .from(media)
    .innerJoin(inbounds, eq(inbounds.id, media.inboundId))
    .innerJoin(mediaFiles, eq(mediaFiles.id, media.fileId))
    .where(sql`${inArray(inbounds.contactId, ids)} AND ${media.state} = 'stored'`)
    .all();
  const sent = tx.db
    .select({ upload: uploads, file: mediaFiles })
    .from(uploadPeople)
    .innerJoin(uploads, eq(uploads.id, uploadPeople.uploadId))
    .innerJoin(mediaFiles, eq(mediaFiles.id, uploads.fileId))
    .where(inArray(uploadPeople.contactId, ids))
    .all();
  return [
    ...received.map(({ medium, file }) => describe("in", medium.inboundId, medium.id, medium.filename, file)),
    ...sent.map(({ upload, file }) => describe("out", upload.id, upload.id, upload.filename, file)),
  ];
}

function describe(
  direction: PersonFile["direction"],
  of: number,
  id: number,
  filename: string | null,
  file: MediaFile,
): PersonFile {
  // The id first: names of others may be equal, and name a place elsewhere.
  const name = `${id}-${fileNameOf(file.contentType, filename, id)}`;
  return { name, mime_type: file.contentType, bytes: file.bytes, direction, of, stored: file };
}
