/** The people on a contact's number. The list is replaced as a whole. */

import { deleteRows, updateRows } from "#src/db/rows.ts";
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

export const PEOPLE_MAX = 20;
export const PERSON_NAME_MAX = 191;
export const PERSON_REF_MAX = 64;

/** A person of whom a file knows a part; what is null stays as it is stored. */
export interface GivenPerson {
  /** The contact is 1, and the first of its people 2. */
  number: number;
  name: string;
  birthday: string | null;
  ref: string | null;
}

/**
 * The stored list with the given people: one with a `ref` is the stored person of that `ref`, one without is the person at
 * its place. All others stay.
 */
export function mergePeople(stored: readonly NewPerson[], given: readonly GivenPerson[]): NewPerson[] {
  const people = [...stored];
  for (const { number, name, birthday, ref } of given) {
    const known = people.findIndex((one, at) =>
      ref !== null && people.some((other) => other.ref === ref)
        ? one.ref === ref
        : at === number - 2 && (ref === null || one.ref === null),
    );
    const before = known === -1 ? undefined : people[known];
    const firstName = before?.name === name ? before.firstName : null;
    const person = { name, firstName, birthday: birthday ?? before?.birthday ?? null, ref: ref ?? before?.ref ?? null };
    if (known === -1) people.push(person);
    else people[known] = person;
  }
  return people.slice(0, PEOPLE_MAX);
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
  for (const { id } of unmatched) deleteRows(tx, contactPeople, { id });
  for (const { person, row } of matched) {
    if (row === undefined)
      tx.db
        .insert(contactPeople)
        .values({ contactId, ...person })
        .run();
    else updateRows(tx, contactPeople, { id: row.id }, person);
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
