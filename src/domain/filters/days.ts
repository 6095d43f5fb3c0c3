/** The calendar days that "within N days" means in a workspace's timezone. Pure. */
import { dateIn, readInstant } from "#src/core/instant.ts";

/**
 * Months and days (`MM-DD`), both ends included. If `from` is later than `to`, the span crosses the end of the year.
 */
interface YearlySpan {
  from: string;
  to: string;
}

const LEAP_DAY = "02-29";
const DAY_BEFORE_LEAP_DAY = "02-28";
const WHOLE_YEAR: YearlySpan = { from: "01-01", to: "12-31" };

/**
 * The days of the year from today on. In a year without 29 February, dates on 29 February match on the 28th: a span
 * that ends on the 28th is extended to the 29th, and a longer one includes the 29th anyway.
 */
export function yearlySpan(now: number, timezone: string, days: number): YearlySpan {
  // The span includes every day of the year, so its ends do not matter.
  if (days >= 365) return WHOLE_YEAR;
  const today = todayIn(now, timezone);
  const last = today.add({ days });
  const to = monthAndDay(last);
  return { from: monthAndDay(today), to: to === DAY_BEFORE_LEAP_DAY && !last.inLeapYear ? LEAP_DAY : to };
}

/** Today and the `days` days after it, as `YYYY-MM-DD`. */
export function comingDays(now: number, timezone: string, days: number): { from: string; to: string } {
  const today = todayIn(now, timezone);
  return { from: today.toString(), to: today.add({ days }).toString() };
}

/** The first instant of the day that is `days` days before today, in milliseconds. */
export function startOfLastDays(now: number, timezone: string, days: number): number {
  return firstInstant(todayIn(now, timezone).subtract({ days }).toString(), timezone);
}

/** The first instant of a date, or the instant of a date and time, in milliseconds. The caller has validated `date`. */
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
