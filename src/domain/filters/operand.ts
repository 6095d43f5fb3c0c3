/**
 * Reads an operator's value for the kind of field that it is compared with, or rejects it with its path and a sentence
 * that says what is valid. Pure: names and relative days are resolved when the filter runs.
 */
import { isCalendarDate, readYearlyDate } from "#src/core/calendar.ts";
import type { FieldProblems } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { otherVariant, readPhone } from "#src/core/phone.ts";
import { type Consent, consents } from "../contacts/consent.ts";
import { prefixesOf } from "../contacts/country-prefix.ts";
import type { CustomField } from "../contacts/table.ts";

/** Limits of one filter. They keep its SQL within SQLite's limits for any input. */
export const VALUES_MAX = 2_000;
const TEXT_LENGTH_MAX = 1_000;
/** A year and a day, so that every yearly date is within the span. */
const WITHIN_DAYS_MAX = 366;

/** State while a filter is read: the known custom fields and the problems found so far. */
export interface ParseState {
  fields: readonly CustomField[];
  /** The country of phone numbers without a country code. */
  country: string;
  problems: FieldProblems;
  conditionCount: number;
  valueCount: number;
}

/** An operator's value before validation. */
export interface Operand {
  operator: "is" | "in" | "contains" | "starts_with" | "set" | "over" | "under" | "before" | "after" | "within_days";
  value: unknown;
  path: string;
  state: ParseState;
}

/** Equals one of these values. */
export interface In<Value> {
  op: "in";
  values: readonly Value[];
}
/** Has any value. */
export interface IsSet {
  op: "set";
}
interface WithinDays {
  op: "within_days";
  days: number;
}
interface Beside {
  op: "before" | "after";
  date: string;
}

export type TextTest = In<string> | IsSet | { op: "contains" | "starts_with"; text: string };
export type NumberTest = In<number> | IsSet | { op: "over" | "under"; number: number };
export type DateTest = In<string> | IsSet | WithinDays | Beside;
export type InstantTest = IsSet | WithinDays | Beside;

export function refuse(state: ParseState, path: string, sentence: string): null {
  const sentences = state.problems[path];
  if (sentences === undefined) state.problems[path] = [sentence];
  else sentences.push(sentence);
  return null;
}

export function readTextTest(operand: Operand): TextTest | null {
  const { operator, value, path, state } = operand;
  if (operator !== "contains" && operator !== "starts_with") {
    return readSet(operand) ?? readValues(operand, (one, at) => readText(state, one, at));
  }
  const text = readText(state, value, path);
  return text === null ? null : { op: operator, text };
}

/** Accepts numbers in any common form. A number with a second number variant is compared in both. */
export function readPhoneTest(operand: Operand): TextTest | null {
  const { operator, value, path, state } = operand;
  if (operator === "contains" || operator === "starts_with") {
    const text = typeof value === "string" ? value.replaceAll(" ", "") : "";
    const isRight = operator === "contains" ? /^\+?[0-9]{1,20}$/.test(text) : /^\+[0-9]{1,20}$/.test(text);
    const right = operator === "contains" ? "digits, such as 98765" : "+ and the country code, such as +91";
    return isRight ? { op: operator, text } : refuse(state, path, `Part of a phone number is ${right}.`);
  }
  const test =
    readSet(operand) ??
    readValues(operand, (one, at) => {
      const phone = typeof one === "string" ? readPhone(one, state.country) : null;
      return phone ?? refuse(state, at, "This is not a phone number; write one such as +442079460210.");
    });
  if (test === null || test.op === "set") return test;
  return { op: "in", values: test.values.flatMap((phone) => [phone, otherVariant(phone) ?? phone]) };
}

export function readConsentTest(operand: Operand): In<Consent> | null {
  return readValues(operand, (value, at) => {
    const consent = consents.find((known) => known === value);
    return consent ?? refuse(operand.state, at, `Consent is one of ${consents.join(", ")}.`);
  });
}

export function readCountryTest(operand: Operand): In<string> | null {
  return readValues(operand, (value, at) => {
    const code = typeof value === "string" ? value.toUpperCase() : "";
    return prefixesOf(code).length > 0
      ? code
      : refuse(operand.state, at, "A country is a code of two letters, such as IN.");
  });
}

/** Reads names of tags or groups. */
export function readNameTest<Name extends string | number>(
  operand: Operand,
  problem: string,
  isName: (value: unknown) => value is Name,
): In<Name> | IsSet | null {
  const { state } = operand;
  return (
    readSet(operand) ??
    readValues(operand, (value, at) => {
      if (!isName(value)) return refuse(state, at, problem);
      // A string is checked like any text: neither empty nor too long.
      return typeof value === "string" && readText(state, value, at) === null ? null : value;
    })
  );
}

export function readChoiceTest(operand: Operand, choices: readonly string[]): In<string> | IsSet | null {
  return (
    readSet(operand) ??
    readValues(operand, (value, at) => {
      const choice = choices.find((known) => known === value);
      return choice ?? refuse(operand.state, at, `This field holds one of ${choices.join(", ")}.`);
    })
  );
}

