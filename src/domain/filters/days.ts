/** Days as a workspace's calendar counts them: which of them "within so many days" means, at a moment. Pure. */
import { dateIn, readInstant } from "#src/core/instant.ts";

/** Months and days (`MM-DD`), both ends included; `from` later than `to` goes over the end of a year. */
export interface YearlySpan {
  from: string;
  to: string;
}

const LEAP_DAY = "02-29";
const DAY_BEFORE_LEAP_DAY = "02-28";
const WHOLE_YEAR: YearlySpan = { from: "01-01", to: "12-31" };

/**
 * The days of the year from today on. Whoever has 29 February is met on 28 February of a year without one: a span that
 * ends on that day takes the 29th in, and one that goes on has it between its ends anyway.
 */
export function yearlySpan(now: number, timezone: string, days: number): YearlySpan {
  // From here on every day of the year is in it, and the ends say nothing any more.
  if (days >= 365) return WHOLE_YEAR;
  const today = todayIn(now, timezone);
  const last = today.add({ days });
  const to = monthAndDay(last);
  return { from: monthAndDay(today), to: to === DAY_BEFORE_LEAP_DAY && !last.inLeapYear ? LEAP_DAY : to };
}

/** Today and so many days after it, as `YYYY-MM-DD`. */
export function comingDays(now: number, timezone: string, days: number): { from: string; to: string } {
  const today = todayIn(now, timezone);
  return { from: today.toString(), to: today.add({ days }).toString() };
}

/** The first instant of the day so many days before today. */
export function startOfLastDays(now: number, timezone: string, days: number): number {
  return firstInstant(todayIn(now, timezone).subtract({ days }).toString(), timezone);
}

/** Of a date, or a date and time, that was found readable before. */
export function firstInstant(date: string, timezone: string): number {
  const ms = readInstant(date, timezone);
  if (ms === null) throw new Error(`${date} was readable once and is not in ${timezone}`);
  return ms;
}

function todayIn(now: number, timezone: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(dateIn(now, timezone));
}

function monthAndDay(date: Temporal.PlainDate): string {
  return date.toString().slice(-5);
}
