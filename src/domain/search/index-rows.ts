/**
 * Brings the search index up to date in slices: what is new by its id, contacts by the time of their last change. A row of a
 * broadcast's recipient is passed by, because its text is the broadcast's.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { contactEntryId, readCursor, type WrittenKind, writeCursor, writeEntry, writtenEntryId } from "./entries.ts";
import {
  changedWithPhone,
  changedWithUserId,
  changesOfWorkspace,
  mergeSegments,
  newConversations,
  searchedContact,
  searchedNumbers,
  searchedPeople,
  searchedTags,
  workspaceWithChanges,
  writtenEchoes,
  writtenInbounds,
  writtenMessages,
  writtenNotes,
} from "./statements.ts";

/** As an erasure leaves a text. */
const ERASED = "[erased]";

/** What is written: the rows of each table behind an id. */
const rowsOf = {
  note: writtenNotes,
  inbound: writtenInbounds,
  echo: writtenEchoes,
  message: writtenMessages,
} satisfies Record<WrittenKind, unknown>;
const kinds = Object.keys(rowsOf) as WrittenKind[];

type Written = ReturnType<ReturnType<typeof writtenMessages>["all"]>[number];

/** A change that is younger than this may share its time with one that is not committed yet. */
const SETTLED_MS = 1_000;
/** Rows that are read together. */
const ROWS_READ = 32;
/** A person's text may be longer here, but not on WhatsApp; a text of 64 KiB would take 25 ms, in one piece. */
const INDEXED_CHARACTERS_MAX = 4_096;
/** Where a phone number is searched from: after the beginnings that people omit, and its end. */
const PHONE_BEGINNINGS = [0, 1, 2, 3];
const PHONE_END = 4;

/** Whether rows wait to be indexed; of contacts, those of one workspace, or of all (null). */
export function isIndexBehind(tx: ReadTx, workspaceId: number | null): boolean {
  return (
    kinds.some((kind) => rowsOf[kind](tx).all({ after: readCursor(tx, kind).position, limit: 1 }).length > 0) ||
    newConversations(tx).all({ after: readCursor(tx, "conversation").position, limit: 1 }).length > 0 ||
    changedContacts(tx, 1, workspaceId).length > 0
  );
}

/** Indexes rows until `mayContinue` is false after one; returns whether more wait. */
export function indexRows(tx: Tx, mayContinue: () => boolean): boolean {
  for (const kind of kinds) {
    const { position } = readCursor(tx, kind);
    const rows = rowsOf[kind](tx).all({ after: position, limit: ROWS_READ });
    let last = position;
    for (const row of rows) {
      indexWritten(tx, kind, row);
      last = row.id;
      if (!mayContinue()) break;
    }
    if (last !== position) writeCursor(tx, kind, { position: last, lastId: 0 });
    if (rows.length === ROWS_READ || last !== (rows.at(-1)?.id ?? position)) return true;
  }
  return indexContacts(tx, mayContinue);
}

function indexWritten(tx: Tx, kind: WrittenKind, row: Written): void {
  const { id, workspaceId, numberId, contactId, at, text, details } = row;
  if (row.isPassedBy === 1 || contactId === null || text === ERASED) return;
  const parsed: unknown = details === null ? null : JSON.parse(details);
  const names = fileNames(parsed);
  const hasFile = names.length > 0 || isAboutFile(parsed);
  if ((text ?? "") === "" && !hasFile) return;
  const texts = [text ?? "", ...names].map((one) => one.slice(0, INDEXED_CHARACTERS_MAX).toWellFormed());
  writeEntry(tx, {
    ...{ id: writtenEntryId(kind, id, at), kind, subjectId: id, workspaceId, contactId },
    ...{ numberIds: [numberId], hasFile, texts },
  });
}

/** Of whatever is sent or received: the value of every member `filename`. */
export function fileNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "filename" && typeof inner === "string" ? [inner] : fileNames(inner),
  );
}

function isAboutFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "media" in value || "uploadId" in value || Object.values(value).some(isAboutFile);
}

function indexContacts(tx: Tx, mayContinue: () => boolean): boolean {
  const { position } = readCursor(tx, "conversation");
  const conversations = newConversations(tx).all({ after: position, limit: ROWS_READ });
  for (const { id, contactId } of conversations) {
    indexContact(tx, contactId);
    writeCursor(tx, "conversation", { position: id, lastId: 0 });
    if (!mayContinue()) return true;
  }
  if (conversations.length === ROWS_READ) return true;
  const changed = changedContacts(tx, ROWS_READ);
  for (const { id, workspaceId, updatedAt } of changed) {
    indexContact(tx, id);
    writeCursor(tx, "contact", { position: updatedAt, lastId: id }, workspaceId);
    if (!mayContinue()) return true;
  }
  return changed.length > 0;
}

/** Those of one workspace, in the order of their change. */
function changedContacts(tx: ReadTx, limit: number, workspaceId: number | null = null) {
  const until = tx.now - SETTLED_MS;
  const due =
    workspaceId === null ? workspaceWithChanges(tx).get({ until }) : changesOfWorkspace(tx).get({ workspaceId, until });
  if (due === undefined) return [];
  const page = { workspaceId: due.id, ...readCursor(tx, "contact", due.id), until, limit };
  return [...changedWithPhone(tx).all(page), ...changedWithUserId(tx).all(page)]
    .toSorted((one, other) => one.updatedAt - other.updatedAt || one.id - other.id)
    .slice(0, limit);
}

function indexContact(tx: Tx, id: number): void {
  const contact = searchedContact(tx).get({ id });
  // Erased: its row went with the person.
  if (contact === undefined || (contact.phone === null && contact.networkUserId === null)) return;
  const tags = searchedTags(tx).all({ id });
  const people = searchedPeople(tx).all({ id });
  const numbers = searchedNumbers(tx).all({ id });
  const { name, firstName, lastName, username, email, company, city } = contact;
  const names = [name ?? [firstName, lastName].filter(Boolean).join(" "), username, email, company, city];
  writeEntry(tx, {
    ...{ id: contactEntryId(id), kind: "contact", subjectId: id, workspaceId: contact.workspaceId, contactId: id },
    ...{ numberIds: numbers.map((number) => number.id), hasFile: false },
    texts: [
      ...names.filter((one) => one !== null),
      ...[...people, ...tags].map((one) => one.name),
      ...phoneTexts(contact.phone),
    ],
  });
}

function phoneTexts(phone: string | null): string[] {
  const digits = (phone ?? "").slice(1);
  if (digits === "") return [];
  return [...PHONE_BEGINNINGS.map((from) => digits.slice(from)), digits.slice(-PHONE_END)];
}

/** Merges part of the index's segments; a few milliseconds at most. */
export function mergeIndex(tx: Tx, pages: number): void {
  mergeSegments(tx).run({ pages });
}
