/**
 * Money as integer millionths, between decimal strings outside and whole numbers inside. No amount passes through
 * floating point: digits are moved, never divided, so what is read is printed again to the last millionth.
 */

/** Millionths of the currency's unit: a whole number within ±(2^53 − 1), which is about nine thousand million units. */
export type Micros = number;

const DECIMALS = 6;

/** More than the longest safe amount needs; what is longer is not looked at. */
const INPUT_LENGTH_MAX = 32;

const AMOUNT = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]{1,6}))?$/;

/**
 * Reads a decimal string such as `120.50` or `0.0085`. Null for anything else: an exponent, a sign (a leading `-` is
 * read with `allowNegative`), a bare point, leading zeros, white space, more than six decimals, or an amount beyond
 * what `Micros` holds.
 */
export function readMoney(text: string, options: { allowNegative?: boolean } = {}): Micros | null {
  if (text.length > INPUT_LENGTH_MAX) return null;
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", decimals = ""] = match;
  if (sign === "-" && options.allowNegative !== true) return null;
  // One run of digits is read as one integer. Beyond 2^53 it would be rounded, but never to a safe integer.
  const micros = Number(whole + decimals.padEnd(DECIMALS, "0"));
  if (!Number.isSafeInteger(micros)) return null;
  // "-0.00" is zero, not the minus zero that prints and compares differently.
  return sign === "-" && micros !== 0 ? -micros : micros;
}

/**
 * Prints an amount with two to six decimals: `120.50`, `0.0085`, `-0.01`. Throws a RangeError for what is no safe
 * integer, because such an amount has been through floating point somewhere, and that is a bug.
 */
export function formatMoney(micros: Micros): string {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`money must be whole millionths, got ${micros}`);
  const digits = String(Math.abs(micros)).padStart(DECIMALS + 1, "0");
  const whole = digits.slice(0, -DECIMALS);
  const decimals = digits.slice(-DECIMALS).replace(/0{1,4}$/, "");
  return `${micros < 0 ? "-" : ""}${whole}.${decimals}`;
}
