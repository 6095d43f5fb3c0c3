/**
 * Phone numbers: input typed by a person becomes one E.164 number or is rejected. Reading never throws, never extracts
 * a number from a longer text, and passes nothing but digits to libphonenumber, so that only this module decides which
 * separators are allowed. A number given by the network is accepted as it is.
 */
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { once } from "./once.ts";
import { isPlainMobile } from "./plain-mobile.ts";

/**
 * A number with `+` and country code, 5 to 20 digits: `+442079460210`. Only this module creates values of this type.
 */
export type E164 = string & { readonly __brand: "E164" };

/** The digits as written, without `+` or `00`; `international` is true if one of the two preceded them. */
interface PhoneDigits {
  digits: string;
  international: boolean;
}

/** The longest input that is read. Real numbers with all their brackets and spaces stay under 30 characters. */
const INPUT_LENGTH_MAX = 64;

/** E.164 allows 15 digits, but network ids may be longer; the shortest number that a network gives is a short code. */
const DIGITS_MIN = 5;
const DIGITS_MAX = 20;
const NETWORK_DIGITS = /^[0-9]{5,20}$/;

/**
 * Reads `input` as a phone number in `country` (ISO 3166, two capitals; with an unknown country, only international
 * numbers are read). `+` or `00` means international. Digits without either are read as a national number if possible,
 * otherwise as an international one without its `+`. Null if no reading is a valid number, and for any text that is
 * more than a number: letters (including vanity numbers), extensions, two numbers, more than 64 characters.
 */
export function readPhone(input: string, country: string): E164 | null {
  const written = phoneDigits(input);
  if (written === null) return null;
  if (written.international) return readInternational(written.digits);
  return readNational(written.digits, country) ?? readInternational(written.digits);
}

/**
 * The digits of an input that is written like a number, whether or not the number exists. Used to look up a stored
 * phone or network id before `readPhone`. Null if the input is not a number, or has fewer than 5 or more than 20
 * digits.
 */
export function phoneDigits(input: string): PhoneDigits | null {
  if (input.length > INPUT_LENGTH_MAX) return null;
  const text = ONLY_DIGITS.test(input) ? input : toPlainText(input);
  if (text === null) return null;
  const plus = text.startsWith("+");
  // "+00" keeps its zeros: no country code starts with 0, so it is rejected later.
  const zeros = !plus && text.startsWith("00");
  const digits = plus ? text.slice(1) : zeros ? text.slice(2) : text;
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return null;
  return { digits, international: plus || zeros };
}

/**
 * The other number variant that the network or a person uses for the same phone; null if the country has only one.
 * Covers Brazilian mobiles with and without their ninth digit, Mexican numbers with and without 1 after 52, and
 * Argentine numbers with and without 9 after 54. The variant's variant is the phone itself. The result may be invalid
 * for libphonenumber.
 */
export function otherVariant(phone: E164): E164 | null {
  // All the countries below begin with 5.
  if (!phone.startsWith("+5")) return null;
  for (const { long, short, extra } of VARIANTS) {
    const longMatch = long.exec(phone);
    if (longMatch) return `${longMatch[1]}${longMatch[2]}` as E164;
    const shortMatch = short.exec(phone);
    if (shortMatch) return `${shortMatch[1]}${extra}${shortMatch[2]}` as E164;
  }
  return null;
}

/**
 * A number given by the network (its digits, without `+`). The network knows more than any numbering plan, so only
 * input that cannot be a number is rejected: anything but 5 to 20 ASCII digits.
 */
export function fromNetwork(digits: string): E164 | null {
  return NETWORK_DIGITS.test(digits) ? (`+${digits}` as E164) : null;
}

/** True for a country whose numbers can be read: two capital letters, as in `IN`. */
export function isCountry(code: string): boolean {
  // Check the shape first: libphonenumber looks the code up in a plain object, where "toString" is also found.
  return /^[A-Z]{2}$/.test(code) && isSupportedCountry(code);
}

/** Every country whose numbers can be read. */
export function knownCountries(): readonly string[] {
  return getCountries();
}

/** The number's country; null if it cannot be determined (a number given by the network, `+800`, a shared code). */
export function countryOf(phone: E164): string | null {
  return parse(phone)?.country ?? null;
}

/** False also for a number whose kind is not known. */
export function isMobilePhone(phone: E164): boolean {
  const number = parse(phone);
  return number !== undefined && isMobile(number);
}

/** The calling code of a country, without `+`; null if its numbers cannot be read. */
export function callingCodeOf(country: string): string | null {
  return isKnownCountry(country) ? getCountryCallingCode(country) : null;
}

/** The calling code, without `+`, with which the text begins: `+4479` begins with 44. Null: with none. */
export function callingCodeIn(start: string): string | null {
  const [, digits = ""] = /^\+(\d{1,3})/.exec(start) ?? [];
  const known = [1, 2, 3].map((length) => digits.slice(0, length)).find((code) => callingCodes().has(code));
  return known ?? null;
}

const callingCodes = once(() => new Set(getCountries().map((country) => String(getCountryCallingCode(country)))));

function readInternational(digits: string): E164 | null {
  if (isPlainMobile(digits)) return `+${digits}` as E164;
  const number = parse(`+${digits}`);
  return number === undefined ? null : (validPhone(number) ?? validOtherVariant(number));
}

