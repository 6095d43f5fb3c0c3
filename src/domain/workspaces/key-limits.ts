/** The limits that a person gives an API key: what it may do, until when, and how many people it may message a day. */
import { durationAfter, readDuration } from "#src/core/duration.ts";
import { unknownName } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest, noProblems, quote } from "#src/core/problem.ts";
import { type Scope, scopes } from "./scopes.ts";
import type { Workspace } from "./table.ts";

export interface KeyLimits {
  /** Null: everything. */
  scopes: Scope[] | null;
  /** Null: never. */
  expiresAt: number | null;
  /** Null: no limit. */
  dailyPeople: number | null;
}

export const NO_LIMITS: Readonly<KeyLimits> = { scopes: null, expiresAt: null, dailyPeople: null };

/** As it was typed. What is omitted does not limit the key. */
export interface KeyLimitsInput {
  scopes?: readonly string[] | undefined;
  /** A duration from now, a date or a time. */
  expires?: string | undefined;
  dailyPeople?: number | undefined;
}

/** More people than any number reaches in a day. */
const DAILY_PEOPLE_MAX = 10_000_000;

/** Throws `invalid_request` with every wrong field. */
export function readKeyLimits(
  input: KeyLimitsInput,
  { timezone }: Pick<Workspace, "timezone">,
  now: number,
): KeyLimits {
  const fields = noProblems();
  const { scopes: names, expires, dailyPeople = null } = input;

  const unknown = (names ?? []).filter((name) => !isScope(name));
  if (unknown.length > 0) {
    const sentence = (name: string): string => `${quote(name)} is not a scope; there are ${scopes.join(", ")}.`;
    fields.scopes = unknown.map((name) => unknownName(sentence(name), name, scopes));
  } else if (names?.length === 0) {
    fields.scopes = [{ rule: "too_few", sentence: `Name at least one of ${scopes.join(", ")}.`, limit: 1 }];
  }

  const expiresAt = expires === undefined ? null : readExpiry(expires.trim(), timezone, now);
  if (expires !== undefined && expiresAt === null) {
    fields.expires = [
      { rule: "format", sentence: "Give a duration such as 90d, or a date such as 2027-01-31, up to 100 years ahead." },
    ];
  } else if (expiresAt !== null && expiresAt <= now) {
    fields.expires = ["This time has passed."];
  }

  if (dailyPeople !== null && !isBetween(dailyPeople, 1, DAILY_PEOPLE_MAX)) {
    fields.daily_people = [`Give a whole number from 1 to ${DAILY_PEOPLE_MAX}.`];
  }
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return {
    scopes: names === undefined ? null : scopes.filter((scope) => names.includes(scope)),
    expiresAt,
    dailyPeople,
  };
}

function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/** Null: unreadable, or too far ahead. */
function readExpiry(text: string, timezone: string, now: number): number | null {
  const duration = readDuration(text);
  const at = duration === null ? readInstant(text, timezone) : durationAfter(now, duration);
  const latest = durationAfter(now, { kind: "months", months: 1_200 });
  return at === null || at > latest ? null : at;
}