export function readNumberTest(operand: Operand): NumberTest | null {
  const { operator, value, path, state } = operand;
  const readNumber = (one: unknown, at: string): number | null =>
    typeof one === "number" && Number.isFinite(one) ? one : refuse(state, at, "This must be a number, without quotes.");
  if (operator !== "over" && operator !== "under") return readSet(operand) ?? readValues(operand, readNumber);
  const number = readNumber(value, path);
  return number === null ? null : { op: operator, number };
}

export function readBooleanTest(operand: Operand): NumberTest | null {
  return (
    readSet(operand) ??
    readValues(operand, (value, at) =>
      typeof value === "boolean"
        ? Number(value)
        : refuse(operand.state, at, "This must be true or false, without quotes."),
    )
  );
}

/** Dates of custom fields, always with a year. */
export function readDateTest(operand: Operand): DateTest | null {
  return readDates(operand, (value, at) => readDay(operand.state, value, at));
}

/** Birthdays and anniversaries. A date without a year means that day in every year. */
export function readYearlyTest(operand: Operand): DateTest | null {
  const { operator, state } = operand;
  return readDates(operand, (value, at) => {
    const date = typeof value === "string" ? readYearlyDate(value) : null;
    if (date === null) return refuse(state, at, "This must be a date such as 1990-02-28, or --02-28 for every year.");
    const isYearless = date.startsWith("--");
    if (!isYearless || operator === "is" || operator === "in") return date;
    return refuse(state, at, `"${operator}" needs a date with its year, such as 1990-02-28.`);
  });
}

function readDates(operand: Operand, readDate: (value: unknown, at: string) => string | null): DateTest | null {
  const { operator, value, path } = operand;
  if (operator === "before" || operator === "after") {
    const date = readDate(value, path);
    return date === null ? null : { op: operator, date };
  }
  if (operator === "within_days") return readWithinDays(operand);
  return readSet(operand) ?? readValues(operand, readDate);
}

export function readInstantTest(operand: Operand): InstantTest | null {
  const { operator, value, path, state } = operand;
  if (operator === "within_days") return readWithinDays(operand);
  if (operator !== "before" && operator !== "after") return readSet(operand);
  // The timezone does not matter here: a date that is valid in one timezone is valid in all.
  if (typeof value === "string" && readInstant(value, "UTC") !== null) return { op: operator, date: value };
  return refuse(
    state,
    path,
    "This must be a date such as 2026-11-21, or a date and time such as 2026-11-21T18:30:00+05:30.",
  );
}

function readDay(state: ParseState, value: unknown, at: string): string | null {
  if (typeof value === "string" && isCalendarDate(value)) return value;
  return refuse(state, at, "This must be a date such as 2026-11-21.");
}

function readWithinDays({ value, path, state }: Operand): WithinDays | null {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= WITHIN_DAYS_MAX) {
    return { op: "within_days", days: value };
  }
  return refuse(state, path, `This must be a whole number of days from 0 (today) to ${WITHIN_DAYS_MAX}.`);
}

/** Returns null for another operator or an invalid value. The condition, not the test, holds the negation. */
function readSet({ operator, value, path, state }: Operand): IsSet | null {
  if (operator !== "set") return null;
  if (typeof value === "boolean") return { op: "set" };
  return refuse(state, path, `"set" is true (has a value) or false (has none).`);
}

/** Reads the values of `is` or `in`; null for other operators or invalid values. */
function readValues<Value>(
  { operator, value, path, state }: Operand,
  readOne: (value: unknown, path: string) => Value | null,
): In<Value> | null {
  if (operator === "is") {
    if (Array.isArray(value)) return refuse(state, path, `This operator takes one value; for several, use "in".`);
    state.valueCount += 1;
    const one = readOne(value, path);
    return one === null ? null : { op: "in", values: [one] };
  }
  if (operator !== "in") return null;
  if (!Array.isArray(value)) return refuse(state, path, `"in" takes a list of values, as in ["Pune", "Mumbai"].`);
  if (value.length === 0) return refuse(state, path, `The list is empty; add a value, or use "set": false.`);
  state.valueCount += value.length;
  // `readFilter` rejects a filter with too many values as a whole, so checking each one is pointless.
  if (value.length > VALUES_MAX) return null;
  const values = value.map((one: unknown, index) => readOne(one, `${path}.${index}`));
  const right = values.filter((one) => one !== null);
  return right.length < values.length ? null : { op: "in", values: [...new Set(right)] };
}

function readText(state: ParseState, value: unknown, at: string): string | null {
  if (typeof value !== "string") return refuse(state, at, "This must be a text, in quotes.");
  if (value === "")
    return refuse(state, at, `An empty text is not a value; use "set": false for contacts without one.`);
  if (value.length > TEXT_LENGTH_MAX) return refuse(state, at, `This may have at most ${TEXT_LENGTH_MAX} characters.`);
  // SQLite ends a string at a NUL byte, and a lone surrogate cannot be encoded as UTF-8.
  if (value.includes("\0") || !value.isWellFormed())
    return refuse(state, at, "This text contains characters that no field can contain.");
  return value;
}
