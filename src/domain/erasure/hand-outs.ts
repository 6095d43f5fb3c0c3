/** The rows of hand-outs: archives of what is kept of a person, which a job makes and, a day later, deletes. */
import { desc, eq, inArray } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { changeRow, deleteRows, findRow, insertRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import type { Contact } from "../contacts/table.ts";
import { type Actor, recordAudit } from "../users/audit-log.ts";
import { findPerson } from "./person.ts";
import { type HandOut, type HandOutReport, handOuts } from "./table.ts";

/** How long an archive may be fetched. */
const HAND_OUT_KEPT_MS = 24 * 60 * 60_000;

/** Those of the person's that there were go: the new one has all of it. Their files go when the new one is made. */
export function createHandOut(tx: Tx, contact: Contact, by: Actor & { userId: number }): HandOut {
  const { contactIds, workspaceId } = findPerson(tx, contact);
  removeHandOutsOf(tx, contactIds);
  const created = insertRow(tx, handOuts, {
    workspaceId,
    contactId: contact.id,
    ...by,
    state: "making",
    createdAt: tx.now,
  });
  enqueue(tx, { kind: "hand_out", subject: created.id, queueKey: workspaceId, dueAt: tx.now });
  return created;
}

/** With their jobs. The archives of those that have no row are removed by `removeStrayHandOuts`. */
export function removeHandOutsOf(tx: Tx, contactIds: readonly number[]): void {
  const removed = tx.db
    .delete(handOuts)
    .where(inArray(handOuts.contactId, [...contactIds]))
    .returning({ id: handOuts.id })
    .all();
  deleteJobs(
    tx,
    "hand_out",
    removed.map(({ id }) => id),
  );
}

/** The one that is being made: a workspace has one at a time. */
export function findInMaking(tx: ReadTx, workspaceId: number): HandOut | undefined {
  return findRow(tx, handOuts, { workspaceId, state: "making" });
}

/** The latest of the person. */
export function findHandOutOf(tx: ReadTx, contact: Contact): HandOut | undefined {
  const { contactIds } = findPerson(tx, contact);
  return findRow(tx, handOuts, inArray(handOuts.contactId, [...contactIds]), desc(handOuts.id));
}

export function findHandOut(tx: ReadTx, id: number): HandOut | undefined {
  return findRow(tx, handOuts, { id });
}

/** One whose archive may be fetched. Throws `not_found`, also for one of another workspace. */
export function requireReady(tx: ReadTx, workspaceId: number, id: number): HandOut {
  const found = findHandOut(tx, id);
  const isReady = found?.workspaceId === workspaceId && found.state === "ready" && (found.expiresAt ?? 0) > tx.now;
  if (found === undefined || !isReady) throw notFound("archive");
  return found;
}

export function listHandOutIds(tx: ReadTx): number[] {
  return tx.db
    .select({ id: handOuts.id })
    .from(handOuts)
    .all()
    .map(({ id }) => id);
}

/** Returns until when it is kept; null if it is not wanted any more. The receipt is in the audit log. */
export function recordMade(tx: Tx, id: number, report: HandOutReport): number | null {
  const made = changeRow(
    tx,
    handOuts,
    { id, state: "making" },
    { state: "ready", report, expiresAt: tx.now + HAND_OUT_KEPT_MS },
  );
  if (made === undefined) return null;
  const { workspaceId, contactId, userId, address } = made;
  const { missing, ...counts } = report;
  recordAudit(
    tx,
    { userId, address },
    {
      ...{ workspaceId, action: "contact.data", subject: `contact ${contactId}` },
      details: { ...counts, missing: missing.length },
    },
  );
  return made.expiresAt;
}

/** `reason`: plain text for a person. Shown as long as an archive would be kept. */
export function recordFailed(tx: Tx, id: number, reason: string): number {
  const expiresAt = tx.now + HAND_OUT_KEPT_MS;
  updateRows(tx, handOuts, { id }, { state: "failed", reason, expiresAt });
  return expiresAt;
}

export function removeHandOut(tx: Tx, id: number): void {
  deleteRows(tx, handOuts, { id });
}

/** An archive that is not on this disk is not made again on its own: a user asks for it again. */
export function removeMissing(tx: Tx, isOnDisk: (id: number) => boolean): void {
  const ready = tx.db.select({ id: handOuts.id }).from(handOuts).where(eq(handOuts.state, "ready")).all();
  for (const { id } of ready) if (!isOnDisk(id)) removeHandOut(tx, id);
}
