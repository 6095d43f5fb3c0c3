/**
 * Converts between milliseconds since the epoch (inside) and ISO 8601 text in a workspace's timezone (outside). Printed
 * text always denotes the same second when it is read again. Zone rules come from `Temporal`; the offset between two
 * clock changes is cached, because this module prints every time in every answer.
 */

/** A calendar date as shown in the workspace's timezone; `month` and `day` count from 1. */
interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

/**
 * Prints `ms` in `timeZone` with the zone's offset at that instant: `2026-11-21T08:44:26+05:30`. Milliseconds are
 * truncated, not rounded. UTC prints `+00:00`, never `Z`, so that all times in the API have one shape. Throws a
 * RangeError for an unknown zone and for a value that is not a date.
 */
export function formatInstant(ms: number, timeZone: string): string {
  const span = offsetSpanAt(ms, timeZone);
  const localSeconds = Math.floor((ms + span.printedOffsetMs) / 1_000);
  const dayNumber = Math.floor(localSeconds / DAY_S);
  const second = localSeconds - dayNumber * DAY_S;
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  return `${dateText(dayNumber)}T${two(hour)}:${two(minute - hour * 60)}:${two(second - minute * 60)}${span.suffix}`;
}

/**
 * Reads ISO 8601 in its extended form: a date, or a date and time. A date (`2026-11-21`) means its first instant in
 * `timeZone`, which is not 00:00 where the clocks change at midnight. A time may have an offset or `Z`; without one it
 * is wall time in `timeZone`: of a time that occurs twice the first is used, and a skipped time moves forward by the
 * length of the gap. Returns milliseconds since the epoch, finer fractions truncated. Null for everything else; never
 * throws.
 *
 * Rejected although `Temporal` or ISO 8601 accepts them: annotations in brackets, the basic form without separators, a
 * time of hours alone, years with a sign, a space or lower-case letters for `T` and `Z`, offsets with seconds, `24:00`,
 * week and ordinal dates, and the first and last day of the four-digit years, which another zone would print with a
 * sign and six digits. `+0530` without a colon is accepted, because Meta and PHP write it. Second 60 is read as 59.
 */
export function readInstant(input: string, timeZone: string): number | null {
  const ms = input.length > INPUT_LENGTH_MAX ? null : readAny(input, timeZone);
  return ms === null || ms < FIRST_READ_MS || ms >= LAST_READ_MS ? null : ms;
}

function readAny(input: string, timeZone: string): number | null {
  const match = ISO_8601.exec(input);
  if (match === null) return null;
  const [, time, offset] = match;
  try {
    if (time === undefined) return Temporal.PlainDate.from(input).toZonedDateTime(timeZone).epochMilliseconds;
    if (offset !== undefined) return Temporal.Instant.from(input).epochMilliseconds;
    return Temporal.PlainDateTime.from(input).toZonedDateTime(timeZone).epochMilliseconds;
  } catch (error) {
    // The 30th of February, hour 25, an unknown zone.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * True for a timezone of the IANA database, spelled as in the database, including old names (`Asia/Calcutta`). Bare
 * offsets are rejected, because they have no clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name;
  } catch {
    return false;
  }
}

/** The first instant of the day, in `timeZone`, that contains `ms`. Throws like `formatInstant`. */
export function startOfDay(ms: number, timeZone: string): number {
  const dayNumber = localDayNumber(ms, timeZone);
  const known = dayStarts.get(timeZone);
  // Compared by day number rather than by interval: where clocks go back across midnight, one day has two intervals.
  if (known?.dayNumber === dayNumber) return known.startMs;
  const startMs = Temporal.PlainDate.from(civilFromDays(dayNumber)).toZonedDateTime(timeZone).epochMilliseconds;
  if (dayStarts.size >= ZONES_MAX) dayStarts.clear();
  dayStarts.set(timeZone, { dayNumber, startMs });
  return startMs;
}

/** The date in `timeZone` at `ms`. Throws like `formatInstant`. */
export function dateIn(ms: number, timeZone: string): CalendarDate {
  return civilFromDays(localDayNumber(ms, timeZone));
}

