/** A contact's own texts and dates: the columns that a caller may set. */
import { sql } from "drizzle-orm";
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

/** What is left out stays as it is; null clears. */
export type Profile = Partial<Record<ProfileField, string | null>>;

/** Every column with a value: the contact's own where the profile leaves it out. */
export function fullProfile(contact: Contact | null, profile: Profile): Record<ProfileField, string | null> {
  const full = {} as Record<ProfileField, string | null>;
  for (const field of profileFields) {
    const value = profile[field];
    full[field] = value === undefined ? (contact?.[field] ?? null) : value;
  }
  return full;
}

/** A placeholder for every column, for prepared statements. */
export const profilePlaceholders = {
  name: sql`${sql.placeholder("name")}`,
  firstName: sql`${sql.placeholder("firstName")}`,
  lastName: sql`${sql.placeholder("lastName")}`,
  email: sql`${sql.placeholder("email")}`,
  city: sql`${sql.placeholder("city")}`,
  state: sql`${sql.placeholder("state")}`,
  postalCode: sql`${sql.placeholder("postalCode")}`,
  company: sql`${sql.placeholder("company")}`,
  birthday: sql`${sql.placeholder("birthday")}`,
  anniversary: sql`${sql.placeholder("anniversary")}`,
} as const satisfies Record<ProfileField, unknown>;
