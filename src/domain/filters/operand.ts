/**
 * What stands behind an operator: read for the kind of field that it is compared with, or refused with the path of the
 * mistake and a sentence that says what would be right. Pure; what a name or a day means is decided when the filter runs.
 */
import { isCalendarDate, readYearlyDate } from "#src/core/calendar.ts";
import { readInstant } from "#src/core/instant.ts";
import { otherVariant, readPhone } from "#src/core/phone.ts";
import type { FieldProblems } from "#src/core/problem.ts";
import { type Consent, consents } from "../contacts/consent.ts";
import type { CustomField } from "../contacts/table.ts";

/** Bounds of one filter: they keep its SQL within what SQLite takes, whatever is written. */
export const VALUES_MAX = 2_000;
export const TEXT_LENGTH_MAX = 1_000;
/** A year and a day: whatever happens once a year is within. */
export const WITHIN_DAYS_MAX = 366;

/** A filter while it is read: what it may speak of, and what was found wrong so far. */
export interface ParseState {
  fields: readonly CustomField[];
  /** Where phone numbers without a country code belong. */
  country: string;
  problems: FieldProblems;
  conditionCount: number;
  valueCount: number;
}

/** An operator's value, not looked at yet. */
export interface Operand {
  operator: "is" | "in" | "contains" | "starts_with" | "set" | "over" | "under" | "before" | "after" | "within_days";
  value: unknown;
  path: string;
  state: ParseState;
}

/** Equals one of these. */
export interface In<Value> {
  op: "in";
  values: readonly Value[];
}
/** Has a value at all. */
export interface IsSet {
  op: "set";
}
export interface WithinDays {
  op: "within_days";
  days: number;
}
export interface Beside {
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

/** Numbers in any common form; one that the network spells in two ways is compared in both. */
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
      return phone ?? refuse(state, at, "This is no phone number; write one such as +919876543210.");
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

/** A tag or a group. */
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
      // A text is looked at as every text is: not empty, not endless.
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

/** Dates as custom fields hold them: always with a year. */
export function readDateTest(operand: Operand): DateTest | null {
  return readDates(operand, (value, at) => readDay(operand.state, value, at));
}

/** Birthdays and anniversaries; one without a year means that day of every year. */
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
  // The zone does not matter here: what can be read in one can be read in all.
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

/** Null: another operator, or a mistake. Whether the answer is negated is the condition's affair. */
function readSet({ operator, value, path, state }: Operand): IsSet | null {
  if (operator !== "set") return null;
  if (typeof value === "boolean") return { op: "set" };
  return refuse(state, path, `"set" is true (has a value) or false (has none).`);
}

/** Of `is` or `in`; null for other operators, or after a mistake. */
function readValues<Value>(
  { operator, value, path, state }: Operand,
  readOne: (value: unknown, path: string) => Value | null,
): In<Value> | null {
  if (operator === "is") {
    if (Array.isArray(value)) return refuse(state, path, `One value stands here; for several of them use "in".`);
    state.valueCount += 1;
    const one = readOne(value, path);
    return one === null ? null : { op: "in", values: [one] };
  }
  if (operator !== "in") return null;
  if (!Array.isArray(value)) return refuse(state, path, `"in" takes a list of values, as in ["Pune", "Mumbai"].`);
  if (value.length === 0)
    return refuse(state, path, `The list is empty; name a value, or ask with "set": false for none.`);
  state.valueCount += value.length;
  // A list that breaks the bound is refused as a whole by the filter; nothing is gained by looking at each value.
  if (value.length > VALUES_MAX) return null;
  const values = value.map((one: unknown, index) => readOne(one, `${path}.${index}`));
  const right = values.filter((one) => one !== null);
  return right.length < values.length ? null : { op: "in", values: [...new Set(right)] };
}

function readText(state: ParseState, value: unknown, at: string): string | null {
  if (typeof value !== "string") return refuse(state, at, "This must be a text, in quotes.");
  if (value === "")
    return refuse(state, at, `An empty text is no value; ask with "set": false for contacts without one.`);
  if (value.length > TEXT_LENGTH_MAX) return refuse(state, at, `This may have ${TEXT_LENGTH_MAX} characters at most.`);
  // SQLite ends a text at a zero byte, and half a character cannot be written as UTF-8.
  if (value.includes("\0") || !value.isWellFormed())
    return refuse(state, at, "This text holds characters that no field can hold.");
  return value;
}
