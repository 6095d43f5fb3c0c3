/**
 * Reads a cell of a file as a phone number. A cell that is a number as it stands is read as everywhere; else the rules of
 * `phone-damage.ts` are tried. What is not certain is refused with its reason: no cell is read as the number of another
 * person.
 */
import { callingCodeOf, type E164, isMobilePhone, readPhone } from "#src/core/phone.ts";
import {
  ABROAD,
  FORMER_PREFIXES,
  NO_NUMBER,
  type PhoneChange,
  PLAN_CHANGES,
  REFUSED,
  REWRITINGS,
  type Rewriting,
} from "./phone-damage.ts";
import type { Refusal } from "./reasons.ts";

type PhoneReading =
  /** `others`: further numbers of the cell. */
  { phone: E164; change: PhoneChange | null; others: E164[] } | { refused: Refusal } | { empty: true };

const CELL_LENGTH_MAX = 200;
/** A slash or a bracket with a few digits at the end: the next number, or a note. */
const TAIL = /\s*(?:\/\s*\d{1,3}|\(\d{1,3}\))$/;

export function readPhoneCell(raw: string, country: string): PhoneReading {
  const cell = raw.trim();
  if (cell.length > CELL_LENGTH_MAX) return { refused: "not_a_number" };
  if (NO_NUMBER.test(cell)) return { empty: true };
  if (isFiller(cell)) return { refused: "placeholder" };
  if (TAIL.test(cell)) return readTail(cell, country);
  const planned = readOldPlan(cell, country);
  if (planned !== null) return { phone: planned, change: "old_plan", others: [] };
  const phone = readPhone(cell, country);
  if (phone !== null) return { phone, change: null, others: [] };
  const refused = REFUSED.find(({ pattern }) => pattern.test(cell));
  if (refused !== undefined) return { refused: refused.reason };
  const rewritten = readRewritten(cell, country);
  if (rewritten !== null) return rewritten;
  return readParts(cell, country) ?? { refused: reasonOf(cell, country) };
}

/** One digit again and again, or the digits in their order: a form required a number. */
export function isFiller(cell: string): boolean {
  const digits = cell.replace(/\D/g, "");
  let before = digits.length - 1;
  while (before > 0 && digits[before - 1] === digits[before]) before -= 1;
  const equal = digits.length - before;
  if (before <= 0 ? equal >= 7 : equal >= 9 && before <= 4) return true;
  return digits === "1234567890" || digits === "0123456789";
}

function readTail(cell: string, country: string): PhoneReading {
  const phone = readPhone(cell.replace(TAIL, ""), country);
  if (phone !== null) return { phone, change: "words", others: [] };
  return (
    readRewritten(cell.replace(TAIL, ""), country) ??
    readRewritten(cell, country) ?? { refused: reasonOf(cell, country) }
  );
}

function readRewritten(cell: string, country: string): PhoneReading | null {
  let text = cell;
  let change: PhoneChange | null = null;
  for (const rule of REWRITINGS) {
    const next = rewrite(text, rule);
    if (next === text) continue;
    text = next;
    change ??= rule.change;
    const phone = readPhone(text, country) ?? readNationalId(text, rule, country);
    if (phone !== null) return { phone, change, others: [] };
  }
  const dialled = readDialled(text, country);
  if (dialled !== null) return { phone: dialled.phone, change: change ?? dialled.change, others: [] };
  const read = change === null ? null : readParts(text, country);
  return read !== null && change !== null && "phone" in read ? { ...read, change } : read;
}

function rewrite(text: string, { change, pattern, to }: Rewriting): string {
  if (!pattern.test(text)) return text;
  return change === "grouped" ? text.replace(/[,/_]/g, "") : text.replace(pattern, to).trim();
}

/** Links and ids have the country code, but people write national numbers into them too. */
function readNationalId(text: string, { change }: Rewriting, country: string): E164 | null {
  return change === "link" && text.startsWith("+") ? readPhone(text.slice(1), country) : null;
}

