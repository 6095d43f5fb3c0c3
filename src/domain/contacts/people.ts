/** The people on a contact's number. The list is replaced as a whole. */

import { eq } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { listPeople } from "./details.ts";
import { contactPeople, type PersonOnNumber } from "./table.ts";

export interface NewPerson {
  name: string;
  /** Null: derived from `name`, as its first word that is not a title. */
  firstName: string | null;
  birthday: string | null;
  ref: string | null;
}

/**
 * Replaces the list. A person with a known `ref` keeps the same row; people without a `ref` are matched by position.
 * Returns false if nothing changed.
 */
export function replacePeople(tx: Tx, contactId: number, people: NewPerson[]): boolean {
  const before = listPeople(tx, contactId);
  const incoming = people.map((person, position) => ({
    ...person,
    firstName: person.firstName ?? readFirstName(person.name),
    position,
  }));
  if (incoming.length === before.length && incoming.every((person, index) => isSame(person, before[index])))
    return false;
  const unmatched = [...before];
  const matched = incoming.map((person) => {
    const index = unmatched.findIndex(({ ref, position }) =>
      person.ref === null ? ref === null && position === person.position : ref === person.ref,
    );
    return { person, row: index === -1 ? undefined : unmatched.splice(index, 1)[0] };
  });
  for (const { id } of unmatched) tx.db.delete(contactPeople).where(eq(contactPeople.id, id)).run();
  for (const { person, row } of matched) {
    if (row === undefined)
      tx.db
        .insert(contactPeople)
        .values({ contactId, ...person })
        .run();
    else tx.db.update(contactPeople).set(person).where(eq(contactPeople.id, row.id)).run();
  }
  return true;
}

function isSame(incoming: NewPerson & { position: number }, known: PersonOnNumber | undefined): boolean {
  return (
    known !== undefined &&
    known.name === incoming.name &&
    known.firstName === incoming.firstName &&
    known.birthday === incoming.birthday &&
    known.ref === incoming.ref
  );
}

/** Titles are not first names: "Dr Rao" is greeted as "Rao". Compared without case and trailing point. */
const TITLES = new Set(
  [
    ["mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "madam", "rev", "fr", "capt", "col", "maj", "lt", "hon"],
    ["shri", "shrimati", "smt", "sri", "kumari", "km", "pt", "pandit", "er", "adv", "ca"],
    ["sr", "sra", "srta", "don", "dona", "doña", "dra", "ing", "lic"],
    ["herr", "frau", "m", "mme", "mlle", "sig", "sigra", "dott", "bapak", "ibu"],
  ].flat(),
);

/** The first word of a name that is neither a title nor a sign ("Mr & Mrs Smith" is greeted as "Smith"); null if there is none. */
function readFirstName(name: string): string | null {
  const words = name.trim().split(/\s+/u);
  return words.find((word) => /\p{L}/u.test(word) && !TITLES.has(word.toLowerCase().replace(/\.$/u, ""))) ?? null;
}
