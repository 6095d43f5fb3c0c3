/** Erases a person at once, in one transaction of a test: what an erasure does to the contact and to names elsewhere. */
import type { Tx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { eraseContact, eraseNames, eraseTexts } from "#src/domain/erasure/erase-contact.ts";
import { eraseMentions } from "#src/domain/erasure/erase-mentions.ts";
import { findPerson } from "#src/domain/erasure/person.ts";

/** `more`: what of the person is to be erased, too, before the contact is. */
export function erase(tx: Tx, contact: Contact, more: { texts?: true; events?: true } = {}): void {
  const person = findPerson(tx, contact);
  if (more.events === true) eraseMentions(tx, person, "events", 0, 200);
  while (more.texts === true && eraseTexts(tx, person, 1).isMore);
  for (const one of person.contacts) eraseContact(tx, one);
  eraseNames(tx, person);
}
