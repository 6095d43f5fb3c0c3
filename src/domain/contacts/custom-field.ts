/** The rules for keys and values of custom fields. Pure. */
import { isCalendarDate } from "#src/core/calendar.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { profileNames } from "./profile-fields.ts";

export const fieldKinds = ["text", "number", "date", "boolean", "choice"] as const;
export type FieldKind = (typeof fieldKinds)[number];
export type FieldValue = string | number | boolean;

/** What a field holds. `choices` is null unless `kind` is `choice`. */
interface FieldRule {
  kind: FieldKind;
  choices: readonly string[] | null;
}

/** Names of built-in contact fields. A custom field with one of these names would be ambiguous. */
const BUILT_IN: readonly string[] = [
  "phone",
  "user_id",
  "username",
  ...profileNames,
  "fields",
  "people",
  "tags",
  "tag",
  "groups",
  "group",
  "consent",
  "created_at",
  "updated_at",
  "last_message_at",
  "last_message_from_them_at",
];

const KEY = /^[a-z][a-z0-9_]{0,63}$/;

/** Describes in a sentence what is wrong with a key; null if the key is valid. */
export function findKeyProblem(key: string): string | null {
  if (!KEY.test(key))
    return "A key begins with a small letter and has small letters, digits and underscores, 64 at most.";
  return BUILT_IN.includes(key) ? `${key} is a built-in field; choose another key.` : null;
}

/** Describes in a sentence what is wrong with a value for this field; null if the value is valid. */
export function findValueProblem(field: FieldRule, value: unknown): string | null {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? null : "This field holds a text.";
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? null : "This field holds a number.";
    case "boolean":
      return typeof value === "boolean" ? null : "This field holds true or false.";
    case "date":
      return typeof value === "string" && isCalendarDate(value) ? null : "This field holds a date such as 2026-11-21.";
    case "choice":
      return typeof value === "string" && field.choices?.includes(value)
        ? null
        : `This field holds one of ${field.choices?.join(", ") ?? "no choices"}.`;
  }
}

interface StoredValue {
  textValue: string | null;
  numberValue: number | null;
}

/** The value as a caller gave it; null for a text that shows nothing, which counts as none. */
export function givenValue(field: FieldRule | undefined, value: unknown): unknown {
  return field?.kind === "text" && typeof value === "string" && SHOWS_NOTHING.test(value) ? null : value;
}

/** Converts a value to its stored columns. The caller has validated the value. */
export function storeValue(value: FieldValue): StoredValue {
  if (typeof value === "string") return { textValue: value, numberValue: null };
  return { textValue: null, numberValue: Number(value) };
}

/** Converts stored columns to the value that is shown. */
export function readValue(kind: FieldKind, { textValue, numberValue }: StoredValue): FieldValue | null {
  if (kind === "boolean") return numberValue === null ? null : numberValue !== 0;
  return kind === "number" ? numberValue : textValue;
}
