/** The profile columns of a contact: the texts and dates that a caller may set. */
import type { Contact } from "./table.ts";

export const profileFields = [
  "name",
  "firstName",
  "lastName",
  "email",
  "city",
  "state",
  "postalCode",
  "company",
  "birthday",
  "anniversary",
] as const;

export type ProfileField = (typeof profileFields)[number];

/** An omitted field stays unchanged; null clears it. */
export type Profile = Partial<Record<ProfileField, string | null>>;
/** Every profile column with its value: the profile's if given, else the contact's. */
export function fullProfile(contact: Contact | null, profile: Profile): Record<ProfileField, string | null> {
  const full = {} as Record<ProfileField, string | null>;
  for (const field of profileFields) {
    const value = profile[field];
    full[field] = value === undefined ? (contact?.[field] ?? null) : value;
  }
  return full;
}
