/** The body of `PUT /contacts`: the list, and each of its contacts. */
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import { findFieldProblems } from "../validate.ts";
import { readContactChanges } from "./contact-body.ts";
import { ContactOfManyBody, ContactsBody } from "./contacts-schema.ts";

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
