/** The parts of a contact that are not in its row: people on the number, tags, groups, custom fields. */
import { asc, eq, sql } from "drizzle-orm";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { listGroupsOfContact } from "../groups/read.ts";
import type { FieldValue } from "./custom-field.ts";
import { readFieldsOfContact } from "./custom-fields.ts";
import { contactPeople, contactTags, type PersonOnNumber, tags } from "./table.ts";

interface ContactDetails {
  fields: Record<string, FieldValue>;
  people: PersonOnNumber[];
  tags: string[];
  groups: { id: number; name: string }[];
}

const peopleByContact = statement((db) =>
  db
    .select()
    .from(contactPeople)
    .where(eq(contactPeople.contactId, sql.placeholder("contactId")))
    .orderBy(asc(contactPeople.position))
    .prepare(),
);

const tagsByContact = statement((db) =>
  db
    .select({ id: tags.id, name: tags.name })
    .from(contactTags)
    .innerJoin(tags, eq(tags.id, contactTags.tagId))
    .where(eq(contactTags.contactId, sql.placeholder("contactId")))
    .orderBy(asc(tags.folded))
    .prepare(),
);

export function readDetails(tx: ReadTx, contactId: number): ContactDetails {
  return {
    fields: readFieldsOfContact(tx, contactId),
    people: listPeople(tx, contactId),
    tags: listTags(tx, contactId),
    groups: listGroupsOfContact(tx, contactId),
  };
}

/** The contact's tags, in alphabetical order. */
export function listTags(tx: ReadTx, contactId: number): string[] {
  return tagsByContact(tx)
    .all({ contactId })
    .map(({ name }) => name);
}

/** The people on the number, in the order in which the caller sent them. */
export function listPeople(tx: ReadTx, contactId: number): PersonOnNumber[] {
  return peopleByContact(tx).all({ contactId });
}
