/** Beginnings of a country's phone numbers in E.164, for searches in the database. */
import { callingCodeOf, countryOf, fromNetwork } from "#src/core/phone.ts";

/** Calling codes of several countries that the three digits after the code tell apart. */
const DIVIDED = ["1", "7"];
const AREA_DIGITS = 3;
const AREAS = 1_000;
/** Completes an area to a number of its country. */
const NUMBER = "2345678";

/** By country; read once, because it takes some milliseconds. */
const prefixes = new Map<string, readonly string[]>();

/**
 * Texts with which the numbers of a country begin; they all have the same length. Countries that share another calling
 * code, such as Jersey and the United Kingdom, have the same one. Empty: the country is not known.
 */
export function prefixesOf(country: string): readonly string[] {
  const known = prefixes.get(country) ?? readPrefixes(country);
  prefixes.set(country, known);
  return known;
}

function readPrefixes(country: string): readonly string[] {
  const code = callingCodeOf(country);
  if (code === null) return [];
  if (!DIVIDED.includes(code)) return [`+${code}`];
  const areas = Array.from({ length: AREAS }, (_, area) => `+${code}${String(area).padStart(AREA_DIGITS, "0")}`);
  return areas.filter((area) => {
    const phone = fromNetwork(`${area.slice(1)}${NUMBER}`);
    return phone !== null && countryOf(phone) === country;
  });
}
