/** The parts of a contact that are not in its row: people on the number, tags, groups, custom fields. */
import type { ReadTx } from "#src/db/transaction.ts";
import { listGroupsOfContact } from "../groups/read.ts";
import type { FieldValue } from "./custom-field.ts";
import { readFieldsOfContact } from "./custom-fields.ts";
import { peopleOfContact, tagsOfContact } from "./detail-statements.ts";
import type { PersonOnNumber } from "./table.ts";

interface ContactDetails {
  fields: Record<string, FieldValue>;
  people: PersonOnNumber[];
  tags: string[];
  groups: { id: number; name: string }[];
}

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
  return tagsOfContact(tx)
    .all({ contactId })
    .map(({ name }) => name);
}

/** The people on the number, in the order in which the caller sent them. */
export function listPeople(tx: ReadTx, contactId: number): PersonOnNumber[] {
  return peopleOfContact(tx).all({ contactId });
}
