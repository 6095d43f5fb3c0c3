/**
 * The rows of erasures. The transaction that begins one empties the contacts, so that no user and no program finds the person any more, and
 * keeps the names for which everything else is searched; they go once all is searched. How much was erased is counted in the
 * transactions that erase it, so an erasure that a crash interrupts counts nothing twice.
 */
import { and, eq, isNotNull } from "drizzle-orm";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import { changeRow, findRow, insertRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { type Contact, type ErasedCounts, type Erasure, type ErasureHolders, erasures } from "../contacts/table.ts";
import { listNumbersBlocking } from "../inbound/blocks.ts";
import { type Actor, recordAudit } from "../users/audit-log.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { deleteAttached, deleteSeen } from "./erase-attached.ts";
import { eraseContact } from "./erase-contact.ts";
import { removeHandOutsOf } from "./hand-outs.ts";
import { findPerson, type Person } from "./person.ts";

const NOTHING: ErasedCounts = {
  ...{ sent: 0, of_broadcasts: 0, scheduled: 0, received: 0, by_other_senders: 0, notes: 0, files: 0 },
  ...{ drafts: 0, events: 0, callbacks: 0, answers: 0, audit_entries: 0 },
};

/**
 * `dueAt`: when the server carries it out, if no command has until then. Once this is committed, the contacts are found no more, and
 * their conversations are gone; what else is attached to them is deleted in slices.
 */
export function beginErasure(tx: Tx, contact: Contact, by: Actor, dueAt: number): Erasure {
  const { contacts, contactIds, names, workspaceId } = findPerson(tx, contact);
  const blockedOn = listNumbersBlocking(tx, contactIds);
  removeHandOutsOf(tx, contactIds);
  for (const one of contacts) eraseContact(tx, one);
  const begun = insertRow(tx, erasures, {
    ...{ workspaceId, contactId: contact.id, userId: by.userId, address: by.address, round: 1, createdAt: tx.now },
    person: { contactIds: [...contactIds], names: [...names], sharedUploads: [], blockedOn },
    counts: NOTHING,
  });
  deleteSeen(tx, { contactIds });
  enqueue(tx, { kind: "erase_person", subject: begun.id, queueKey: workspaceId, dueAt });
  recordAudit(tx, by, { workspaceId, action: "contact.erase", subject: subjectOf(begun) });
  return begun;
}

/** The receipt names so many of the uploads that others got too. */
const SHARED_UPLOADS_MAX = 1_000;

/** Deletes some of what is attached to the person's contacts, and counts it. Returns whether there is more. */
export function eraseAttached(tx: Tx, id: number, person: Pick<Person, "contactIds">): boolean {
  const { notes, files, sharedUploads, isMore } = deleteAttached(tx, person);
  countErased(tx, id, { notes, files });
  if (sharedUploads.length > 0) noteShared(tx, id, sharedUploads);
  return isMore;
}

function noteShared(tx: Tx, id: number, uploads: readonly number[]): void {
  const person = findErasure(tx, id)?.person;
  if (person == null || person.sharedUploads.length >= SHARED_UPLOADS_MAX) return;
  const sharedUploads = [...new Set([...person.sharedUploads, ...uploads])].slice(0, SHARED_UPLOADS_MAX);
  updateRows(tx, erasures, { id }, { person: { ...person, sharedUploads } });
}

function subjectOf({ contactId }: Erasure): string {
  return `contact ${contactId}`;
}

export function findErasure(tx: ReadTx, id: number): Erasure | undefined {
  return findRow(tx, erasures, { id });
}

/** Throws `not_found`, also for an erasure of another workspace. */
export function getErasure(tx: ReadTx, workspaceId: number, id: number): Erasure {
  const found = findErasure(tx, id);
  if (found === undefined || found.workspaceId !== workspaceId) throw notFound("erasure");
  return found;
}

/** Null once all is searched. */
export function personOf({ workspaceId, person }: Erasure): Person | null {
  return person === null ? null : { workspaceId, ...person };
}

/** Counts what this transaction has erased. */
export function countErased(tx: Tx, id: number, erased: Partial<ErasedCounts>): void {
  const more = Object.entries(erased).filter(([, count]) => count > 0);
  const found = more.length === 0 ? undefined : findErasure(tx, id);
  if (found === undefined) return;
  const counts = { ...found.counts };
  for (const [name, count] of more) counts[name as keyof ErasedCounts] += count;
  updateRows(tx, erasures, { id }, { counts });
}

export function beginSecondRound(tx: Tx, id: number): void {
  updateRows(tx, erasures, { id }, { round: 2 });
}

/** Everything is searched twice: the names go. */
export function forgetNames(tx: Tx, id: number): void {
  const person = findErasure(tx, id)?.person;
  const holders: ErasureHolders = {
    ...{ backups: [], is_replicated: false, shared_uploads: person?.sharedUploads ?? [] },
    ...{ still_blocked_on: person?.blockedOn ?? [], waiting_imports: [], log_emptied: false },
  };
  tx.db
    .update(erasures)
    .set({ person: null, holders })
    .where(and(eq(erasures.id, id), isNotNull(erasures.person)))
    .run();
}

/** Ends the erasure, with its receipt in the audit log. Does nothing if another process has ended it. */
export function endErasure(tx: Tx, id: number, holders: ErasureHolders): void {
  const ended = changeRow(tx, erasures, { id, endedAt: null }, { holders, endedAt: tx.now });
  deleteJobs(tx, "erase_person", [id]);
  if (ended === undefined) return;
  const { workspaceId, userId, address, counts } = ended;
  const { timezone } = getWorkspace(tx, workspaceId);
  const { backups, ...others } = holders;
  const inWords = backups.map(({ kind, until }) => ({ kind, until: until && formatInstant(until, timezone) }));
  const details = { erased: counts, still_holding: { backups: inWords, ...others } };
  recordAudit(tx, { userId, address }, { workspaceId, action: "contact.erased", subject: subjectOf(ended), details });
}
