/** Two contacts side by side: which fields differ, what consent the joined one has, and what a join was decided on. */
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Consent } from "../contacts/consent.ts";
import type { FieldValue } from "../contacts/custom-field.ts";
import { readFieldsOfContact } from "../contacts/custom-fields.ts";
import { nameOfAddress } from "../contacts/find.ts";
import { isSameNumber } from "../contacts/joined.ts";
import { profileFields, profileNames } from "../contacts/profile-fields.ts";
import type { Contact } from "../contacts/table.ts";

/** Of the hash that stands for what was compared, in hexadecimal digits. */
const SEEN_LENGTH = 32;

interface ComparedField {
  /** `phone`, a profile field, or `fields.` and the key of a custom field. */
  field: string;
  stays: FieldValue | null;
  goes: FieldValue | null;
  /** Both have a value, and they are not the same: a user chooses. */
  differs: boolean;
}

/** Fields of which one of them has a value; `phone` first. */
export function compareFields(tx: ReadTx, stays: Contact, goes: Contact): ComparedField[] {
  const [ofStays, ofGoes] = [readFieldsOfContact(tx, stays.id), readFieldsOfContact(tx, goes.id)];
  const keys = [...new Set([...Object.keys(ofStays), ...Object.keys(ofGoes)])].toSorted();
  const rows = [
    { field: "phone", stays: stays.phone, goes: goes.phone },
    ...profileNames.map((name) => {
      const { column } = profileFields[name];
      return { field: name, stays: stays[column], goes: goes[column] };
    }),
    ...keys.map((key) => ({ field: `fields.${key}`, stays: ofStays[key] ?? null, goes: ofGoes[key] ?? null })),
  ];
  return rows
    .filter((row) => row.stays !== null || row.goes !== null)
    .map((row) => ({ ...row, differs: row.stays !== null && row.goes !== null && row.stays !== row.goes }));
}

/** An opt-out of either holds. Otherwise what stays is what is recorded for the one that stays: an opt-in belongs to its number. */
export function consentAfter(stays: Contact, goes: Contact): Consent {
  return goes.consent === "opted_out" ? "opted_out" : stays.consent;
}

/** Whether a further number of the person remains, and which of both is answered first. */
export function numbersAfter(
  stays: Contact,
  goes: Contact,
  takesPhone: boolean,
): { first: string | null; further: string | null } {
  if (stays.phone === null || goes.phone === null) return { first: stays.phone ?? goes.phone, further: null };
  const [first, other] = takesPhone ? [goes.phone, stays.phone] : [stays.phone, goes.phone];
  return { first, further: isSameNumber(first, other) ? null : other };
}

/**
 * Stands for what a user decides on: names, values, consent. A message in either direction does not change it, because it
 * follows the join in any case.
 */
export function seenOf(tx: ReadTx, stays: Contact, goes: Contact): string {
  const sides = [stays, goes].map((contact) => [
    ...[contact.id, nameOfAddress(contact), contact.networkUserId, contact.consent, contact.mayWantToStopSince],
    ...profileNames.map((name) => contact[profileFields[name].column]),
    readFieldsOfContact(tx, contact.id),
  ]);
  const hash = tx.keyedHash(`joined_contacts:${JSON.stringify(sides)}`);
  return Buffer.from(hash).toString("hex").slice(0, SEEN_LENGTH);
}

/** Throws `invalid_request` if they are one contact, or if either has changed since `seen`. */
export function requirePair(tx: ReadTx, stays: Contact, goes: Contact, seen: string | null): void {
  if (stays.id === goes.id)
    throw invalidRequest({ with: [`${nameOfAddress(stays)} is this contact already; there is nothing to join.`] });
  if (seen === null || seen === seenOf(tx, stays, goes)) return;
  throw new Problem("invalid_request", "One of the two contacts has changed since you looked.", {
    fields: { seen: ["One of the two contacts has changed since. Read both again, then join them."] },
  });
}