const DAY_S = 86_400;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * The limits of a Date. No span extends beyond them, so a value outside never matches a cached span and is rejected.
 */
const LAST_MS = 8_640_000_000_000_000;

/** Every accepted instant has a four-digit year in every timezone. */
const FIRST_READ_MS = Date.parse("0000-01-02T00:00:00Z");
const LAST_READ_MS = Date.parse("9999-12-31T00:00:00Z");

/** The longest text that the pattern below matches. */
const INPUT_LENGTH_MAX = 35;

/** Group 1 is present if there is a time; group 2 is the offset. */
const ISO_8601 =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$/;

/** The time between two clock changes of a zone: `fromMs` inclusive, `untilMs` exclusive. */
interface OffsetSpan {
  fromMs: number;
  untilMs: number;
  offsetMs: number;
  /**
   * The offset in whole minutes, which is all that ISO 8601 can print. Liberia was 44 minutes and 30 seconds behind UTC
   * until 1972: printing the wall time with the rounded offset keeps the text equal to the instant.
   */
  printedOffsetMs: number;
  suffix: string;
}

/** Limits of the caches. A list covering a few years needs a handful of spans; a server has few zones. */
const ZONES_MAX = 512;
const SPANS_MAX = 16;
const spansOfZone = new Map<string, OffsetSpan[]>();
const dayStarts = new Map<string, { dayNumber: number; startMs: number }>();

function offsetSpanAt(ms: number, timeZone: string): OffsetSpan {
  const spans = spansOfZone.get(timeZone);
  if (spans !== undefined) {
    for (const span of spans) if (ms >= span.fromMs && ms < span.untilMs) return span;
  }
  return learnSpan(ms, timeZone);
}

function learnSpan(ms: number, timeZone: string): OffsetSpan {
  const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone);
  // "previous" excludes a change at exactly this instant, so the search starts a nanosecond later.
  const previous = moment.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  const next = moment.getTimeZoneTransition("next");
  const offsetMs = moment.offsetNanoseconds / 1_000_000;
  const printedOffsetMs = Math.round(offsetMs / MINUTE_MS) * MINUTE_MS;
  const span: OffsetSpan = {
    fromMs: previous?.epochMilliseconds ?? -LAST_MS,
    untilMs: next?.epochMilliseconds ?? LAST_MS,
    offsetMs,
    printedOffsetMs,
    suffix: offsetText(printedOffsetMs),
  };
  if (spansOfZone.size >= ZONES_MAX && !spansOfZone.has(timeZone)) spansOfZone.clear();
  const spans = spansOfZone.get(timeZone) ?? [];
  if (spans.length >= SPANS_MAX) spans.shift();
  spans.push(span);
  spansOfZone.set(timeZone, spans);
  return span;
}

function localDayNumber(ms: number, timeZone: string): number {
  return Math.floor((ms + offsetSpanAt(ms, timeZone).offsetMs) / DAY_MS);
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const hours = Math.floor(minutes / 60);
  return `${offsetMs < 0 ? "-" : "+"}${two(hours)}:${two(minutes - hours * 60)}`;
}

/** Cached, because most times in one answer fall on the same day. */
let lastDayNumber = Number.NaN;
let lastDateText = "";

function dateText(dayNumber: number): string {
  if (dayNumber !== lastDayNumber) {
    const { year, month, day } = civilFromDays(dayNumber);
    lastDateText = `${yearText(year)}-${two(month)}-${two(day)}`;
    lastDayNumber = dayNumber;
  }
  return lastDateText;
}

/** Four digits; ISO 8601 requires a sign and six digits for other years. */
function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/**
 * The proleptic Gregorian date of a day counted from 1970-01-01. Years start on 1 March, so that the leap day is the
 * last day of its year, and are grouped into eras of 400 years (146,097 days).
 */
function civilFromDays(dayNumber: number): CalendarDate {
  const sinceMarch = dayNumber + 719_468;
  const era = Math.floor(sinceMarch / 146_097);
  const dayOfEra = sinceMarch - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"));

function two(number: number): string {
  return TWO_DIGITS[number] ?? String(number);
}
