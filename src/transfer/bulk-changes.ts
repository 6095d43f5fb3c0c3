/**
 * Bulk changes: one change to many contacts, applied in batches. It is created with the contact count that the user was
 * shown. Progress is stored in the transaction of each batch, so that a resumed change applies nothing twice. Each
 * contact goes through the operation that changes a single one, so an opt-out is never lifted.
 */
import { and, desc, eq, gte, lte, or, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { addressOf, findById, isAddressable } from "#src/domain/contacts/find.ts";
import { optOut } from "#src/domain/contacts/opt-out.ts";
import { type ContactChanges, putContact, touchContact } from "#src/domain/contacts/put.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { IDS_IN_PART } from "./bulk-target.ts";
import { type BulkAction, type BulkChange, type BulkTarget, bulkChanges, bulkPeople } from "./table.ts";

/** A finished change is listed for this long. */
const FINISHED_SHOWN_MS = 60 * 60 * 1000;
const LISTED_MAX = 5;

interface NewBulkChange {
  target: BulkTarget | { isListed: true };
  change: BulkAction;
  total: number;
  last: number;
  isListing?: true;
}

export function createBulkChange(tx: Tx, workspaceId: number, userId: number, input: NewBulkChange): BulkChange {
  const counters = { position: 0, processed: 0, changed: 0 };
  return tx.db
    .insert(bulkChanges)
    .values({
      ...{ workspaceId, userId, isListing: false, ...input, ...counters },
      ...{ state: "running", createdAt: tx.now, updatedAt: tx.now },
    })
    .returning()
    .get();
}

/** A change of a list, which is stored in slices first: until it begins, no user sees it, and nothing works on it. */
export function createListing(tx: Tx, workspaceId: number, userId: number, total: number): number {
  const { id } = createBulkChange(tx, workspaceId, userId, {
    ...{ target: { isListed: true }, change: NOT_CHOSEN, total, last: total, isListing: true },
  });
  return id;
}

const NOT_CHOSEN: BulkAction = { addTag: "" };

/** Stores the next part of the list; a batch of the change reads one. `first`: how many contacts the parts before it have. */
export function addListed(tx: Tx, bulkId: number, first: number, ids: readonly number[]): void {
  tx.db.insert(bulkPeople).values({ bulkId, first, ids }).run();
}

/** The list is complete: the change begins. */
export function beginListed(tx: Tx, id: number, change: BulkAction): BulkChange {
  return tx.db
    .update(bulkChanges)
    .set({ change, isListing: false, createdAt: tx.now, updatedAt: tx.now })
    .where(and(eq(bulkChanges.id, id), eq(bulkChanges.isListing, true), eq(bulkChanges.state, "running")))
    .returning()
    .get();
}

/** Its list is not wanted: it never begins. Does nothing if it has begun. */
export function discardListing(tx: Tx, id: number): void {
  tx.db
    .update(bulkChanges)
    .set({ state: "stopped", target: sql`'null'` })
    .where(and(eq(bulkChanges.id, id), eq(bulkChanges.isListing, true), eq(bulkChanges.state, "running")))
    .run();
}

/** Parts of lists that one transaction stores or deletes: pages of some kilobytes each. */
export const PARTS_AT_ONCE = 10;

/** At the start of a server: changes that have ended or never began, and whose lists are there. */
export function listLeftLists(tx: ReadTx): number[] {
  const left = tx.db.all<{ id: number }>(sql`SELECT id FROM bulk_changes
    WHERE (state <> 'running' OR is_listing = 1) AND EXISTS (SELECT 1 FROM bulk_people WHERE bulk_id = bulk_changes.id)`);
  return left.map(({ id }) => id);
}

/** Deletes some of the list of a change that is not running. Returns whether there may be more. */
export function removeList(tx: Tx, id: number): boolean {
  const { changes } = tx.db.run(sql`DELETE FROM bulk_people
    WHERE bulk_id = ${id} AND first IN (SELECT first FROM bulk_people WHERE bulk_id = ${id} LIMIT ${PARTS_AT_ONCE})
      AND NOT EXISTS (SELECT 1 FROM bulk_changes WHERE id = ${id} AND state = 'running')`);
  return changes === PARTS_AT_ONCE;
}

/** The next contacts of a listed change: at most `limit`, each with its place in the list, which begins with 1. */
export function nextListed(
  tx: ReadTx,
  { id, position }: Pick<BulkChange, "id" | "position">,
  limit: number,
): NextContact[] {
  const row = tx.db
    .select()
    .from(bulkPeople)
    .where(and(eq(bulkPeople.bulkId, id), lte(bulkPeople.first, position)))
    .orderBy(desc(bulkPeople.first))
    .limit(1)
    .get();
  if (row === undefined) return [];
  const from = position - row.first;
  return row.ids.slice(from, from + limit).map((contactId, index) => ({ position: position + index + 1, contactId }));
}

/** Throws `not_found`, also for a change of another workspace. */
export function getBulkChange(tx: ReadTx, workspaceId: number, id: number): BulkChange {
  const found = tx.db
    .select()
    .from(bulkChanges)
    .where(and(eq(bulkChanges.workspaceId, workspaceId), eq(bulkChanges.id, id), eq(bulkChanges.isListing, false)))
    .get();
  if (found === undefined) throw notFound("change");
  return found;
}

/** Unfinished changes and those finished within the last hour, newest first. */
export function listBulkChanges(tx: ReadTx, workspaceId: number): BulkChange[] {
  return tx.db
    .select()
    .from(bulkChanges)
    .where(
      and(
        eq(bulkChanges.workspaceId, workspaceId),
        eq(bulkChanges.isListing, false),
        or(eq(bulkChanges.state, "running"), gte(bulkChanges.updatedAt, tx.now - FINISHED_SHOWN_MS)),
      ),
    )
    .orderBy(desc(bulkChanges.id))
    .limit(LISTED_MAX)
    .all();
}

/**
 * Ends a running change; a finished one stays as it is. Returns undefined if the change is not running. What is left of its list is
 * deleted by `removeList`, some at a time.
 */
export function endBulkChange(
  tx: Tx,
  id: number,
  state: "done" | "stopped" | "failed",
  error: string | null = null,
): BulkChange | undefined {
  const ended = tx.db
    .update(bulkChanges)
    .set({ state, error, target: sql`'null'`, updatedAt: tx.now })
    .where(and(eq(bulkChanges.id, id), eq(bulkChanges.state, "running")))
    .returning()
    .get();
  if (ended !== undefined) removeList(tx, id);
  return ended;
}

export interface NextContact {
  position: number;
  contactId: number | null;
}

/**
 * Applies the change to the next contacts while `hasTime`, and stores the progress. Returns false if the change has
 * been stopped meanwhile. Throws `invalid_request` if the change is no longer possible.
 */
export function applyBatch(
  tx: Tx,
  workspace: Workspace,
  input: Pick<BulkChange, "id" | "change" | "userId">,
  next: readonly NextContact[],
  hasTime: () => boolean,
): boolean {
  const current = getBulkChange(tx, workspace.id, input.id);
  if (current.state !== "running") return false;
  let { position, processed, changed } = current;
  for (const { position: at, contactId } of next) {
    if (at <= position) continue;
    if (at > current.last || (position > current.position && !hasTime())) break;
    position = at;
    if (contactId === null) continue;
    const outcome = applyToContact(tx, workspace, input, contactId);
    if (outcome === "gone") continue;
    processed += 1;
    if (outcome === "changed") changed += 1;
  }
  tx.db
    .update(bulkChanges)
    .set({ position, processed, changed, updatedAt: tx.now })
    .where(eq(bulkChanges.id, current.id))
    .run();
  // At most the part that this batch has completed.
  tx.db
    .delete(bulkPeople)
    .where(and(eq(bulkPeople.bulkId, current.id), lte(bulkPeople.first, position - IDS_IN_PART)))
    .run();
  return true;
}

function applyToContact(
  tx: Tx,
  workspace: Workspace,
  { id, change, userId }: Pick<BulkChange, "id" | "change" | "userId">,
  contactId: number,
): "gone" | "same" | "changed" {
  const contact = findById(tx, workspace.id, contactId);
  if (contact === undefined || !isAddressable(contact)) return "gone";
  const person = addressOf(tx, contact);
  const evidence = { user: userId, bulk: id };
  if ("optOut" in change) {
    if (contact.consent === "opted_out") return "same";
    const { optOut: reason } = change;
    optOut(tx, workspace, person, { source: "bulk", evidence: { ...evidence, reason } });
    return "changed";
  }
  if ("showGroup" in change) {
    touchContact(tx, contactId);
    return "changed";
  }
  const { isChanged } = putContact(tx, workspace, person, toContactChanges(change), { source: "bulk", evidence });
  return isChanged ? "changed" : "same";
}

function toContactChanges(change: Exclude<BulkAction, { optOut: string } | { showGroup: number }>): ContactChanges {
  if ("addTag" in change) return { addTags: [change.addTag] };
  if ("removeTag" in change) return { removeTags: [change.removeTag] };
  if ("addToGroup" in change) return { addToGroups: [change.addToGroup] };
  return { removeFromGroups: [change.removeFromGroup] };
}