/** Prefixes that people dial, and old plans. */
function readDialled(text: string, country: string): { phone: E164; change: PhoneChange } | null {
  const code = callingCodeOf(country);
  if (code === null || !/^\+?[\d\s().-]+$/.test(text)) return null;
  const digits = text.replace(/\D/g, "");
  const isInternational = text.startsWith("+");
  const attempts = isInternational ? [] : withoutPrefixes(digits, code, country);
  const national = withoutCode(digits, code, isInternational);
  const former = FORMER_PREFIXES[country];
  if (former?.test(national) === true) attempts.push({ text: national.replace(former, ""), change: "dialled" });
  const plan = PLAN_CHANGES.find((one) => one.country === country && one.old.test(national));
  if (plan !== undefined) attempts.push({ text: national.replace(plan.old, plan.present), change: "old_plan" });
  for (const attempt of attempts) {
    const phone = readPhone(attempt.text, country);
    if (phone !== null) return { phone, change: attempt.change };
  }
  return null;
}

/**
 * An old number of this country without its code. Read as it stands, some of them are numbers of another country: the old
 * 49 36 96 63 of Côte d'Ivoire would be a German number. Null: it is a number of the present plan, or none.
 */
function readOldPlan(cell: string, country: string): E164 | null {
  if (!/^\d[\d\s.-]*$/.test(cell) || cell.startsWith("00")) return null;
  const digits = cell.replace(/\D/g, "");
  const plan = PLAN_CHANGES.find((one) => one.country === country && one.old.test(digits));
  const code = callingCodeOf(country);
  if (plan === undefined || code === null || readPhone(cell, country)?.startsWith(`+${code}`) === true) return null;
  return readPhone(digits.replace(plan.old, plan.present), country);
}

function withoutPrefixes(digits: string, code: string, country: string): { text: string; change: PhoneChange }[] {
  const attempts: { text: string; change: PhoneChange }[] = [];
  const abroad = code === "1" ? "011" : ABROAD[country];
  if (abroad !== undefined && digits.startsWith(abroad)) {
    attempts.push({ text: `+${digits.slice(abroad.length)}`, change: "dialled" });
  }
  const bare = digits.replace(/^0+/, "");
  if (bare !== digits && bare.startsWith(code)) attempts.push({ text: `+${bare}`, change: "country_after_zero" });
  return attempts;
}

function withoutCode(digits: string, code: string, isInternational: boolean): string {
  const bare = digits.startsWith("00") ? digits.slice(2) : digits;
  const hasCode = bare.startsWith(code) && (isInternational || digits !== bare || bare.length > 9);
  return hasCode ? bare.slice(code.length) : digits;
}

