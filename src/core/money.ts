/**
 * Money as integer millionths inside and decimal strings outside. No amount passes through floating-point arithmetic:
 * digits are moved, never divided, so an amount is printed exactly as it was read, to the last millionth.
 */

/** Millionths of the currency's unit: a whole number within ±(2^53 − 1), which is about nine thousand million units. */
export type Micros = number;

const DECIMALS = 6;

/** More than the longest safe amount needs; a longer input is rejected unread. */
const INPUT_LENGTH_MAX = 32;

const AMOUNT = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]{1,6}))?$/;

/**
 * Reads a decimal string such as `120.50` or `0.0085`. Null for anything else: an exponent, a sign (`allowNegative`
 * accepts a leading `-`), a bare point, leading zeros, white space, more than six decimals, or an amount out of the
 * range of `Micros`.
 */
export function readMoney(text: string, options: { allowNegative?: boolean } = {}): Micros | null {
  if (text.length > INPUT_LENGTH_MAX) return null;
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", decimals = ""] = match;
  if (sign === "-" && options.allowNegative !== true) return null;
  // All digits are read as one integer. Beyond 2^53 it would be rounded, but never to a safe integer.
  const micros = Number(whole + decimals.padEnd(DECIMALS, "0"));
  if (!Number.isSafeInteger(micros)) return null;
  // "-0.00" is zero, not the minus zero that prints and compares differently.
  return sign === "-" && micros !== 0 ? -micros : micros;
}

/**
 * Prints an amount with two to six decimals: `120.50`, `0.0085`, `-0.01`. Throws a RangeError for anything but a safe
 * integer, because such an amount has been through floating-point arithmetic, which is a bug.
 */
export function formatMoney(micros: Micros): string {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`money must be whole millionths, got ${micros}`);
  const digits = String(Math.abs(micros)).padStart(DECIMALS + 1, "0");
  const whole = digits.slice(0, -DECIMALS);
  const decimals = digits.slice(-DECIMALS).replace(/0{1,4}$/, "");
  return `${micros < 0 ? "-" : ""}${whole}.${decimals}`;
}
