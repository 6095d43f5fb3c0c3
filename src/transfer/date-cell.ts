/**
 * Reads a date in a file: in the order of day and month that was chosen or that the country writes. A date that has one
 * reading alone is read so, whatever the order.
 */
import { describeMissingDay, readYearlyDate } from "#src/core/calendar.ts";
import { asciiDigit } from "#src/core/phone.ts";
import { foldName, MONTH_NAMES, NO_VALUE } from "./header-names.ts";
import type { RowProblem } from "./reasons.ts";

/** `unclear`: a date that can be read either way is not read. */
export type DateOrder = "dmy" | "mdy" | "ymd" | "unclear";

/** Countries in which the month comes first. */
const MONTH_FIRST = ["US", "FM", "MH", "PW", "PR", "GU", "AS", "VI", "MP"];

export function usualOrder(country: string): DateOrder {
  return MONTH_FIRST.includes(country) ? "mdy" : "dmy";
}

/** `empty`: the cell stands for no date. Null: it cannot be read. */
type DateReading = { date: string } | "empty" | null;

const EMPTY = /^(?:0+|na|unknown|0{1,4}[-/.]0{1,2}[-/.]0{1,4}|1900[-/.]0?1[-/.]0{1,2}1?|0?[01][-/.]0?[01][-/.]1900)$/i;
/** Days since the end of 1899, as Excel counts them; smaller ones could be years. */
const SERIAL = /^(\d{5})(?:[.,]\d+)?$/;
const SERIAL_MAX = 73_050;
const DAY_MS = 24 * 60 * 60 * 1000;
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const TIME = /[T ]\d{1,2}:\d{2}.{0,20}$/;
const PARTS = /^(\d{1,4})[-/. ]+(\d{1,2})[-/. ]+(\d{1,4})$/;
const TWO_PARTS = /^(\d{1,2})[-/.](\d{1,2})\.?$/;
const RUN_TOGETHER = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;
/** What stands before the digits of a date: a day of the week, a place, a star, an apostrophe. */
const BEFORE = /^[^\p{N}-]*[^\p{N}\p{L}-](?=\p{N})/u;

/** A date after `now` counts as none, unless it `mayBeFuture`. */
export function readDateCell(raw: string, order: DateOrder, now: number, mayBeFuture: boolean): DateReading {
  const cell = raw.trim().replace(TIME, "");
  if (EMPTY.test(cell) || NO_VALUE.test(cell)) return "empty";
  const date = readDate(cell, order) ?? readDate(plainDate(cell), order);
  if (date === null) return null;
  const isFuture = !date.startsWith("--") && date > dayAfter(now);
  if (!isFuture || mayBeFuture) return { date };
  // No birthday is in 2028, so two digits are a year of the last century.
  const hasShortYear = /\D\d{2}$/.test(cell) && !/\d{4}/.test(cell);
  const earlier = hasShortYear ? readYearlyDate(`${Number(date.slice(0, 4)) - 100}${date.slice(4)}`) : null;
  return earlier === null ? "empty" : { date: earlier };
}

function readDate(cell: string, order: DateOrder): string | null {
  return (
    readSerial(cell) ??
    readNamedMonth(cell) ??
    readParts(cell, order) ??
    (cell.startsWith("--") ? readYearlyDate(cell) : null)
  );
}

