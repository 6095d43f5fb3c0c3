/**
 * The orders in which contacts can be listed, besides that of their last change. Most have an index. The others are for
 * short lists: all matches are read and sorted, so a longer list is refused.
 */
import { invalidRequest } from "#src/core/problem.ts";
import type { CustomField } from "../contacts/table.ts";
import { ADDRESSABLE } from "./condition-sql.ts";

/** How many matches can be sorted by a column without an index. */
export const SORTED_WITHOUT_INDEX_MAX = 20_000;

/** What a person is called on the screen, as `displayName` has it. Word for word as in `contacts_shown_name`. */
const SHOWN_NAME =
  "CASE WHEN name IS NOT NULL THEN name WHEN coalesce(first_name, '') = '' THEN nullif(last_name, '') WHEN coalesce(last_name, '') = '' THEN first_name ELSE first_name || ' ' || last_name END";

/** A part of an order: one index in its own order. Parts follow each other. */
export interface SortRun {
  /** Null: the rows are sorted. Two, which are merged: the one of people with a phone number, and of those without. */
  index: string | readonly [withPhone: string, without: string] | null;
  /** SQL without parameters; null: by id alone. */
  key: string | null;
  /** Which contacts it holds. */
  where: string;
}

export interface Sort {
  /** As the caller wrote it, and without the sign. */
  text: string;
  name: string;
  isDescending: boolean;
  /** False: for at most `SORTED_WITHOUT_INDEX_MAX` matches. */
  isIndexed: boolean;
  runs: readonly SortRun[];
}

/** Where a page ends. */
export interface SortPlace {
  run: number;
  /** Null where the run has no key. */
  key: string | number | null;
  id: number;
}

const WALK = "contacts_addressable";

/** Contacts with a value by that value, then those without one by id, in both directions. */
function withValueFirst(index: string | null, key: string, isSet: string, isNotSet: string, rest = WALK): SortRun[] {
  return [
    { index, key: key, where: `${ADDRESSABLE} AND ${isSet}` },
    { index: rest, key: null, where: `${ADDRESSABLE} AND ${isNotSet}` },
  ];
}

function byColumn(index: string | null, column: string, collation = " COLLATE NOCASE"): SortRun[] {
  return withValueFirst(
    index,
    `contacts.${column}${collation}`,
    `contacts.${column} IS NOT NULL`,
    `contacts.${column} IS NULL`,
  );
}

/** By the day in the year: the indexed expression. */
function byDay(column: "birthday" | "anniversary"): SortRun[] {
  const day = `substr(contacts.${column}, -5)`;
  return withValueFirst(`contacts_${column}`, day, `contacts.${column} IS NOT NULL`, `contacts.${column} IS NULL`);
}

export const WITH_PHONE = "contacts.phone IS NOT NULL";
export const WITHOUT_PHONE = "contacts.phone IS NULL AND contacts.network_user_id IS NOT NULL";
const consentRun = (consent: string): SortRun => ({
  index: WALK,
  key: null,
  where: `${ADDRESSABLE} AND contacts.consent = '${consent}'`,
});

const indexed = {
  name: withValueFirst(
    "contacts_shown_name",
    `(${SHOWN_NAME}) COLLATE NOCASE`,
    // A range, unlike IS NOT NULL of an expression: the index begins with those who have no name.
    `(${SHOWN_NAME}) COLLATE NOCASE >= ''`,
    `(${SHOWN_NAME}) IS NULL`,
    "contacts_shown_name",
  ),
  // Numbers begin with the country's calling code. People without one come last, by their last change, as an index has them.
  phone: [
    { index: "contacts_phone", key: "contacts.phone", where: WITH_PHONE },
    { index: "contacts_without_phone", key: "contacts.updated_at", where: WITHOUT_PHONE },
  ],
  // Three scans of an index that exists, instead of one more index to keep.
  consent: [consentRun("opted_in"), consentRun("unknown"), consentRun("opted_out")],
  last_message_at: byColumn("contacts_last_message", "last_message_at", ""),
  // Ids are given in the order in which contacts are added.
  created_at: [{ index: WALK, key: null, where: ADDRESSABLE }],
  updated_at: [
    { index: ["contacts_listed", "contacts_without_phone"], key: "contacts.updated_at", where: ADDRESSABLE },
  ],
  city: byColumn("contacts_city", "city"),
  username: byColumn("contacts_username", "username"),
  birthday: byDay("birthday"),
  anniversary: byDay("anniversary"),
} satisfies Record<string, SortRun[]>;

const unindexed = ["first_name", "last_name", "email", "state", "postal_code", "company"] as const;

/** What a list can be sorted by, besides custom fields. */
export const sortNames: readonly string[] = [...Object.keys(indexed), ...unindexed];

/** `name`, or `-name` for the other direction. Throws `invalid_request` at `sort`. */
export function readSort(text: string, fields: readonly CustomField[]): Sort {
  const isDescending = text.startsWith("-");
  const name = isDescending ? text.slice(1) : text;
  const runs = (indexed as Partial<Record<string, SortRun[]>>)[name];
  if (runs !== undefined)
    return { text, name, isDescending, isIndexed: true, runs: inDirection(name, runs, isDescending) };
  if (unindexed.some((known) => known === name)) {
    return { text, name, isDescending, isIndexed: false, runs: byColumn(null, name) };
  }
  const field = name.startsWith("fields.") ? fields.find(({ key }) => `fields.${key}` === name) : undefined;
  if (field === undefined) {
    const known = [...sortNames, "fields. and a custom field's key"];
    throw invalidRequest({ sort: [`The list cannot be sorted by ${name}; it can be by ${known.join(", ")}.`] });
  }
  return { text, name, isDescending, isIndexed: false, runs: byField(field) };
}

/** The three consents change places; people without a value stay last. */
function inDirection(name: string, runs: readonly SortRun[], isDescending: boolean): readonly SortRun[] {
  return name === "consent" && isDescending ? [...runs].reverse() : runs;
}

function byField({ id, kind }: CustomField): SortRun[] {
  const isText = kind === "text" || kind === "choice" || kind === "date";
  const value = `(SELECT ${isText ? "text_value" : "number_value"} FROM contact_fields WHERE contact_id = contacts.id AND field_id = ${id})`;
  return withValueFirst(null, `${value}${isText ? " COLLATE NOCASE" : ""}`, `${value} IS NOT NULL`, `${value} IS NULL`);
}
