/** The values of a contact's profile fields: how a caller's text is read, and how a change is merged. Pure. */
import { readYearlyDate } from "#src/core/calendar.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { type ProfileColumn, type ProfileKind, profileColumns } from "./profile-fields.ts";

/** An omitted field stays unchanged; null clears it. */
export type Profile = Partial<Record<ProfileColumn, string | null>>;

/** Every profile column with its value: the profile's if given, else the contact's. A text that shows nothing is none. */
export function fullProfile(
  contact: Readonly<Record<ProfileColumn, string | null>> | null,
  profile: Profile,
): Record<ProfileColumn, string | null> {
  const full = {} as Record<ProfileColumn, string | null>;
  for (const column of profileColumns) {
    const value = profile[column];
    if (value === undefined) full[column] = contact?.[column] ?? null;
    else full[column] = value === null || SHOWS_NOTHING.test(value) ? null : value;
  }
  return full;
}

export const EMAIL_PATTERN = '^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>".]+$';
export const EMAIL_LENGTH_MAX = 254;
const EMAIL = new RegExp(EMAIL_PATTERN, "u");

/** The value to store for what a caller wrote. Null: it does not have the form that the kind requires. */
export function readProfileValue(kind: ProfileKind, text: string): string | null {
  switch (kind) {
    case "text":
      return text;
    case "email":
      return text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text) ? text : null;
    case "date":
      return readYearlyDate(text);
  }
}
