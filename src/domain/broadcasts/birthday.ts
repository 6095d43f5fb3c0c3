/**
 * Birthday broadcasts: a dynamic group whose filter asks for birthdays addresses people, not phone numbers. Everyone on
 * a number whose birthday meets one of the conditions is a recipient: the contact, and each other person.
 */
import { startOfDay } from "#src/core/instant.ts";
import type { Contact, PersonOnNumber } from "../contacts/table.ts";
import type { Condition } from "../filters/condition.ts";
import { yearlySpan } from "../filters/days.ts";
import type { Filter } from "../filters/filter.ts";
import type { Addressee } from "./values.ts";

type BirthdayCondition = Extract<Condition, { kind: "yearly" }>;

/** The conditions that ask for birthdays. A condition under `not` selects everyone else, so it does not count. */
export function birthdayConditions(filter: Filter): BirthdayCondition[] {
  switch (filter.kind) {
    case "condition":
      return asksForBirthdays(filter.condition) ? [filter.condition] : [];
    case "not":
      return [];
    case "all":
    case "any":
      return filter.parts.flatMap(birthdayConditions);
  }
}

function asksForBirthdays(condition: Condition): condition is BirthdayCondition {
  return (
    condition.kind === "yearly" &&
    condition.column === "birthday" &&
    (condition.test.op === "in" || condition.test.op === "within_days")
  );
}

/** Start and end of the day that an instant falls on; the end is exclusive. */
export function dayOf(at: number, timezone: string): { startsAt: number; endsAt: number } {
  const startsAt = startOfDay(at, timezone);
  const day = Temporal.Instant.fromEpochMilliseconds(startsAt).toZonedDateTimeISO(timezone).toPlainDate();
  return { startsAt, endsAt: day.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds };
}

/** Everyone on a number whose birthday meets one of the conditions, the contact first. */
export function celebrants(
  conditions: readonly BirthdayCondition[],
  contact: Contact,
  people: readonly PersonOnNumber[],
  at: number,
  timezone: string,
): Addressee[] {
  return [contact, ...people]
    .filter(({ birthday }) => birthday !== null && conditions.some(({ test }) => meets(test, birthday, at, timezone)))
    .map(({ name, firstName }) => ({ name, firstName }));
}

function meets(test: BirthdayCondition["test"], birthday: string, at: number, timezone: string): boolean {
  const day = birthday.slice(-5);
  switch (test.op) {
    case "in":
      return test.values.some((value) => (value.startsWith("--") ? value.slice(-5) === day : value === birthday));
    case "within_days": {
      const { from, to } = yearlySpan(at, timezone, test.days);
      return from <= to ? day >= from && day <= to : day >= from || day <= to;
    }
    default:
      return false;
  }
}
