/** Erases a person at once, in one transaction of a test: what an erasure does to the contact and to names elsewhere. */
import type { Tx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { deleteAttached } from "#src/domain/erasure/erase-attached.ts";
import { eraseContact } from "#src/domain/erasure/erase-contact.ts";
import { eraseMentions } from "#src/domain/erasure/erase-mentions.ts";
import { eraseNames, FIRST_NAMES, type NamesPlace } from "#src/domain/erasure/erase-names.ts";
import { eraseTexts, FIRST_PLACE, type Place } from "#src/domain/erasure/erase-texts.ts";
import { findPerson } from "#src/domain/erasure/person.ts";

/** `more`: what of the person is to be erased, too, before the contact is. */
export function erase(tx: Tx, contact: Contact, more: { texts?: true; events?: true } = {}): void {
  const person = findPerson(tx, contact);
  if (more.events === true)
    for (let last: number | null = 0; last !== null; ) ({ last } = eraseMentions(tx, person, "events", last));
  if (more.texts === true) {
    for (let place: Place | null = FIRST_PLACE; place !== null; )
      place = eraseTexts(tx, person, place, () => undefined).next;
  }
  for (const one of person.contacts) eraseContact(tx, one);
  while (deleteAttached(tx, person).isMore);
  for (let place: NamesPlace | null = FIRST_NAMES; place !== null; ) place = eraseNames(tx, person, place).next;
}
