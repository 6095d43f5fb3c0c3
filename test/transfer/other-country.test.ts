/** National numbers of another country: read where the file or an option decides, else refused, never guessed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { CallingWorkshop } from "#test/cli/spawn.ts";

let workshop: CallingWorkshop;
beforeAll(() => {
  workshop = new CallingWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

const GERMAN = ["name,phone", "Anna,+49 30 901820", "Bernd,0171 2345678", "Clara,0049 151 23456789"];

async function importLines(lines: readonly string[], ...options: string[]) {
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path("people.csv");
  writeFileSync(path, lines.join("\n"));
  const ran = await workshop.run(["contact", "import", "--workspace", String(id), path, "--json", ...options]);
  const { stdout } = await workshop.run(["contact", "export", "--workspace", String(id)]);
  const phones = [...stdout.matchAll(/\+\d+/g)].map(([phone]) => phone).sort();
  return { ...ran, phones };
}

test("the German numbers of a German file are not read as Indian ones: the command names the options that decide", async () => {
  for (const options of [[], ["--dry-run"], ["--consent", "opted_in"]]) {
    const { code, stdout, phones } = await importLines(GERMAN, ...options);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe("country_unclear");
    expect(stdout).toContain("0171 2345678");
    expect(stdout).toContain("--country DE or --country IN");
    expect(phones).toEqual([]);
  }
});

test("with --country, every national number of the file is of that country", async () => {
  const german = await importLines(GERMAN, "--country", "DE");
  expect(german.phones).toEqual(["+4915123456789", "+491712345678", "+4930901820"]);
  const indian = await importLines(GERMAN, "--country", "in");
  expect(indian.phones).toContain("+911712345678");
});

test("a country that does not exist is a usage error", async () => {
  expect((await importLines(GERMAN, "--country", "Deutschland")).code).toBe(2);
});

test.each(["Land", "country", "Country/Region", "pais", "देश"])("a column %s decides row by row", async (name) => {
  const { code, phones } = await importLines([
    `name,phone,${name}`,
    "Anna,0171 2345678,Deutschland",
    "Asha,098123 40001,India",
    "Bernd,0151 23456789,DE",
    "Carlos,612 345 678,Espagne",
    "Dora,+43 664 1234567,Germany",
    "Emma,07911 123456,+44",
  ]);
  expect(code).toBe(0);
  expect(phones).toEqual([
    "+34612345678",
    "+436641234567",
    "+447911123456",
    "+4915123456789",
    "+491712345678",
    "+919812340001",
  ]);
});

test("where a column names the countries, a row that does not name one is refused if it may be of another", async () => {
  const rows = ["name,phone,country", "Anna,0171 2345678,DE", "Asha,098123 40001,IN", "Bernd,0172 2345678,"];
  const { code, stdout, phones } = await importLines([...rows, "Ravi,098123 40002,", "Mina,098123 40003,"]);
  expect(code).toBe(0);
  expect(phones).toEqual(["+491712345678", "+919812340001", "+919812340002", "+919812340003"]);
  expect(JSON.parse(stdout).reasons).toEqual([
    {
      code: "other_country",
      reason: "the number may be another country's national number",
      rows: 1,
      example_line: 4,
      lines: [4],
      fix: expect.stringContaining("--country"),
    },
  ]);
});

test("a few foreign customers do not make a shop's own numbers doubtful", async () => {
  const own = Array.from({ length: 30 }, (_, at) => `Own,0981234${String(1_000 + at)}`);
  const foreign = ["Anna,+49 171 2345678", "John,+1 917 234 0001", "Omar,+971 50 123 4567"];
  const { code, phones } = await importLines(["name,phone", ...foreign, ...own]);
  expect(code).toBe(0);
  expect(phones).toHaveLength(33);
});
