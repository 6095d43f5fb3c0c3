/** Characters that were lost before a file came here: named, and never stored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { CallingWorkshop } from "#test/cli/spawn.ts";

let workshop: CallingWorkshop;
beforeAll(() => {
  workshop = new CallingWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

interface Report {
  [member: string]: unknown;
  omitted: { code: string; rows: number; lines: number[]; fix: string }[];
}

async function shop(): Promise<string> {
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  return String(id);
}

/** `~` stands for a byte that is no character of UTF-8. */
function given(text: string): string {
  const path = workshop.path("people.csv");
  writeFileSync(path, Buffer.from(text.replaceAll("~", "\xff"), "latin1"));
  return path;
}

/** Text as the bytes that it has in UTF-8, for `given`. */
function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

async function take(id: string, path: string, ...options: string[]) {
  const ran = await workshop.run(["contact", "import", "--workspace", id, path, "--json", ...options]);
  return { code: ran.code, report: JSON.parse(ran.stdout) as Report };
}

async function exported(id: string): Promise<string> {
  return (await workshop.run(["contact", "export", "--workspace", id])).stdout;
}

const whole = Array.from({ length: 30 }, (_, at) => `José Núñez,+9198124601${String(at).padStart(2, "0")},Pune`).join(
  "\n",
);

test("a damaged name is not stored over a good one, and the rest of its row is", async () => {
  const id = await shop();
  await take(id, given(utf8(`Name,Phone,City\n${whole}\n`)));
  const damaged = utf8(`Name,Phone,City\n${whole}\n`).replace(
    utf8("José Núñez,+919812460105,Pune"),
    `${utf8("Jos")}~ ${utf8("Núñez")},+919812460105,Goa`,
  );
  const { code, report } = await take(id, given(damaged));
  expect(code).toBe(0);
  expect(report).toMatchObject({ updated: 1, unchanged: 29, failed: 0, cells_left_out: 1 });
  expect(report.omitted).toMatchObject([{ code: "damaged", rows: 1, lines: [7] }]);
  expect(report.omitted[0]?.fix).toContain("--encoding");
  const all = await exported(id);
  expect(all).toMatch(/José Núñez,\+919812460105,.*Goa/);
  expect(all).not.toContain("\ufffd");
  const errors = readFileSync(String(report.errors_file), "utf8");
  expect(errors).toMatch(/^7,"?Skipped: name: .* has a damaged character/m);
});

test("the text of a dry run names the lines, at most ten, and refusing bad cells refuses the rows", async () => {
  const id = await shop();
  const rows = Array.from({ length: 12 }, (_, at) => `Jos~,+9198124602${10 + at},Pune`);
  const path = given(utf8(`Name,Phone,City\n${whole}\n${whole.replaceAll("4601", "4603")}\n`) + rows.join("\n"));
  const dry = await workshop.run(["contact", "import", "--workspace", id, path, "--dry-run"]);
  expect(dry.stdout).toContain("12 cells: characters of the cell are damaged");
  expect(dry.stdout).toContain("(lines 62, 63, 64, 65, 66, 67, 68, 69, 70, 71)");
  expect(await exported(id)).not.toContain("+91");
  const refused = await take(id, path, "--bad-cells", "refuse");
  expect(refused.report).toMatchObject({ created: 60, failed: 12, cells_left_out: 0 });
});

test("another encoding reads the file without damage", async () => {
  const id = await shop();
  const path = given("Name,Phone\nJos\xe9 N\xfa\xf1ez,+919812460301\n");
  const wrong = await take(id, path, "--encoding", "utf-8", "--dry-run");
  expect(wrong.report).toMatchObject({ cells_left_out: 1, omitted: [{ code: "damaged", lines: [2] }] });
  const right = await take(id, path, "--encoding", "windows-1252");
  expect(right.report).toMatchObject({ created: 1, cells_left_out: 0, omitted: [] });
  expect(await exported(id)).toContain("José Núñez");
});

test("damaged tags, groups, custom fields and further people are skipped, and a doubtful consent is no agreement", async () => {
  const id = await shop();
  await workshop.run(["field", "add", "--workspace", id, "--key", "note", "--label", "Note", "--kind", "text"]);
  const header = "Name,Phone,tags,groups,fields.note,person_2_name,consent";
  const path = given(`${utf8(`${header}\n`)}Asha,+919812460401,V~P,G~,n~te,~na,s~\nRavi,+919812460402,,,,,yes\n`);
  const { report } = await take(id, path, "--encoding", "utf-8", "--consent", "opted_in");
  expect(report).toMatchObject({ created: 2, opted_in: 1, cells_left_out: 4 });
  expect(report.omitted).toMatchObject([{ code: "damaged", rows: 4, lines: [2] }]);
  const all = await exported(id);
  expect(all).not.toContain("\ufffd");
  expect(all).toContain("Asha,+919812460401");
});

test("a damaged answer to whether someone accepts messages opts them in by no option", async () => {
  const id = await shop();
  const path = given("Name,Phone,Accepts Marketing\nAsha,+919812460601,n~o\nRavi,+919812460602,yes\n");
  const { report } = await take(id, path, "--encoding", "utf-8", "--consent", "opted_in");
  expect(report).toMatchObject({ created: 2, opted_in: 1 });
});

test("a damaged number is refused, not read without what was lost", async () => {
  const id = await shop();
  const path = given("Name,Phone\nAsha,+91981246~0501\nRavi,+919812460502~\nMeena,+919812460503\n");
  const { report } = await take(id, path, "--encoding", "utf-8");
  expect(report).toMatchObject({ created: 1, failed: 2 });
});
