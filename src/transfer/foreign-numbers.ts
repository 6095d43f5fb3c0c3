/**
 * Numbers of another country in a file. A national number such as 0171 1234567 is a landline in India and a mobile in
 * Germany; the international numbers and the countries in the file say which countries may be meant.
 */
import { callingCodeOf, type E164, isMobilePhone, readPhone } from "#src/core/phone.ts";
import { countryOfCallingCode, readCountry } from "./countries.ts";
import { readPhoneCell } from "./phone-cell.ts";

/** A country that a national number of the file may belong to. */
export interface OtherCountry {
  country: string;
  /** More of the file speaks for this country than for the one in which its numbers are read. */
  prevails: boolean;
}

/** What a person has to decide before the numbers of a file can be read. */
export interface CountryQuestion {
  option: "country";
  /** ISO 3166; the most likely first, the country in which the numbers are read last. */
  choices: string[];
  example: string;
  example_line: number;
}

export interface NumberDoubts {
  /** The most frequent first. */
  others: OtherCountry[];
  /** Null: the file is mostly of the country in which its numbers are read. */
  question: CountryQuestion | null;
}

/** A file with numbers of many countries names the country in each: only its most frequent ones are compared. */
const OTHERS_MAX = 4;
/** National numbers that are compared. */
const WEIGHED_MAX = 2_000;
/** Digits with a country code are at least as long; shorter ones are national. */
const BARE_DIGITS_MIN = 11;
const MARKED = /\+|^[^\d]{0,3}00|@|wa\.me/;

export class ForeignNumbers {
  readonly #country: string;
  readonly #code: string;
  /** What speaks for each calling code. */
  readonly #counts = new Map<string, number>();
  #weighed = 0;
  /** The first number that is another one in another country. */
  readonly #examples = new Map<string, { cell: string; line: number }>();

  constructor(country: string) {
    this.#country = country;
    this.#code = callingCodeOf(country) ?? "";
  }

  get isEmpty(): boolean {
    return this.#others().length === 0;
  }

  get isDecided(): boolean {
    return this.#weighed >= WEIGHED_MAX;
  }

  /** Counts a number whose country does not depend on where it is read. */
  count(cell: string): void {
    const digits = cell.replace(/\D/g, "");
    const isMarked = MARKED.test(cell);
    if (!isMarked && (digits.length < BARE_DIGITS_MIN || digits.startsWith("0"))) return;
    if (digits.replace(/^00/, "").startsWith(this.#code)) {
      if (isMarked) this.#add(this.#code);
      return;
    }
    const read = readPhoneCell(cell, this.#country);
    if (!("phone" in read)) return;
    const code = codeOf(read.phone);
    if (code !== null && code !== this.#code) this.#add(code);
  }

  countCountry(cell: string): void {
    const country = cell.trim() === "" ? null : readCountry(cell);
    const code = country === null ? null : callingCodeOf(country);
    if (code !== null) this.#add(code);
  }

  /** Compares the readings of a national number, once all numbers are counted. */
  weigh(cell: string, line: number): void {
    if (this.isDecided || cell.trim() === "" || MARKED.test(cell)) return;
    const home = phoneIn(cell, this.#country);
    const readings = this.#others().map((code) => ({ code, other: phoneIn(cell, countryOfCallingCode(code) ?? "") }));
    const different = readings.filter(({ other }) => other !== home);
    if (different.length === 0) return;
    this.#weighed += 1;
    for (const { code, other } of different) {
      if (other !== null && !this.#examples.has(code)) this.#examples.set(code, { cell: cell.trim(), line });
      if (isMobile(other) && !isMobile(home)) this.#add(code);
    }
    // A landline here and nothing elsewhere, or a mobile here and a landline elsewhere.
    if (home !== null && different.some(({ other }) => !isMobile(other))) this.#add(this.#code);
  }

  doubts(): NumberDoubts {
    const home = this.#counts.get(this.#code) ?? 0;
    const others = this.#others().flatMap((code) => {
      const country = countryOfCallingCode(code);
      return country === null ? [] : { code, country, prevails: (this.#counts.get(code) ?? 0) > home };
    });
    const asked = others.filter(({ code, prevails }) => prevails && this.#examples.has(code));
    const example = this.#examples.get(asked[0]?.code ?? "");
    const question =
      example === undefined
        ? null
        : {
            option: "country" as const,
            choices: [...asked.map(({ country }) => country), this.#country],
            example: example.cell,
            example_line: example.line,
          };
    return { others: others.map(({ country, prevails }) => ({ country, prevails })), question };
  }

  #add(code: string): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
  }

  #others(): string[] {
    return [...this.#counts]
      .filter(([code]) => code !== this.#code)
      .sort(([, a], [, b]) => b - a)
      .slice(0, OTHERS_MAX)
      .map(([code]) => code);
  }
}

/** Whether a number that was read in `country` may be another one of another country. */
export function mayBeForeign(cell: string, home: E164 | null, others: readonly OtherCountry[]): boolean {
  if (others.length === 0 || cell.includes("+")) return false;
  const isMobileHere = isMobile(home);
  return others.some(({ country, prevails }) => {
    if (isMobileHere && !prevails) return false;
    const other = phoneIn(cell, country);
    return other !== null && other !== home && (prevails || home === null || isMobile(other));
  });
}

function isMobile(phone: E164 | null): boolean {
  return phone !== null && isMobilePhone(phone);
}

function phoneIn(cell: string, country: string): E164 | null {
  const plain = readPhone(cell, country);
  if (plain !== null) return plain;
  const read = readPhoneCell(cell, country);
  return "phone" in read ? read.phone : null;
}

/** Calling codes are prefix codes: the first one that a country has is the number's. */
function codeOf(phone: E164): string | null {
  for (const length of [1, 2, 3]) {
    const code = phone.slice(1, 1 + length);
    if (countryOfCallingCode(code) !== null) return code;
  }
  return null;
}
