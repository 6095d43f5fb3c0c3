/** The body of `PUT /contacts`: the list, and each of its contacts. */

import { Type } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { Form, FormComponent, inDocument } from "#src/core/schema.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import { findFieldProblems } from "../validate.ts";
import { ContactBody, readContactChanges } from "./contact.ts";

const CONTACTS_MAX = 500;

/** Without a name, because the server's validator knows the named one as a part of the whole body. */
const ContactOfManyBody = Form({
  phone: Type.String({
    description: "As in the path of `PUT /contacts/{phone}`: a phone number in any common format, or a user id.",
    examples: ["+442079460210"],
  }),
  ...ContactBody.properties,
});

const NamedContact = {
  ...ContactOfManyBody,
  $id: "ContactOfManyInput",
  description: "One of many contacts to create or update: its number, and the fields of `ContactInput`.",
};

export const ContactsBody = FormComponent("ContactsInput", "Many contacts to create or update.", {
  // The server checks the contacts one by one, so that a wrong one does not refuse the others.
  contacts: Type.Array(inDocument(Type.Unknown(), NamedContact), {
    minItems: 1,
    maxItems: CONTACTS_MAX,
    description: "Applied in this order.",
  }),
});

/** The contacts as they were sent; nothing is known of their form. Throws `invalid_request`. */
export function readContactList(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const problems = findFieldProblems(ContactsBody, body);
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return body.contacts as unknown[];
}

/** Throws `invalid_request` with the paths within the contact, as for the body of `PUT /contacts/{phone}`. */
export function readContactOfMany(contact: unknown): { phone: string; changes: ContactChanges } {
  if (!isObject(contact)) throw new Problem("invalid_request", "A contact has to be a JSON object.", { fields: {} });
  const changes = readContactChanges(contact, ContactOfManyBody);
  return { phone: contact.phone as string, changes };
}

/** The text that the caller gave as the phone number, whatever it is; null without one. */
export function givenPhone(contact: unknown): string | null {
  return isObject(contact) && typeof contact.phone === "string" ? contact.phone : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
