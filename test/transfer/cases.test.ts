/** Files as shops have them, through the command: what each must bring in, and what it must say. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CallingWorkshop } from "#test/cli/spawn.ts";

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

/** The file, the counters that it must give, texts that the export must have, options, country. */
type Taken = [name: string, counters: object, texts: string[], country?: string, ...options: string[]];

const taken: Taken[] = [
  ["c01-excel-phones", { created: 21, failed: 5, continued: 1 }, ["+919812340001", "+919812340009".slice(0, 12)]],
  ["c02-india-same", { created: 1, repeated: 9, failed: 0 }, ["+919812350001"]],
  ["c03-brazil", {}, [], "BR"],
  ["c04-argentina", { failed: 1 }, ["+5491123456789", "+5493512345678"], "AR"],
  ["c05-mexico", { created: 1, repeated: 7, failed: 0 }, ["+525512345678"], "MX"],
  ["c06-cotedivoire", { failed: 0 }, ["+2250101020304", "+2250707080910"], "CI"],
  ["c08-us", { created: 8, failed: 1 }, ["+442079460958", "+12125550145", "+16465550150"], "US"],
  ["c13-utf16le-nobom", { created: 2, encoding: "utf-16le" }, ["José Núñez", "“Smart”"]],
  ["c10-latin1", { created: 2 }, ["José Núñez", "München"]],
  ["c11-cp1252", { created: 2 }, ["José Núñez", "“Smart” quotes – dash"]],
  ["c12-utf16le-bom", { created: 2 }, ["José Núñez"]],
  ["c14-utf8-bom", { created: 2 }, ["José Núñez"]],
  ["c15-cr-only", { created: 2, lines: 3 }, ["José Núñez"]],
  ["c16-cp1251", { created: 2, encoding: "windows-1251" }, ["Анна Петрова", "Иван"]],
  ["c17-shiftjis", { created: 1, encoding: "shift_jis" }, ["山田太郎"]],
  ["c18-mac-roman", { created: 1, encoding: "macintosh" }, ["José"]],
  ["c19-sep-line", { created: 1, skipped_lines: 2 }, ["Sep,+919812370001"]],
  ["c20-title-row", { created: 1, skipped_lines: 3 }, ["Asha,+919812370011", "Pune"]],
  [
    "c21-no-header",
    { created: 2, skipped_lines: 0 },
    ["Asha Rao,+919812370021"],
    "IN",
    "--header-row",
    "none",
    "--map",
    "1=name,2=phone",
  ],
  ["c22-header-twice", { created: 2, failed: 1 }, ["Asha", "Ravi"]],
  [
    "c23-two-phone-cols",
    { created: 3 },
    ["Only mobile,+919812370041", "Only landline,+912227654321", "Both,+919812370042"],
  ],
  ["c24-google", { created: 2 }, ["+919812370051", "+919812370052", "VIP"]],
  ["c25-outlook", { created: 2 }, ["+919812370061", "+919812370062", "VIP"]],
  [
    "c26-shopify",
    { created: 2, opted_in: 1, opted_out: 0 },
    ["+919812370071", "+919812370072"],
    "IN",
    "--consent",
    "opted_in",
  ],
  [
    "c27-quotes-mid",
    { created: 3, failed: 1, continued: 1 },
    ['"Asha ""Ash"" Rao"', '"Ravi ""The Rock"" Das"', '"5"" pizza"'],
  ],
  ["c27-quotes-mid", { created: 5, failed: 0 }, ["After,+919812370085"], "IN", "--quotes", "none"],
  ["c27a-quote-inside-quoted", { created: 3 }, ['"Ravi ""The Rock"" Das"']],
  ["c27b-unclosed", { created: 1, failed: 1, continued: 2 }, ["A,+919812390011"]],
  ["c28-300cols", { created: 1 }, ["Wide"]],
  ["c29-bdays", { created: 18, cells_left_out: 2 }, ["1990-02-01", "1990-12-31", "2000-02-29", "2023-03-15"]],
  ["c30-emails", { created: 8 }, ["mailto,+919812380034,,,asha@example.com", "angle,+919812380035,,,asha@example.com"]],
  ["c41-us-dates", { created: 4 }, ["1990-03-04", "1985-11-12", "1980-07-25"], "US"],
  ["c31-emoji-names", { created: 10 }, ["👩‍👩‍👧‍👦 Family 🎂"]],
  ["c35-nul", { created: 1, blank: 1, failed: 0 }, ["Asha,+919812380071"]],
  ["c38-header-only", { records: 0, skipped_lines: 1 }, []],
  ["c39-trailing-cols", { created: 2, failed: 0, blank: 2 }, ["Asha", "Ravi"]],
  ["c40-dup-headers", { created: 1 }, ["A,+919812380101"]],
  ["c44-unclosed-to-eof", { created: 1, failed: 1, continued: 1 }, ["A,+919812430001"]],
  ["c45-backslash-quotes", { created: 3 }, ['"Asha ""Ash"" Rao"', "C:\\,+919812440002"]],
  [
    "e01-own-export-consent",
    { opted_in: 1, opted_out: 2 },
    ["Asha", "opted_out", "opted_in"],
    "IN",
    "--consent",
    "opted_in",
  ],
];

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

const refused: [name: string, sentence: string][] = [
  ["c21-no-header", "--header-row none --map 1=name,2=phone"],
  ["c03-brazil", "--country BR"],
  ["c32-xlsx-renamed", "This is an Excel workbook, not CSV"],
  ["c33-old-xls", "an old Excel workbook (.xls)"],
  ["c34-html-xls", "a web page, perhaps saved as .xls"],
  ["c36-vcard", "This is a vCard file"],
  ["c37-empty", "empty"],
  ["c42-esc-header", "na\\x1b[31mme"],
];
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
