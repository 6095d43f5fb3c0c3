/**
 * Writes the numbers of cells as people see them: whole numbers with all their digits, dates and times in ISO form where
 * the cell's format shows one, and the leading zeros and plus sign that a format adds.
 */

export type NumberFormat =
  | { shows: "number" }
  /** `time`: alone, without a date. */
  | { shows: "date" | "date and time" | "time"; hidesYear?: boolean }
  | { shows: "digits"; digits: number; hasPlus: boolean };

export const PLAIN: NumberFormat = { shows: "number" };

/** Formats that have numbers instead of codes; 27 to 36 and 50 to 58 are dates of East Asia. */
function builtIn(id: number): NumberFormat {
  if ((id >= 14 && id <= 17 && id !== 16) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return { shows: "date" };
  if (id === 16) return { shows: "date", hidesYear: true };
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return { shows: "time" };
  return id === 22 ? { shows: "date and time" } : PLAIN;
}

/** Of Excel. */
const CODE_LENGTH_MAX = 255;

/** `code`: of a format that the workbook defines itself. */
export function formatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return builtIn(id);
  const [first = ""] = code.slice(0, CODE_LENGTH_MAX).split(";");
  const zeros = /^(\+|\\\+|"\+")?([0#]+)$/.exec(first);
  if (zeros !== null) {
    const [, plus, pattern = ""] = zeros;
    return { shows: "digits", digits: pattern.replaceAll("#", "").length, hasPlus: plus !== undefined };
  }
  const signs = signsOf(first.toLowerCase().replaceAll("general", ""));
  const hasDate = /[dy]|m{3}/.test(signs) || (/m/.test(signs) && !/[hs]/.test(signs));
  const hasTime = /[hs]/.test(signs);
  if (!hasDate) return hasTime ? { shows: "time" } : PLAIN;
  return {
    shows: hasTime ? "date and time" : "date",
    hidesYear: /d/.test(signs) && /m/.test(signs) && !/[yeg]/.test(signs),
  };
}

/** The code without its texts: quoted and escaped characters, and brackets with colours, currencies and conditions. */
function signsOf(code: string): string {
  let signs = "";
  for (let at = 0; at < code.length; at += 1) {
    const sign = code.charAt(at);
    const end = endOfText(code, at);
    const inside = code.slice(at + 1, end);
    if (end === at) signs += sign;
    else if (sign === "[" && /^[hms]+$/.test(inside)) signs += inside;
    at = end;
  }
  return signs;
}

/** Where the text ends that begins at `at`; `at` itself: none begins there. */
function endOfText(code: string, at: number): number {
  const sign = code.charAt(at);
  if ("\\_*".includes(sign)) return at + 1;
  const close = sign === "[" ? "]" : sign === '"' ? '"' : null;
  if (close === null) return at;
  const end = code.indexOf(close, at + 1);
  return end === -1 ? code.length : end;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Day 0 of the two calendars of workbooks. Between days 0 and 60, the first one is a day behind. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LAST_DAY = 2_958_465;

/** `raw`: as the workbook stores it. `is1904`: the calendar of old workbooks of the Mac. */
export function showNumber(raw: string, format: NumberFormat, is1904: boolean): string {
  const value = Number(raw);
  if (raw.trim() === "" || !Number.isFinite(value)) return raw;
  if (format.shows === "digits") return showDigits(value, format.digits, format.hasPlus) ?? showPlain(raw, value);
  if (format.shows === "number" || value < 0 || value >= LAST_DAY + 1) return showPlain(raw, value);
  const seconds = Math.round(value * 86_400);
  const day = Math.floor(seconds / 86_400);
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19);
  if (format.shows === "time" && day === 0) return time;
  const date = showDay(day, is1904);
  // Where people typed a day without a year, Excel stored the year in which they did.
  if (format.hidesYear === true && /^\d{4}-/.test(date)) return `-${date.slice(4)}`;
  return format.shows === "date" || seconds % 86_400 === 0 ? date : `${date}T${time}`;
}

function showPlain(raw: string, value: number): string {
  // Digits beyond these are lost in the workbook already.
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(15)));
  return Number.isSafeInteger(value) ? String(value) : raw;
}

function showDigits(value: number, digits: number, hasPlus: boolean): string | null {
  if (!Number.isSafeInteger(value) || value < 0) return null;
  return `${hasPlus ? "+" : ""}${String(value).padStart(digits, "0")}`;
}

function showDay(day: number, is1904: boolean): string {
  if (is1904) return isoDate(EPOCH_1904 + day * DAY_MS);
  // Excel has these two days, and the calendar does not.
  if (day === 0) return "1900-01-00";
  if (day === 60) return "1900-02-29";
  return isoDate(EPOCH_1900 + (day < 60 ? day + 1 : day) * DAY_MS);
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
