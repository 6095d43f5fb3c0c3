/**
 * Removes a custom field with its values. Up to a million contacts change by that, and the command line must not block
 * a running server's writes, so each transaction changes 500 contacts.
 */
import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { deleteRows, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { findField } from "../contacts/custom-fields.ts";
import { CONTACT_CHANGED, contactFields, contacts, customFields } from "../contacts/table.ts";
import { conditionsOf } from "./filter.ts";
import { findDynamicGroup } from "./remove-group.ts";

const VALUES_PER_BATCH = 500;

/**
 * Returns false if values remain: call it again. Returns true once the field is removed. Throws `not_found`, and
 * `invalid_request` (path `key`) while a dynamic group uses the field: without it the group would match no contact.
 */
export function removeField(tx: Tx, workspaceId: number, key: string): boolean {
  const field = findField(tx, workspaceId, key);
  if (field === undefined) throw notFound("field");
  const dependent = findDynamicGroup(tx, workspaceId, (filter) =>
    conditionsOf(filter).some((condition) => "field" in condition && condition.field.id === field.id),
  );
  if (dependent !== undefined) {
    throw invalidRequest({
      key: [`The dynamic group ${dependent.name} uses the field ${key}; remove that group first.`],
    });
  }
  const contactIds = listValued(tx, field.id, VALUES_PER_BATCH);
  if (contactIds.length > 0) {
    tx.db
      .delete(contactFields)
      .where(and(eq(contactFields.fieldId, field.id), inArray(contactFields.contactId, contactIds)))
      .run();
    updateRows(tx, contacts, inArray(contacts.id, contactIds), { updatedAt: tx.now });
    tx.notify(CONTACT_CHANGED);
  }
  if (contactIds.length === VALUES_PER_BATCH) return false;
  deleteRows(tx, customFields, { id: field.id });
  return true;
}

/** Contacts with a value of the field, by the two indexes of values: a value is a text or a number. */
function listValued(tx: Tx, fieldId: number, limit: number): number[] {
  const found: number[] = [];
  for (const column of [contactFields.textValue, contactFields.numberValue]) {
    const rows = tx.db
      .select({ id: contactFields.contactId })
      .from(contactFields)
      .where(and(eq(contactFields.fieldId, fieldId), isNotNull(column)))
      .limit(limit - found.length)
      .all();
    found.push(...rows.map(({ id }) => id));
    if (found.length === limit) break;
  }
  return found;
}