/** Between two numbers of a cell. */
const BETWEEN =
  /\s*(?::::|\n|[,;|/&](?!\s*(?:extn?|extension|x|durchwahl|dw|ramal|interno|poste|anexo)\b)|\s(?:or|and|oder|und|u\.|bzw\.|o|ou|e|y|et|atau|dan|या|और|أو|و)\s|\s(?=\p{L}{1,12}\s?[:.]\s?[+(]{0,2}\d[\d\s().-]{6}))\s*/iu;
/** Words before a number that make it something else. */
const NOT_A_PHONE = /\b(?:fax|order|invoice|id|gst|gstin|pan|vat|iban|account|acct|ref|no)\b/i;
/** "Ph No", "Mobile no.": words that are said of a phone number alone. */
const OF_PHONES = /\b(?:ph|phone|mob|mobile|tel|contact|cell|whatsapp)\.?\s*no\b/i;
/** Words, brackets, an hour and an extension after a complete number. */
const AFTER =
  /^[\s,;:-]*(?:\(?\s*(?:ext|extn|extension|x|durchwahl|dw|ramal|int|interno|poste|anexo|#)\.?\s*:?\s*\d{1,6}\s*\)?)?(?:[\s,;:()\p{L}\p{M}.!-]|\b\d{1,2}(?=\s?(?:h|am|pm|uhr)\b))*$/iu;
/** Words before a number, with a sign after them or in brackets. */
const BEFORE = /^[\s#(]*(?:[\p{L}\p{M}.'() -]{1,30}[:.\-)\s]\s*)?$/u;
const NUMBER = /[+(]{0,2}\d[\d\s().-]{5,24}/u;

/** A cell with words, with an extension, or with two numbers. Null: it is none of these. */
function readParts(cell: string, country: string): PhoneReading | null {
  const found: E164[] = [];
  let hasUnread = false;
  const parts = cell.split(BETWEEN).filter((part) => part.trim() !== "");
  if (parts.length > 6) return null;
  for (const part of parts) {
    const phone = readPart(part, country);
    if (phone !== null) found.push(phone);
    // A part that cannot be read may be half of a number, but not one that is as long as a number.
    else if (/\d/.test(part) && part.replace(/\P{Nd}/gu, "").length < COMPLETE_DIGITS_MIN) hasUnread = true;
  }
  const [first] = found;
  if (first === undefined || hasUnread) return readPair(cell, country);
  const chosen = found.find(isMobilePhone) ?? first;
  const others = [...new Set(found)].filter((phone) => phone !== chosen);
  return { phone: chosen, change: found.length > 1 ? "first_of_two" : "words", others };
}

const COMPLETE_DIGITS_MIN = 8;
/** No number has more digits, so these are two. */
const ONE_NUMBER_DIGITS_MAX = 15;

/** Two numbers with blanks or a dash between them, where one place alone makes two numbers. */
function readPair(cell: string, country: string): PhoneReading | null {
  if (/[^\p{Nd}\s().+-]/u.test(cell) || cell.replace(/\P{Nd}/gu, "").length <= ONE_NUMBER_DIGITS_MAX) return null;
  const pairs = [...cell.matchAll(/\s[\s-]*|-+/g)].flatMap(({ index, 0: gap }) => {
    const [first, second] = [cell.slice(0, index), cell.slice(index + gap.length)].map((one) =>
      readPhone(one, country),
    );
    return first == null || second == null ? [] : [[first, second]];
  });
  const [pair, another] = pairs;
  if (pair === undefined || another !== undefined) return null;
  const chosen = pair.find(isMobilePhone) ?? pair[0];
  if (chosen === undefined) return null;
  return { phone: chosen, change: "first_of_two", others: pair.filter((one) => one !== chosen) };
}

function readPart(part: string, country: string): E164 | null {
  const whole = readPhone(part, country);
  if (whole !== null) return whole;
  const match = NUMBER.exec(part);
  if (match === null) return null;
  const number = match[0].replace(/[\s(.-]+$/, "");
  const before = part.slice(0, match.index);
  const after = part.slice(match.index + number.length);
  // Letters that touch the digits belong to them: part numbers, registration plates.
  if (/[\p{L}\p{M}]$/u.test(before) || NOT_A_PHONE.test(before.replace(OF_PHONES, ""))) return null;
  if (!BEFORE.test(before) || !AFTER.test(after) || (/^\p{L}/u.test(after) && !/^x\s*\d/i.test(after))) return null;
  return readPhone(number, country) ?? readDialled(number, country)?.phone ?? null;
}

function reasonOf(cell: string, country: string): Refusal {
  const digits = cell.replace(/\P{Nd}/gu, "").length;
  const isNumber = !/[\p{L}]/u.test(cell);
  if (!isNumber || digits === 0) return "not_a_number";
  // An Argentine mobile begins with its area; 15 alone stands before the number inside it.
  if (country === "AR" && /^15\d{6,8}$/.test(cell.replace(/\D/g, ""))) return "no_area_code";
  return digits >= 5 && digits <= 8 ? "no_area_code" : "not_a_number";
}
