/** A "no" in any row of a file holds for its person, whatever the other rows say and in whatever order they stand. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { CallingWorkshop } from "#test/cli/spawn.ts";

let workshop: CallingWorkshop;
beforeAll(() => {
  workshop = new CallingWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

const yes = ["yes", "opted_in", ""];
const no = ["no", "false", "declined", "opted_out", "unsubscribed"];
/** How two rows may write one person. */
const spellings = [
  ["+919812340001", "+919812340001"],
  ["098123 40001", "'+91 98123-40001"],
  ["9812340001.0", "919812340001@c.us"],
];

const combinations = [...yes].flatMap((agreed) =>
  no.flatMap((refused) =>
    spellings.flatMap(([a, b]) => [
      { rows: [`A,${a},${agreed}`, `B,${b},${refused}`], refused },
      { rows: [`A,${a},${refused}`, `B,${b},${agreed}`], refused },
      { rows: [`A,${a},${agreed}`, `B,${b},${refused}`, `C,${a},${agreed}`], refused },
    ]),
  ),
);

/** One file for each row of each combination would take minutes: each combination has its own person in one file. */
function fileOf(select: (index: number) => boolean, header: string): string {
  const rows = combinations.flatMap((one, index) => {
    if (!select(index)) return [];
    const person = String(40_001 + index);
    return one.rows.map((row) =>
      row
        .replace("98123 40001", `98123 ${person}`)
        .replace("98123-40001", `98123-${person}`)
        .replace("9812340001", `98123${person}`),
    );
  });
  return [header, ...rows].join("\n");
}

async function shop(): Promise<string> {
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  return String(id);
}

async function exported(id: string): Promise<string[][]> {
  const { stdout } = await workshop.run(["contact", "export", "--workspace", id]);
  const [header = [], ...rows] = stdout
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  const [phone, consent] = [header.indexOf("phone"), header.indexOf("consent")];
  return rows.map((row) => [row[phone] ?? "", row[consent] ?? ""]);
}

for (const [size, padding] of [
  ["small", 0],
  ["large", 9_000],
] as const) {
  for (const options of [[], ["--consent", "opted_in"]]) {
    test(`in a ${size} file with ${options.join(" ") || "no option"}, a person whom one row refuses is never opted in`, async () => {
      const id = await shop();
      const path = workshop.path(`${size}${options.length}.csv`);
      const others = Array.from({ length: padding }, (_, at) => `Other,+9199${10_000_000 + at},yes`);
      writeFileSync(path, [fileOf(() => true, "name,phone,consent"), ...others].join("\n"));
      const report = await workshop.json<{ failed: number; opted_in: number }>([
        "contact",
        "import",
        "--workspace",
        id,
        path,
        ...options,
      ]);
      expect(report).toMatchObject({ failed: 0, opted_in: padding });
      const people = new Map((await exported(id)).map(([phone, consent]) => [phone, consent]));
      for (const [index, { refused }] of combinations.entries()) {
        const expected = ["opted_out", "unsubscribed"].includes(refused) ? "opted_out" : "unknown";
        expect([index, people.get(`'+9198123${40_001 + index}`) ?? people.get(`+9198123${40_001 + index}`)]).toEqual([
          index,
          expected,
        ]);
      }
    });
  }
}

test("a no counts although its row is refused for another cell, and in a column of its own", async () => {
  const id = await shop();
  const path = workshop.path("refused.csv");
  writeFileSync(path, "phone,optin,unsubscribed,birthday\n+919812340001,yes,,\n+919812340001,,yes,99/99/99\n");
  await workshop.run(["contact", "import", "--workspace", id, path, "--bad-cells", "refuse", "--consent", "opted_in"]);
  expect((await exported(id)).map(([, consent]) => consent)).toEqual(["unknown"]);
});
