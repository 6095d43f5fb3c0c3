/** Dates without a time: birthdays, anniversaries and dates in custom fields, with or without a year. */

/** True for `YYYY-MM-DD` that exists in the calendar. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

/**
 * Reads `YYYY-MM-DD`, `--MM-DD` (year unknown) or `DD/MM/YYYY` (day first) and returns one of the first two forms. Null
 * for anything else and for a day that does not exist; 29 February without a year is valid.
 */
export function readYearlyDate(text: string): string | null {
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const iso = slashed === null ? text : `${slashed[3]}-${slashed[2]?.padStart(2, "0")}-${slashed[1]?.padStart(2, "0")}`;
  if (isCalendarDate(iso)) return iso;
  const yearless = /^--(\d{2})-(\d{2})$/.exec(iso);
  return yearless !== null && isDay(LEAP_YEAR, Number(yearless[1]), Number(yearless[2])) ? iso : null;
}

/**
 * Says of `1990-02-31`, `31/02/1990`, `31/02` or, with the month first, `02/31/1990` that this day does not exist. Null
 * for every other text.
 */
export function describeMissingDay(text: string, isMonthFirst = false): string | null {
  const iso = /^(\d{4}|-)-(\d{1,2})-(\d{1,2})$/.exec(text);
  const written = iso ?? /^(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}))?$/.exec(text);
  if (written === null) return null;
  const [, first = "", second = "", third] = written;
  const [year = "-", month, day] =
    iso !== null
      ? [first, Number(second), Number(third)]
      : [third, Number(isMonthFirst ? first : second), Number(isMonthFirst ? second : first)];
  if (month < 1 || month > 12 || day < 29 || day > 31) return null;
  if (isDay(year === "-" ? LEAP_YEAR : Number(year), month, day)) return null;
  return `There is no ${day} ${MONTHS[month - 1]}${year === "-" ? "" : ` ${year}`}.`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const LEAP_YEAR = 2000;

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  // Day 0 of the next month is the last day of this one. `setUTCFullYear` takes years below 100 literally.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate();
}
