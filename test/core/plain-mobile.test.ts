/** Mobiles that are recognized without libphonenumber are those that it reads, digit for digit. */
import { expect, test } from "bun:test";
import examples from "libphonenumber-js/examples.mobile.json";
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { isPlainMobile } from "#src/core/plain-mobile.ts";
import { seededRandom } from "#src/core/seeded-random.ts";

/** Numbers of each country: its example, and with other digits, more of them and fewer. */
const SAMPLES = 400;

test("what is recognized is a mobile that libphonenumber reads, digit for digit, in every country", () => {
  const random = seededRandom(11);
  const below = (limit: number): number => Math.floor(random.fraction() * limit);
  const wrong: unknown[] = [];
  const recognized = new Set<string>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const national = [...(examples[country] ?? "123456789")];
      // The first digits decide; zeros among them are prefixes.
      for (let change = sample === 0 ? 0 : 1 + below(3); change > 0; change--) {
        national[below(sample % 2 === 0 ? 4 : national.length)] = String(below(10));
      }
      if (sample % 7 === 3) national.pop();
      if (sample % 7 === 5) national.splice(below(2), 0, sample % 2 === 0 ? "0" : String(below(10)));
      const digits = `${code}${national.join("")}`;
      if (!isPlainMobile(digits)) continue;
      recognized.add(country);
      const read = parsePhoneNumberFromString(`+${digits}`, { extract: false });
      const kind = read?.getType();
      const isMobile = kind === "MOBILE" || kind === "FIXED_LINE_OR_MOBILE";
      if (read?.isValid() !== true || read.number !== `+${digits}` || !isMobile) wrong.push([country, digits, kind]);
    }
  }
  expect(wrong).toEqual([]);
  expect(recognized.size).toBeGreaterThan(150);
  expect(["IN", "DE", "BR", "MX", "ID", "NG"].filter((country) => !recognized.has(country))).toEqual([]);
});

test("shared calling codes, lines of other kinds, and texts are left to libphonenumber", () => {
  for (const digits of ["12135550123", "442079460958", "80012345678", "0091", "", "+919876543210", "9198765432"])
    expect([digits, isPlainMobile(digits)]).toEqual([digits, false]);
  expect(isPlainMobile("919876543210")).toBe(true);
});
