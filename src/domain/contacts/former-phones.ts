/**
 * The numbers that people have moved away from. For 30 days, a program that asks for a contact by its former number gets
 * the new one. Nothing else knows the former number: its next owner is another person.
 */
import { and, asc, desc, eq, gt, inArray } from "drizzle-orm";
import { type E164, otherVariant } from "#src/core/phone.ts";
import { listSome, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findById, readIdentifiers } from "./find.ts";
import { type Contact, formerPhones } from "./table.ts";

const SHOWN_FOR_MS = 30 * 24 * 60 * 60_000;

/** The contact leaves its number for `movedTo`. */
export function recordFormerPhone(tx: Tx, { id: contactId, workspaceId, phone }: Contact, movedTo: E164): void {
  if (phone === null) return;
  const move = { contactId, movedTo, movedAt: tx.now };
  upsertRow(tx, formerPhones, ["workspaceId", "phone"], { workspaceId, phone, ...move }, move);
}

/** The new number of the person who moved away from this one in the last 30 days, else null. For numbers without a contact. */
export function findMovedTo(tx: ReadTx, { id, country }: Workspace, input: string): string | null {
  const { identifiers } = readIdentifiers(input, country);
  const former = tx.db
    .select()
    .from(formerPhones)
    .where(
      and(
        eq(formerPhones.workspaceId, id),
        inArray(formerPhones.phone, identifiers),
        gt(formerPhones.movedAt, tx.now - SHOWN_FOR_MS),
      ),
    )
    .limit(1)
    .get();
  if (former === undefined) return null;
  // The person may have moved on.
  return findById(tx, id, former.contactId)?.phone ?? former.movedTo;
}

const MOVES_MAX = 100;

/** The numbers that the contact has moved away from, the last first; at most 100. */
export function listFormerPhones(tx: ReadTx, contactId: number): (typeof formerPhones.$inferSelect)[] {
  return listSome(tx, formerPhones, { contactId }, MOVES_MAX, desc(formerPhones.movedAt), asc(formerPhones.phone));
}

/** Of a contact that is erased: that its number belonged to another person before is forgotten. */
export function forgetFormerHolder(tx: Tx, { workspaceId, phone }: Contact): void {
  if (phone === null) return;
  const variants = [phone, otherVariant(phone as E164)].filter((variant) => variant !== null);
  tx.db
    .delete(formerPhones)
    .where(and(eq(formerPhones.workspaceId, workspaceId), inArray(formerPhones.phone, variants)))
    .run();
}
