/** Whatever way people write a number, it is read as exactly that number or refused: never as the number of another person. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import examples from "libphonenumber-js/examples.mobile.json";
import {
  type CountryCode,
  getExampleNumber,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { Chance } from "#test/fuzz/chance.ts";
import { inForm } from "#test/support/long-form.ts";

let workshop: CallingWorkshop;
beforeAll(() => {
  workshop = new CallingWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

const COUNTRIES = [
  "IN",
  "DE",
  "US",
  "BR",
  "MX",
  "AR",
  "CI",
  "GB",
  "ID",
  "IT",
  "ES",
  "FR",
  "SA",
  "EG",
  "NG",
  "KE",
] as const;
/** Each is a workspace's country, and its numbers those of the files. */
const HOMES = inForm<readonly CountryCode[]>({ short: ["IN", "DE", "BR", "US"], long: COUNTRIES });
const ROWS = 600;

/** A valid mobile number with other last digits than the example's. */
function numberOf(chance: Chance, country: CountryCode): PhoneNumber {
  for (;;) {
    const digits = getExampleNumber(country, examples)?.number.slice(0, -4) ?? "";
    const last = String(chance.below(10_000)).padStart(4, "0");
    const number = parsePhoneNumberFromString(`${digits}${last}`);
    if (number?.isValid() === true) return number;
  }
}

/** How the number may be written so that it says its country itself. */
const international: ((number: PhoneNumber) => string)[] = [
  (number) => number.number,
  (number) => number.formatInternational(),
  (number) => `00${number.number.slice(1)}`,
  (number) => `'${number.number}`,
  (number) => `tel:${number.number}`,
  (number) => `https://wa.me/${number.number.slice(1)}`,
  (number) => `whatsapp:${number.number}`,
  (number) => `${number.number.slice(1)}@c.us`,
  (number) => `${number.formatInternational()} (home)`,
  (number) => `${number.number} ext. 12`,
  (number) => `Mobile: ${number.formatInternational()}`,
  (number) => `="${number.number}"`,
];
/** Of numbers of the workspace's country. */
const national: ((number: PhoneNumber) => string)[] = [
  (number) => number.formatNational(),
  (number) => `'${number.formatNational()}`,
  (number) => `${number.formatNational()} x12`,
  (number) => `${number.formatNational()} / ${number.number}`,
];
/** What cannot be restored. */
const damaged: ((number: PhoneNumber) => string)[] = [
  (number) => Number(number.number.slice(1)).toExponential(5).replace("e+", "E+"),
  (number) => `${number.number.slice(0, 5)}XXXX${number.number.slice(-2)}`,
  (number) => number.number.slice(-5),
  (number) => "#".repeat(number.number.length),
  (number) => `${number.number.slice(1)}-1612345678@g.us`,
  (number) => `Order ${number.number.slice(1)}`,
];

test.each(HOMES)("in a workspace of %s, every number is read as itself or not at all", async (home) => {
  const chance = new Chance(20_261_125 + (COUNTRIES as readonly string[]).indexOf(home));
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const kind = chance.below(10);
    const country = kind < 5 ? home : (COUNTRIES[chance.below(COUNTRIES.length)] ?? home);
    const number = numberOf(chance, country);
    const ways = kind < 3 ? national : kind < 9 ? international : damaged;
    const way = ways[chance.below(ways.length)] ?? international[0];
    return { name: `Person${index}`, number, cell: way?.(number) ?? "", isReadable: ways !== damaged };
  });
  const place = ["--country", home, "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path("people.csv");
  writeFileSync(
    path,
    ["name,phone", ...rows.map(({ name, cell }) => `${name},"${cell.replaceAll('"', '""')}"`)].join("\n"),
  );
  const report = await workshop.json<{ records: number; rows: number; repeated: number; failed: number }>([
    ...["contact", "import", "--workspace", String(id), path],
  ]);
  expect(report.rows + report.repeated).toBe(ROWS);
  const exported = (await workshop.run(["contact", "export", "--workspace", String(id)])).stdout;
  const stored = new Map(exported.split(/\r?\n/).map((line) => [line.split(",")[1] ?? "", line.split(",")[0] ?? ""]));
  const refused = readFileSync(`${path}.errors.csv`, "utf8");
  const wrong = rows.filter(({ name, number, cell, isReadable }) => {
    const isRefused = refused.includes(`${name},`);
    if (!isReadable) return !isRefused && !stored.has(number.number);
    return isRefused || !(stored.has(number.number) || stored.has(otherSpelling(number.number))) || cell === "";
  });
  expect(wrong.map(({ cell, number }) => [cell, number.number])).toEqual([]);
  // Each stored number is one of the file.
  const known = new Set(rows.flatMap(({ number }) => [number.number, otherSpelling(number.number)]));
  expect([...stored.keys()].filter((phone) => phone.startsWith("+") && !known.has(phone as `+${string}`))).toEqual([]);
});

test.each(HOMES)(
  "in a workspace of %s, the national numbers of a file of another country are asked about, refused or right",
  async (home) => {
    const chance = new Chance(20_261_126 + (COUNTRIES as readonly string[]).indexOf(home));
    for (const country of COUNTRIES.filter((one) => one !== home)) {
      const numbers = Array.from({ length: 40 }, () => numberOf(chance, country));
      const cells = numbers.map((number, index) =>
        index % 2 === 0 ? number.formatInternational() : number.formatNational(),
      );
      const place = ["--country", home, "--timezone", "Asia/Kolkata"];
      const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
      const path = workshop.path("people.csv");
      writeFileSync(path, ["phone,name", ...cells.map((cell) => `"${cell}",Person`)].join("\n"));
      const known = new Set(numbers.flatMap(({ number }) => [number as string, otherSpelling(number)]));
      const stored = async () =>
        [...(await workshop.run(["contact", "export", "--workspace", String(id)])).stdout.matchAll(/\+\d+/g)].map(
          ([phone]) => phone,
        );
      const importing = ["contact", "import", "--workspace", String(id), path];
      const asked = await workshop.run(importing);
      expect([home, country, (await stored()).filter((phone) => !known.has(phone))]).toEqual([home, country, []]);
      if (asked.code !== 0) expect(asked.stderr).toContain(`--country ${country}`);
      const decided = await workshop.json<{ failed: number }>([...importing, "--country", country]);
      expect([country, decided.failed, (await stored()).filter((phone) => !known.has(phone))]).toEqual([
        country,
        0,
        [],
      ]);
    }
  },
);

/** Brazil, Mexico and Argentina spell a number in two ways. */
function otherSpelling(phone: string): string {
  return phone.replace(/^(\+5[25])1?9?/, (code) => code.slice(0, 3)).replace(/^\+549/, "+54");
}
