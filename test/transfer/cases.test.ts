/** Files as shops have them, through the command: what each must bring in, and what it must say. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { refused, taken } from "./expected.ts";

const directory = join(import.meta.dir, "cases");
let workshop: CallingWorkshop;
beforeAll(() => {
  workshop = new CallingWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

interface Report {
  [member: string]: unknown;
  lines: number;
  skipped_lines: number;
  continued: number;
  records: number;
  blank: number;
  rows: number;
  repeated: number;
  failed: number;
  reasons: { reason: string; rows: number }[];
}

async function workspace(country: string): Promise<string> {
  const place = ["--country", country, "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  return String(id);
}

function given(name: string): string {
  const path = workshop.path(`${name}.csv`);
  copyFileSync(join(directory, `${name}.csv`), path);
  return path;
}

async function importCase(name: string, country: string, options: readonly string[]) {
  const id = await workspace(country);
  const ran = await workshop.run(["contact", "import", "--workspace", id, given(name), "--json", ...options]);
  const exported = await workshop.run(["contact", "export", "--workspace", id]);
  return { ran, report: JSON.parse(ran.stdout) as Report, exported: exported.stdout };
}

function expectSums(report: Report): void {
  expect(report.lines).toBe(report.skipped_lines + report.records + report.continued);
  expect(report.records).toBe(report.rows + report.repeated + report.blank);
  expect(report.reasons.reduce((sum, { rows }) => sum + rows, 0)).toBe(report.failed);
}

test.each(taken)(
  "%s gives %o, and every line of it is counted",
  async (name, counters, texts, country = "IN", ...options) => {
    const { ran, report, exported } = await importCase(name, country, options);
    expect(ran.code).toBe(0);
    expect(report).toMatchObject(counters);
    expectSums(report);
    for (const text of texts) expect(exported).toContain(text);
    const dry = await workshop.json<Report>([
      "contact",
      "import",
      "--workspace",
      await workspace(country),
      given(name),
      "--dry-run",
      ...options,
    ]);
    expect(dry.reasons).toEqual(report.reasons);
    expect(dry.created).toBe(report.created);
  },
);

test.each(refused)("%s is refused, and the sentence says %s", async (name, sentence) => {
  const ran = await workshop.run(["contact", "import", "--workspace", await workspace("IN"), given(name)]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(sentence);
  expect(ran.stdout + ran.stderr).not.toMatch(/(?![\n])\p{Cc}/u);
});

test("control characters of a refused row are written out in the file of errors", async () => {
  const { report } = await importCase("c43-esc-cell", "IN", []);
  expect(report.failed).toBe(1);
  const errors = readFileSync(String(report.errors_file), "utf8");
  expect(errors).toContain("\\x1b[2J");
  expect(errors).not.toMatch(/(?![\r\n])\p{Cc}/u);
});

test("a file of opt-outs is read as tolerantly as can be, and a line that fails makes the exit status 1", async () => {
  const id = await workspace("IN");
  const optOut = async (name: string) => {
    const ran = await workshop.run(["contact", "opt-out", "--workspace", id, "--file", given(name), "--json"]);
    return { code: ran.code, ...(JSON.parse(ran.stdout) as Report) };
  };
  expect(await optOut("o01-optouts")).toMatchObject({ code: 1, opted_out: 5, failed: 1, lines: 7 });
  const { stdout } = await workshop.run(["contact", "export", "--workspace", id]);
  for (const digit of [1, 2, 3, 4, 5, 6]) expect(stdout).toMatch(new RegExp(`91981241000${digit},.*opted_out`));
  const stray = await optOut("o02-optouts-stray-quote");
  expect(stray).toMatchObject({ code: 1, opted_out: 2, failed: 1, continued: 2 });
  expect(stray.reasons[0]).toMatchObject({ example_line: 3 });
});
