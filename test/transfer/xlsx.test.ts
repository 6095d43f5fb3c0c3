/** Workbooks of Excel as files of people: what the cells say, and what is refused before any of it is stored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "#src/core/problem.ts";
import { looksLikeHeader } from "#src/transfer/columns.ts";
import { openFile } from "#src/transfer/formats/open.ts";
import type { ReadOptions } from "#src/transfer/formats/record.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { partsOfWorkbook, textWorkbook, type WorkbookText, workbook, zip } from "./workbook.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-xlsx-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(bytes: Buffer, options: ReadOptions = {}) {
  const path = join(directory, "people.xlsx");
  writeFileSync(path, bytes);
  await using open = await openFile(path, "IN", options, (cells) => looksLikeHeader(cells, new Map(), []));
  if (open === null) return null;
  const rows: string[][] = [];
  const lines: number[] = [];
  for await (const records of open.records) {
    for (const { line, cells } of records) {
      rows.push(cells);
      lines.push(line);
    }
  }
  return { header: open.header, headerLine: open.headerLine, sheet: open.sheet, rows, lines, totals: open.totals };
}

async function refusal(bytes: Buffer, options: ReadOptions = {}): Promise<string> {
  const error: unknown = await read(bytes, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Problem)) throw new Error(`It was not refused: ${String(error)}`);
  return error.message;
}

const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (...cells: string[]): string => `<row>${cells.join("")}</row>`;

/** The cells of one row below a header of as many columns. */
async function cellsOf(cells: string, more: Omit<WorkbookText, "sheets"> = {}): Promise<string[] | undefined> {
  const header = row(text("phone"), text("name"));
  return (await read(workbook({ sheets: [{ name: "A", rows: header + row(cells) }], ...more })))?.rows[0];
}

test.each([
  ["a whole number has all its digits", "<c><v>919812340001</v></c>", "919812340001"],
  [
    "a whole number that is stored with an exponent has all its digits",
    "<c><v>9.19812340001E+11</v></c>",
    "919812340001",
  ],
  ["a fraction is as Excel shows it", "<c><v>0.30000000000000004</v></c>", "0.3"],
  ["a truth is a word", '<c t="b"><v>1</v></c>', "TRUE"],
  ["a formula is its stored result", '<c t="str"><f>"+91"&amp;A1</f><v>+919812340001</v></c>', "+919812340001"],
  ["a formula is never evaluated", "<c><f>1+1</f></c>", undefined],
  ["an error is the word that Excel shows", '<c t="e"><v>#N/A</v></c>', "#N/A"],
  ["a shared string is its text", '<c t="s"><v>1</v></c>', "Asha & Rao 😀"],
  ["parts of a rich text are one text, without readings of characters", '<c t="s"><v>2</v></c>', "山田太郎"],
  ["escaped characters are decoded", '<c t="s"><v>3</v></c>', "a\nb"],
  ["text in a formula's clothes is text", text("=HYPERLINK(1)"), "=HYPERLINK(1)"],
])("%s", async (_, cell, expected) => {
  const sharedStrings = [
    "<t>zero</t>",
    "<t>Asha &amp; Rao &#128512;</t>",
    "<r><t>山田</t></r><r><rPr><b/></rPr><t>太郎</t></r><rPh><t>ヤマダ</t></rPh>",
    "<t>a_x000A_b</t>",
  ];
  expect((await cellsOf(cell, { sharedStrings }))?.[0]).toBe(expected as string);
});

test("where the sheet has no column of phone numbers, the sentence names the others", async () => {
  const workshop = new CallingWorkshop();
  await workshop.run(["workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"]);
  const path = workshop.path("two.xlsx");
  const sheets = [
    { name: "Info", rows: `<row>${text("Read me")}</row>` },
    { name: "People", rows: `<row>${text("Mobile")}</row><row>${text("9812340001")}</row>` },
  ];
  writeFileSync(path, workbook({ sheets }));
  const { code, stderr } = await workshop.run(["contact", "import", "--workspace", "1", path]);
  workshop[Symbol.dispose]();
  expect(code).toBe(1);
  expect(stderr).toContain("This is sheet 1, Info; choose another one with --sheet: 2 People.");
});

