/**
 * Takes a custom field away, with every value that contacts have in it. A million contacts may change by that, and the
 * command line must not hold the database while the server runs: so it goes a few hundred contacts a transaction.
 */
import { and, eq, inArray } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { findField } from "../fields/read.ts";
import { contactFields, customFields } from "../fields/table.ts";
import { contacts } from "./table.ts";

const VALUES_A_TIME = 500;

/** False: values are left, call again. True: the field is gone. Throws `not_found`. */
export function removeField(tx: Tx, workspaceId: number, key: string): boolean {
  const field = findField(tx, workspaceId, key);
  if (field === undefined) throw notFound("field");
  const having = tx.db
    .select({ id: contactFields.contactId })
    .from(contactFields)
    .where(eq(contactFields.fieldId, field.id))
    .limit(VALUES_A_TIME)
    .all()
    .map(({ id }) => id);
  tx.db
    .delete(contactFields)
    .where(and(eq(contactFields.fieldId, field.id), inArray(contactFields.contactId, having)))
    .run();
  tx.db.update(contacts).set({ updatedAt: tx.now }).where(inArray(contacts.id, having)).run();
  if (having.length === VALUES_A_TIME) return false;
  tx.db.delete(customFields).where(eq(customFields.id, field.id)).run();
  return true;
}
