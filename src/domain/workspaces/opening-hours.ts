/**
 * Opening hours of a workspace, by weekday in its timezone, and the dates on which it is closed. Pure. They are stored and
 * shown as people write them: `mon-fri 09:00-13:00, 15:00-19:00; sat 10:00-14:00; sun closed`.
 */

import { formatMinute } from "#src/core/quiet-hours.ts";

/** Minutes of the day; `to` is exclusive, and not later than `from` where the hours last past midnight. */
interface Span {
  from: number;
  to: number;
}

/** From Monday (0) to Sunday (6). A day without hours is closed. */
type Week = Span[][];

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_MINUTES = 24 * 60;
const SPANS_MAX = 6;

interface Hours {
  openingHours: string;
  closedDays: readonly string[];
}

/** Describes in a sentence what is wrong; null if nothing is. Empty: always open. */
export function findHoursProblem(text: string): string | null {
  const week = readWeek(text);
  return typeof week === "string" ? week : null;
}

/** The same hours, neighbouring days with the same hours together, and closed days named. */
export function normalizeHours(text: string): string {
  const week = readWeek(text);
  return typeof week === "string" || week === null ? "" : formatWeek(week);
}

/** `YYYY-MM-DD`, or `MM-DD` for that day of every year. */
export function isClosedDay(text: string): boolean {
  const [, year, month, day] = /^(?:(\d{4})-)?(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (month === undefined || day === undefined) return false;
  const last = new Date(Date.UTC(Number(year ?? 2024), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last;
}

/** Whether people who write are answered by the away message. */
export function isAway(workspace: Hours & { timezone: string; awayMessage: string }, at: number): boolean {
  const { openingHours, awayMessage, timezone } = workspace;
  return openingHours !== "" && awayMessage !== "" && !isOpenAt(workspace, timezone, at);
}

/** Whether the workspace is open, by the wall clock of its timezone. One without hours always is. */
function isOpenAt({ openingHours, closedDays }: Hours, timezone: string, at: number): boolean {
  const week = readWeek(openingHours);
  if (week === null || typeof week === "string") return true;
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  const minute = local.hour * 60 + local.minute;
  const spansOf = (date: Temporal.PlainDate): Span[] =>
    isClosed(closedDays, date) ? [] : (week[date.dayOfWeek - 1] ?? []);
  const today = local.toPlainDate();
  // Hours that last past midnight belong to the day on which they begin.
  return (
    spansOf(today).some(({ from, to }) => minute >= from && (to <= from || minute < to)) ||
    spansOf(today.subtract({ days: 1 })).some(({ from, to }) => to <= from && minute < to)
  );
}

function isClosed(closedDays: readonly string[], date: Temporal.PlainDate): boolean {
  const day = date.toString();
  return closedDays.includes(day) || closedDays.includes(day.slice(-5));
}

/** Null: there are no hours. A sentence: what is wrong with them. */
function readWeek(text: string): Week | string | null {
  const week: (Span[] | undefined)[] = DAYS.map(() => undefined);
  const entries = text.split(";").flatMap((entry) => entry.trim().toLowerCase() || []);
  if (entries.length === 0) return null;
  for (const entry of entries) {
    const read = readEntry(entry);
    if (typeof read === "string") return read;
    const twice = read.days.find((day) => week[day] !== undefined);
    if (twice !== undefined) return `${DAYS[twice]} is named twice.`;
    for (const day of read.days) week[day] = read.spans;
  }
  return week.map((spans) => spans ?? []);
}

/** `mon-fri 10:00-19:00`. A sentence: what is wrong with it. */
function readEntry(entry: string): { days: number[]; spans: Span[] } | string {
  const begin = entry.search(/\d|closed/);
  const hours = begin < 0 ? "" : entry.slice(begin);
  const days = readDays(begin < 0 ? entry : entry.slice(0, begin));
  if (days === null) return `${JSON.stringify(entry.slice(0, 40))} is not days with their hours. ${ADVICE}`;
  const spans = hours === "closed" ? [] : readSpans(hours);
  if (spans === null) return `${JSON.stringify(hours.slice(0, 40))} are not opening hours. ${ADVICE}`;
  return { days, spans };
}

const ADVICE = 'Write them as "mon-fri 09:00-13:00, 15:00-19:00; sat 10:00-14:00; sun closed".';

/** `mon-fri`, `sat, sun`, `fri-mon`. Null: a day is not one. */
function readDays(text: string): number[] | null {
  const days: number[] = [];
  for (const part of text.split(",")) {
    const [first, last, ...more] = part.split("-").map((name) => dayOf(name.trim()));
    if (first === undefined || first < 0 || (last !== undefined && last < 0) || more.length > 0) return null;
    for (let day = first; ; day = (day + 1) % DAYS.length) {
      days.push(day);
      if (day === (last ?? first)) break;
    }
  }
  return days;
}

/** By its first three letters or more of its English name; -1: it is none. */
function dayOf(name: string): number {
  const names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  return name.length < 3 ? -1 : names.findIndex((full) => full.startsWith(name));
}

/** In the order of the day. Null: one is not well-formed, or two overlap. */
function readSpans(text: string): Span[] | null {
  const parts = text.split(",");
  const spans = parts.flatMap((part) => readSpan(part.trim()) ?? []).toSorted((one, other) => one.from - other.from);
  if (spans.length !== parts.length || spans.length > SPANS_MAX) return null;
  const overlaps = spans.some(({ from, to }, index) => {
    const next = spans[index + 1];
    return next !== undefined && (to <= from || to > next.from);
  });
  return overlaps ? null : spans;
}

function readSpan(text: string): Span | null {
  const [, fromHour, fromMinute, toHour, toMinute] = /^(\d{1,2}):(\d{2}) ?- ?(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined) return null;
  if (Number(fromMinute) > 59 || Number(toMinute) > 59) return null;
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  return from >= DAY_MINUTES || to > DAY_MINUTES || from === to ? null : { from, to };
}

function formatWeek(week: Week): string {
  const shown = week.map((spans) => (spans.length === 0 ? "closed" : spans.map(formatSpan).join(", ")));
  const groups: { first: number; last: number; hours: string }[] = [];
  for (const [day, hours] of shown.entries()) {
    const group = groups.at(-1);
    if (group?.hours === hours) group.last = day;
    else groups.push({ first: day, last: day, hours });
  }
  return groups
    .map(({ first, last, hours }) => `${DAYS[first]}${last === first ? "" : `-${DAYS[last]}`} ${hours}`)
    .join("; ");
}

function formatSpan({ from, to }: Span): string {
  return `${formatMinute(from)}-${formatMinute(to)}`;
}