test.each([
  ["dd/mm/yyyy", "32932", "1990-02-28"],
  ["[$-409]d\\-mmm\\-yy;@", "32932", "1990-02-28"],
  [14, "32932", "1990-02-28"],
  [22, "32932.75", "1990-02-28T18:00:00"],
  [16, "45716", "--02-28"],
  ["d-mmm", "45716", "--02-28"],
  ["dd/mm;@", "45716", "--02-28"],
  ["mmm-yy", "32932", "1990-02-28"],
  ["hh:mm", "0.75", "18:00:00"],
  ["0", "32932", "32932"],
  ['"day "0', "32932", "32932"],
  ["00000", "2134", "02134"],
  ['"+"0', "4917112345678", "+4917112345678"],
  ["yyyy-mm-dd", "0", "1900-01-00"],
  ["yyyy-mm-dd", "60", "1900-02-29"],
  ["yyyy-mm-dd", "59", "1900-02-28"],
  ["yyyy-mm-dd", "919812340001", "919812340001"],
])("format %p shows %s as %s", async (format, value, expected) => {
  const cells = await cellsOf(`<c s="1"><v>${value}</v></c>`, { formats: [format] });
  expect(cells?.[0]).toBe(expected);
});

test("days count from 1904 in a workbook that says so", async () => {
  expect((await cellsOf('<c s="1"><v>31470</v></c>', { formats: [14], is1904: true }))?.[0]).toBe("1990-02-28");
});

test("titles, rows that are missing and cells by their column are where the sheet has them", async () => {
  const rows = [
    `<row r="1"><c r="B1" t="inlineStr"><is><t>Our customers</t></is></c></row>`,
    `<row r="3">${text("Name")}<c r="C3" t="inlineStr"><is><t>Mobile</t></is></c></row>`,
    `<row r="4"><c r="C4"><v>9812340001</v></c></row>`,
    `<row r="7"><c r="A7"/><c r="B7"/></row>`,
    `<row r="9">${text("Ravi")}<c r="C9"><v>9812340002</v></c></row>`,
  ];
  const after = '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>';
  const found = await read(workbook({ sheets: [{ name: "A", rows: rows.join(""), after }] }));
  expect(found?.header).toEqual(["Name", "", "Mobile"]);
  expect(found?.rows).toEqual([
    ["", "", "9812340001"],
    ["Ravi", "", "9812340002"],
  ]);
  expect(found?.lines).toEqual([4, 9]);
  expect(found?.totals).toEqual({ lines: 9, skipped: 3, continued: 0, records: 6, blank: 4 });
});

const people = row(text("phone")) + row(text("9812340001"));
const sheets = [
  { name: "Old", rows: people, state: "hidden" },
  { name: "Empty", rows: "" },
  { name: "People", rows: people },
];

test("the first sheet that is not hidden is read, and another one by its number", async () => {
  expect((await read(workbook({ sheets: [...sheets].reverse() })))?.sheet).toMatchObject({ number: 1, name: "People" });
  expect((await read(workbook({ sheets }), { sheet: 3 }))?.sheet).toMatchObject({ number: 3, name: "People" });
  expect(await refusal(workbook({ sheets }))).toContain(
    "Sheet 2, Empty, is empty; choose another one: 1 Old, 3 People",
  );
  expect(await refusal(workbook({ sheets }), { sheet: 4 })).toContain(
    "no sheet 4; choose one by its number: 1 Old (hidden)",
  );
});