/** Without what people write around a date, its digits those of ASCII. */
function plainDate(cell: string): string {
  const [before = ""] = BEFORE.exec(cell) ?? [];
  // The word may be the month.
  const bare = before === "" || MONTH_NAMES[foldName(before)] !== undefined ? cell : cell.slice(before.length);
  return bare.replace(/\p{Nd}/gu, asciiDigit).replace(/"$/, "");
}

/** The day after a moment, which all rows of an import share. */
function dayAfter(now: number): string {
  if (lastDay.now !== now) lastDay = { now, date: new Date(now + DAY_MS).toISOString().slice(0, 10) };
  return lastDay.date;
}

let lastDay = { now: Number.NaN, date: "" };

/** Why a cell that `readDateCell` cannot read is skipped. */
export function describeBadDate(field: string, cell: string, order: DateOrder): RowProblem<"bad_date" | "no_such_day"> {
  const missing = describeMissingDay(cell.trim().replace(TIME, ""), order === "mdy");
  if (missing === null) return { reason: "bad_date", says: `${field}: "${cell}" cannot be read.` };
  return { reason: "no_such_day", says: `${field}: "${cell}" cannot be read. ${missing}` };
}

function readSerial(cell: string): string | null {
  const days = Number(SERIAL.exec(cell)?.[1] ?? Number.NaN);
  if (!(days >= 10_000 && days <= SERIAL_MAX)) return null;
  return new Date(EXCEL_EPOCH_MS + days * DAY_MS).toISOString().slice(0, 10);
}

/** `31 Dec 1990`, `Dec 31, 1990` and `31 Dec`: a month that is named leaves one reading, whatever the order. */
function readNamedMonth(cell: string): string | null {
  if (!/\p{L}/u.test(cell)) return null;
  const words = cell.split(/[\s,./-]+/).filter((word) => word !== "" && !/^(?:de|del|di|of)$/i.test(word));
  const at = words.findIndex((word) => /^\p{L}/u.test(word));
  const month = MONTH_NAMES[foldName(words[at] ?? "")];
  // A word before is the day of the week.
  if (month === undefined && at === 0 && words.length > 2) return readNamedMonth(words.slice(1).join(" "));
  if (month === undefined || words.length > 3) return null;
  const numbers = words
    .filter((_, place) => place !== at)
    .map((word) => word.replace(/(?:st|nd|rd|th|er|e|[º°ª])$/i, ""));
  if (numbers.length === 0 || numbers.some((number) => !/^\d{1,4}$/.test(number))) return null;
  const [day = "", year] = numbers[0]?.length === 4 ? numbers.toReversed() : numbers;
  if (year === undefined) return isoOf(null, String(month), day);
  return year.length === 3 ? null : isoOf(year.length === 4 ? year : fullYear(year), String(month), day);
}

function readParts(cell: string, order: DateOrder): string | null {
  const two = TWO_PARTS.exec(cell);
  if (two !== null) return firstReal([null, two[1], two[2]], order);
  const match = PARTS.exec(cell) ?? RUN_TOGETHER.exec(cell);
  if (match === null) return null;
  const [, a = "", b = "", c = ""] = match;
  if (a.length === 4) return isoOf(a, b, c);
  if (a.length > 2 || c.length === 3) return null;
  if (order === "ymd" && c.length <= 2) return isoOf(fullYear(a), b, c);
  // Of three short parts the first is a year where it can be nothing else.
  if (Number(a) > 31 && c.length <= 2) return isoOf(fullYear(a), b, c);
  return firstReal([c.length <= 2 ? fullYear(c) : c, a, b], order);
}

/** Of day first and month first the one of the order, else the one that exists. */
function firstReal(
  [year, a = "", b = ""]: [string | null, string | undefined, string | undefined],
  order: DateOrder,
): string | null {
  const [dayFirst, monthFirst] = [isoOf(year, b, a), isoOf(year, a, b)];
  const isUnclear = order === "unclear" && dayFirst !== null && monthFirst !== null && dayFirst !== monthFirst;
  if (isUnclear) return null;
  return order === "mdy" ? (monthFirst ?? dayFirst) : (dayFirst ?? monthFirst);
}

/** Whether a year has this day; without `year`, whether any has. */
export function isReal(year: string | null, month: string, day: string): boolean {
  return isoOf(year === null || year.length > 2 ? year : fullYear(year), month, day) !== null;
}

function isoOf(year: string | null, month: string, day: string): string | null {
  const rest = `${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return readYearlyDate(year === null || Number(year) === 0 || year === "1604" ? `--${rest}` : `${year}-${rest}`);
}

/** Two digits: a year of this century up to 2029, else of the last one. */
function fullYear(digits: string): string {
  return String(Number(digits) + (Number(digits) < 30 ? 2_000 : 1_900));
}
