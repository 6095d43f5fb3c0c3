/**
 * Recognizes the numbers that nearly every program sends and nearly every file has: mobiles with their country code, as
 * plain digits. libphonenumber compiles ten regular expressions for each number; here they are compiled once for a country.
 * What is not recognized may be a number all the same.
 */
import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from "libphonenumber-js/max";
import { once } from "./once.ts";

/** What libphonenumber knows of the numbers of a country. */
interface NumberingPlan {
  nationalNumberPattern(): string;
  /** What may stand before a national number and is dropped, or changes it. */
  nationalPrefixForParsing(): string | null | undefined;
  type(kind: "MOBILE"): { pattern(): string; possibleLengths(): number[] | undefined } | undefined;
}

/** Of the digits after the calling code. */
interface Mobiles {
  every: RegExp;
  mobile: RegExp;
  lengths: readonly number[] | null;
  prefix: RegExp | null;
}

/** Calling codes that one country has alone: the digits after others decide the country first. */
const countryOfCode = once(() => {
  const countries = new Map<string, CountryCode | null>();
  for (const country of getCountries()) {
    const code = String(getCountryCallingCode(country));
    countries.set(code, countries.has(code) ? null : country);
  }
  return countries;
});

/** By calling code; null: the numbers of the code are not recognized here. */
const known = new Map<string, Mobiles | null>();

/** Whether digits with a country code, without `+`, are a valid mobile number as libphonenumber reads them. */
export function isPlainMobile(digits: string): boolean {
  for (let length = 1; length <= 3; length++) {
    const code = digits.slice(0, length);
    if (!countryOfCode().has(code)) continue;
    const mobiles = mobilesOf(code);
    const national = digits.slice(length);
    return (
      mobiles !== null &&
      (mobiles.lengths === null || mobiles.lengths.includes(national.length)) &&
      mobiles.mobile.test(national) &&
      mobiles.every.test(national) &&
      mobiles.prefix?.test(national) !== true
    );
  }
  return false;
}

function mobilesOf(code: string): Mobiles | null {
  let mobiles = known.get(code);
  if (mobiles === undefined) {
    const country = countryOfCode().get(code) ?? null;
    mobiles = country === null ? null : readPlan(country);
    known.set(code, mobiles);
  }
  return mobiles;
}

function readPlan(country: CountryCode): Mobiles | null {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  // The library's types name fewer of its methods than it has.
  const plan = metadata.numberingPlan as unknown as NumberingPlan;
  const mobile = plan.type("MOBILE");
  if (mobile === undefined || mobile.pattern() === "") return null;
  const prefix = plan.nationalPrefixForParsing();
  return {
    every: new RegExp(`^(?:${plan.nationalNumberPattern()})$`),
    mobile: new RegExp(`^(?:${mobile.pattern()})$`),
    lengths: mobile.possibleLengths() ?? null,
    prefix: prefix == null || prefix === "" ? null : new RegExp(`^(?:${prefix})`),
  };
}