const parts = partsOfWorkbook({ sheets: [{ name: "A", rows: people }] });
const withPart = (name: string, change: object): Buffer =>
  zip(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
const SHEET = "xl/worksheets/sheet1.xml";

test.each([
  ["without its end", workbook({ sheets }).subarray(0, 900), "it cannot be unpacked"],
  ["without a list of sheets", zip(parts.filter(({ name }) => name !== "xl/workbook.xml")), "which sheets it has"],
  ["whose sheet is missing", zip(parts.filter(({ name }) => name !== SHEET)), "it has no part"],
  ["whose sheet has other bytes than were saved", withPart(SHEET, { crc: 1 }), "not what was saved"],
  [
    "whose XML is broken",
    withPart(SHEET, { data: Buffer.from("<worksheet><sheetData><row></sheetData>") }),
    "XML is broken",
  ],
  [
    "whose XML has a document type",
    withPart(SHEET, { data: Buffer.from("<!DOCTYPE x><worksheet/>") }),
    "document type",
  ],
  [
    "with a shared string that is missing",
    workbook({ sheets: [{ name: "A", rows: row('<c t="s"><v>7</v></c>') }] }),
    "a text that is missing",
  ],
  ["with more rows than Excel has", workbook({ sheets: [{ name: "A", rows: '<row r="1048577"/>' }] }), "row 1048577"],
])("a workbook %s is damaged", async (_, bytes, sentence) => {
  const says = await refusal(bytes);
  expect(says).toStartWith("This workbook is damaged: ");
  expect(says).toContain(sentence);
});

test("a workbook that declares to unpack to far more than it is, or that unpacks to more than it declares, is refused", async () => {
  const data = Buffer.alloc(80 * 1024 * 1024, "<row/>");
  expect(await refusal(withPart(SHEET, { data }))).toContain(
    "This workbook unpacks to 80 MB, which is too much to be read",
  );
  expect(await refusal(withPart(SHEET, { data, size: 1000 }))).toContain("damaged");
  const declared = await refusal(withPart(SHEET, { size: 0xf0_00_00_00 }));
  expect(declared).toContain("unpacks to 3840 MB");
});

test("a row that repeats one long text, and a text longer than a cell can be, is refused and the others are read", async () => {
  const long = "x".repeat(60_000);
  const repeated = row(text("9812340001"), '<c t="s"><v>0</v></c>'.repeat(30));
  const rows =
    row(text("phone"), text("name")) +
    repeated +
    row(text("9812340002"), text("y".repeat(70_000))) +
    row(text("9812340003"));
  const bytes = workbook({ sheets: [{ name: "A", rows }], sharedStrings: [`<t>${long}</t>`] });
  const path = join(directory, "long.xlsx");
  writeFileSync(path, bytes);
  await using open = await openFile(path, "IN", {}, (cells) => looksLikeHeader(cells, new Map(), []));
  const problems: (string | undefined)[] = [];
  for await (const records of open?.records ?? []) problems.push(...records.map(({ problem }) => problem));
  expect(problems).toEqual(["row_too_long", "row_too_long", undefined]);
});

test.each([
  ["word/document.xml", "This is a Word document"],
  ["xl/workbook.bin", "This is a binary Excel workbook (.xlsb)"],
  ["content.xml", "This is an OpenDocument spreadsheet (.ods)"],
  ["people.csv", "This is a ZIP archive: unpack it"],
])("an archive with %s is named", async (name, sentence) => {
  expect(await refusal(zip([{ name, data: Buffer.from("x") }]))).toContain(sentence);
});

test("an archive with a password is named", async () => {
  expect(await refusal(withPart(SHEET, { flags: 0x801 }))).toContain("an archive with a password");
});

test("the commands import and opt out a workbook, name its sheet, and count its rows", async () => {
  using workshop = new CallingWorkshop();
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path("people.xlsx");
  const rows = [
    ["Customers"],
    ["Name", "Mobile"],
    ["Asha", "98123 40001"],
    [""],
    ["Ravi", "none"],
    ["Mira", "9812340003"],
  ];
  writeFileSync(path, textWorkbook(rows));
  const ran = await workshop.run(["contact", "import", "--workspace", String(id), path, "--json"]);
  expect(ran.stderr).toContain("sheet: People");
  expect(JSON.parse(ran.stdout)).toMatchObject({
    kind: "xlsx",
    lines: 6,
    skipped_lines: 2,
    records: 4,
    blank: 1,
    created: 2,
    failed: 1,
  });
  const optedOut = await workshop.run([
    "contact",
    "opt-out",
    "--workspace",
    String(id),
    "--file",
    path,
    "--sheet",
    "1",
    "--json",
  ]);
  expect(optedOut.code).toBe(1);
  expect(JSON.parse(optedOut.stdout)).toMatchObject({ opted_out: 2, failed: 1, lines: 6 });
});