function readNational(digits: string, country: string): E164 | null {
  if (!isKnownCountry(country)) return null;
  const callingCode = getCountryCallingCode(country);
  const number = parse(digits, country);
  // Compare the calling code, not the country: a workspace in the United States writes a Canadian number like its own,
  // but 416 555 0123 must not become +41 65 550123 in Switzerland. A number reached through the country's own
  // international prefix (011, 810) is not a national number; only `+` and 00 mean international here.
  if (number?.countryCallingCode !== callingCode) return null;
  const phone = validPhone(number);
  if (phone === null) return TRUNCATED_OR_OLD.test(number.number) ? null : validOtherVariant(number);
  // Where fixed lines may have any length (Germany, Kosovo, parts of Indonesia), 49 1512 3456789 is both a fixed line
  // in area 4915 and a mobile with its country code. Both numbers are in the country; WhatsApp is on the mobile.
  if (digits.startsWith(callingCode) && phone !== `+${digits}` && !isMobile(number)) {
    const withCode = parse(`+${digits}`);
    if (withCode !== undefined && isMobile(withCode)) return validPhone(withCode);
  }
  return phone;
}

function validPhone(number: PhoneNumber): E164 | null {
  // The library gives `number` its own branded type; the value is the E.164 text.
  return number.isValid() || FICTION.test(number.number) ? (number.number as string as E164) : null;
}

/**
 * What Ofcom reserves for drama and libphonenumber does not take for numbers: mobiles, and no area. Tests use them as
 * people of the simulator. No person has one, so the real network answers that it is not on WhatsApp.
 */
const FICTION = /^\+44(7700900|1632960)[0-9]{3}$/;

/**
 * libphonenumber no longer accepts Mexico's 521 and Brazil's eight-digit mobiles, but address books and the network's
 * ids still contain many of them. Such a number is read as its current variant, if that is valid.
 */
function validOtherVariant(number: PhoneNumber): E164 | null {
  const other = otherVariant(number.number as string as E164);
  return other !== null && parse(other)?.isValid() ? other : null;
}

/**
 * Without a country code, these eight digits may just as well be a current Brazilian mobile that lost its last digit,
 * so they are rejected. With the country code, this is how the network writes the older half of Brazil's mobiles, so it
 * is read.
 */
const TRUNCATED_OR_OLD = /^\+55[1-9][1-9]9[0-9]{7}$/;

function isMobile(number: PhoneNumber): boolean {
  const type = number.getType();
  return type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE";
}

function parse(text: string, country?: CountryCode): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, country ? { defaultCountry: country, extract: false } : { extract: false });
}

function isKnownCountry(code: string): code is CountryCode {
  return isCountry(code);
}

interface VariantPair {
  long: RegExp;
  short: RegExp;
  /** The digits between the two groups of `long`. */
  extra: string;
}

/** The lengths keep the two patterns of a pair disjoint, which makes each pair its own inverse. */
const VARIANTS: readonly VariantPair[] = [
  // Brazil: only mobiles, whose eight digits start with 6 to 9; a fixed line (2 to 5) has no variant.
  { long: /^(\+55[1-9][1-9])9([6-9][0-9]{7})$/, short: /^(\+55[1-9][1-9])([6-9][0-9]{7})$/, extra: "9" },
  { long: /^(\+52)1([2-9][0-9]{9})$/, short: /^(\+52)([2-9][0-9]{9})$/, extra: "1" },
  { long: /^(\+54)9([1-9][0-9]{9})$/, short: /^(\+54)([1-9][0-9]{9})$/, extra: "9" },
];

const ONLY_DIGITS = /^\+?[0-9]+$/;

/**
 * Spaces (including no-break and ideographic ones), dashes, dots, slashes and brackets, ASCII and full width. Line
 * breaks are excluded, because two lines are two values. `x`, `#`, `,` and `;` are excluded, because they start an
 * extension, which WhatsApp does not have. `~` and `'` are excluded, although libphonenumber and spreadsheets allow
 * them.
 */
const SEPARATORS =
  /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\-\u2010-\u2015\u2212\u30fc\uff0d.\uff0e/\uff0f()[\]\uff08\uff09\uff3b\uff3d]/g;

/** Direction marks and joiners: invisible characters that come along when a number is copied from an address book. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** An optional opening bracket, an optional `+`, then a digit before any dash: "-5551234" is not a phone number. */
const NUMBER_START = /^(?:[([\uff08\uff3b ]*\+)?[([\uff08\uff3b \u00a0]*[0-9]/;

/** A spreadsheet's phone column exported as floating point: the trailing zero would make it another number. */
const FLOATING_POINT = /[0-9]{5}\.0$/;

/** The zeros of other scripts; the nine code points after each are the digits 1 to 9. */
const ZEROS = [
  0xff10, // full width
  0x0660, // Arabic-Indic
  0x06f0, // Persian, Urdu
  0x0966, // Devanagari
  0x09e6, // Bengali
  0x0a66, // Gurmukhi
  0x0ae6, // Gujarati
  0x0b66, // Oriya
  0x0be6, // Tamil
  0x0c66, // Telugu
  0x0ce6, // Kannada
  0x0d66, // Malayalam
  0x0e50, // Thai
  0x0ed0, // Lao
  0x1040, // Burmese
  0x17e0, // Khmer
];

/** ASCII digits with an optional leading `+`; null if anything else remains after the separators are removed. */
function toPlainText(input: string): string | null {
  const visible = input
    .replace(INVISIBLE, "")
    .trim()
    .replace(/\uff0b/g, "+");
  const text = visible.replace(/\p{Nd}/gu, asciiDigit);
  if (!NUMBER_START.test(text) || FLOATING_POINT.test(text)) return null;
  const plain = text.replace(SEPARATORS, "");
  return ONLY_DIGITS.test(plain) ? plain : null;
}

/** The ASCII digit for one of another script; any other character as it is. */
export function asciiDigit(character: string): string {
  const code = character.charCodeAt(0);
  for (const zero of ZEROS) if (code >= zero && code <= zero + 9) return String(code - zero);
  return character;
}
