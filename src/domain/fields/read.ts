/** Looking custom fields up, and the values that a contact has in them. */
import { and, asc, eq, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/storage/transaction.ts";
import { type FieldValue, readValue } from "./field.ts";
import { type CustomField, contactFields, customFields } from "./table.ts";

const ofWorkspace = statement((db) =>
  db
    .select()
    .from(customFields)
    .where(eq(customFields.workspaceId, sql.placeholder("workspaceId")))
    .orderBy(asc(customFields.key))
    .prepare(),
);

export function listFields(reading: Reading, workspaceId: number): CustomField[] {
  return ofWorkspace(reading).all({ workspaceId });
}

const byKey = statement((db) =>
  db
    .select()
    .from(customFields)
    .where(
      and(eq(customFields.workspaceId, sql.placeholder("workspaceId")), eq(customFields.key, sql.placeholder("key"))),
    )
    .prepare(),
);

export function findField(reading: Reading, workspaceId: number, key: string): CustomField | undefined {
  return byKey(reading).get({ workspaceId, key });
}

const ofContact = statement((db) =>
  db
    .select({
      key: customFields.key,
      kind: customFields.kind,
      textValue: contactFields.textValue,
      numberValue: contactFields.numberValue,
    })
    .from(contactFields)
    .innerJoin(customFields, eq(customFields.id, contactFields.fieldId))
    .where(eq(contactFields.contactId, sql.placeholder("contactId")))
    .orderBy(asc(customFields.key))
    .prepare(),
);

/** The contact's values by key; keys without a value are left out. */
export function readFieldsOfContact(reading: Reading, contactId: number): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const { key, kind, ...stored } of ofContact(reading).all({ contactId })) {
    const value = readValue(kind, stored);
    if (value !== null) values[key] = value;
  }
  return values;
}
