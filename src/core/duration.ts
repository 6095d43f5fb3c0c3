/**
 * Lengths of time as people write them in a configuration or on a command line, and as they read them. Months are kept
 * apart from milliseconds, because the length of a month depends on where it starts.
 */

export type Duration = { kind: "ms"; ms: number } | { kind: "months"; months: number };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A hundred years: no setting needs more, and now minus a duration remains a valid date. */
const DURATION_MAX_MS = 36_525 * DAY_MS;
const MONTHS_MAX = 1_200;

/** `m` means minutes, as in most configurations; months are always written out. */
const UNITS: ReadonlyMap<string, Duration> = new Map<string, Duration>([
  ["ms", { kind: "ms", ms: 1 }],
  ["s", { kind: "ms", ms: SECOND_MS }],
  ["second", { kind: "ms", ms: SECOND_MS }],
  ["seconds", { kind: "ms", ms: SECOND_MS }],
  ["m", { kind: "ms", ms: MINUTE_MS }],
  ["min", { kind: "ms", ms: MINUTE_MS }],
  ["minute", { kind: "ms", ms: MINUTE_MS }],
  ["minutes", { kind: "ms", ms: MINUTE_MS }],
  ["h", { kind: "ms", ms: HOUR_MS }],
  ["hour", { kind: "ms", ms: HOUR_MS }],
  ["hours", { kind: "ms", ms: HOUR_MS }],
  ["d", { kind: "ms", ms: DAY_MS }],
  ["day", { kind: "ms", ms: DAY_MS }],
  ["days", { kind: "ms", ms: DAY_MS }],
  ["week", { kind: "ms", ms: 7 * DAY_MS }],
  ["weeks", { kind: "ms", ms: 7 * DAY_MS }],
  ["month", { kind: "months", months: 1 }],
  ["months", { kind: "months", months: 1 }],
  ["year", { kind: "months", months: 12 }],
  ["years", { kind: "months", months: 12 }],
]);

/**
 * Reads a whole number and one unit, with or without a space between them: `500ms`, `10s`, `5m`, `2h`, `30 days`,
 * `18 months`. A day is 24 hours. Null for anything else (no unit, a sign, a fraction, two units, capitals) and for
 * more than a hundred years.
 */
export function readDuration(text: string): Duration | null {
  const match = /^([0-9]{1,16}) ?([a-z]{1,7})$/.exec(text);
  const unit = UNITS.get(match?.[2] ?? "");
  if (match === null || unit === undefined) return null;
  const count = Number(match[1]);
  if (unit.kind === "ms") {
    const ms = count * unit.ms;
    return ms <= DURATION_MAX_MS ? { kind: "ms", ms } : null;
  }
  const months = count * unit.months;
  return months <= MONTHS_MAX ? { kind: "months", months } : null;
}

/**
 * The instant `duration` before `now` (both milliseconds since the epoch). Months are calendar months in UTC: the time
 * of day stays the same, and a day that the earlier month lacks becomes its last day (31 March minus a month is the end
 * of February).
 */
export function durationBefore(now: number, duration: Duration): number {
  return duration.kind === "ms" ? now - duration.ms : addMonths(now, -duration.months);
}

/** The instant `duration` after `now`, by the same rules. */
export function durationAfter(now: number, duration: Duration): number {
  return duration.kind === "ms" ? now + duration.ms : addMonths(now, duration.months);
}

function addMonths(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  // Go to the first of the month, which every month has, so that this step never overflows into another month.
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime();
}

/**
 * Formats milliseconds for people, with at most two units, rounded to the smaller one: `850 ms`, `1.4 s`, `5 min 3 s`,
 * `2 h 5 min`, `3 days 4 h`.
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  // Each step checks whether the rounded value still fits, so that 59.97 s becomes "1 min" and never "60 s".
  const wholeMs = Math.round(ms);
  if (wholeMs < SECOND_MS) return `${wholeMs} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${tenths / 10} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 3_600) return twoUnits(seconds, 60, "min", "s");
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1_440) return twoUnits(minutes, 60, "h", "min");
  const hours = Math.round(ms / HOUR_MS);
  return twoUnits(hours, 24, hours < 48 ? "day" : "days", "h");
}

function twoUnits(count: number, size: number, large: string, small: string): string {
  const rest = count % size;
  const whole = `${(count - rest) / size} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

function daysInMonth(date: Date): number {
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return last.getUTCDate();
}
