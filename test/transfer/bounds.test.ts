/** Files that are larger than a file of people can be: what is too large is refused alone, and the rest is imported. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { workbook } from "./workbook.ts";

async function importOf(workshop: CallingWorkshop, name: string, bytes: string | Buffer) {
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path(name);
  writeFileSync(path, bytes);
  return workshop.json<object>(["contact", "import", "--workspace", String(id), path]);
}

test("a row of over 1 MB is refused with its own reason, and the rows around it are imported", async () => {
  using workshop = new CallingWorkshop();
  const lines = ["name,phone", "Asha,9812340001", `${"x".repeat(3_000_000)},9812340002`, "Ravi,9812340003", ""];
  expect(await importOf(workshop, "long.csv", lines.join("\n"))).toMatchObject({
    ...{ lines: 4, created: 2, failed: 1 },
    reasons: [{ code: "row_too_long", rows: 1, example_line: 3 }],
  });
});

test("a workbook's texts are found again by their numbers, however many they are", async () => {
  using workshop = new CallingWorkshop();
  const texts = Array.from({ length: 60_000 }, (_, at) => `Person ${at} ${"ñ".repeat(at % 40)}x`);
  const cell = (at: number): string => `<c t="s"><v>${at}</v></c>`;
  const row = (at: number): string => `<row>${cell(at)}<c><v>${919812000000 + at}</v></c></row>`;
  const chosen = [0, 4_095, 4_096, 30_000, 59_999];
  const rows = `<row><c t="str"><v>name</v></c><c t="str"><v>phone</v></c></row>${chosen.map(row).join("")}`;
  const sharedStrings = texts.map((text) => `<t>${text}</t>`);
  const bytes = workbook({ sheets: [{ name: "A", rows }], sharedStrings });
  expect(await importOf(workshop, "texts.xlsx", bytes)).toMatchObject({ created: 5 });
  const { stdout } = await workshop.run(["contact", "export", "--workspace", "1"]);
  for (const at of chosen) expect(stdout).toContain(`${texts[at]},+${919812000000 + at}`);
});
