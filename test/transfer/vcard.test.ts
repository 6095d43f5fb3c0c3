/** Files of vCards: each card is a record, in columns that need no mapping. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile } from "#src/transfer/formats/open.ts";
import type { FileRecord } from "#src/transfer/formats/record.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-vcard-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(text: string | Buffer) {
  const path = join(directory, "people.vcf");
  writeFileSync(path, text);
  await using open = await openFile(path, "IN", {}, () => false);
  if (open === null) throw new Error("The file is empty.");
  const records: FileRecord[] = [];
  for await (const some of open.records) records.push(...some);
  const { header, totals } = open;
  const people = records.map(({ cells }) =>
    Object.fromEntries(cells.flatMap((cell, at) => (cell === "" ? [] : [[header[at] ?? "", cell]]))),
  );
  return { people, records, totals };
}

const card = (...lines: string[]): string => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");

test.each([
  [
    "of version 3 gives names, numbers, address, birthday and tags, and no note",
    ["VERSION:3.0", "N:Rao;Asha;;;", "FN:Asha Rao", "ORG:Flowers\\, Ltd.;Sales", "TEL;TYPE=CELL:+919812340001"].concat([
      ...["EMAIL;TYPE=INTERNET:asha@example.com", "ADR;TYPE=HOME:;;12 Road;Pune;MH;411001;India", "BDAY:19900228"],
      ...["CATEGORIES:VIP,Regular", "NOTE:secret"],
    ]),
    {
      ...{ phone: "+919812340001", name: "Asha Rao", first_name: "Asha", last_name: "Rao", email: "asha@example.com" },
      ...{ company: "Flowers, Ltd.", city: "Pune", state: "MH", postal_code: "411001", birthday: "1990-02-28" },
      tags: "VIP;Regular",
    },
  ],
  [
    "with several numbers has the mobile first, and no fax",
    [
      "FN:A",
      "TEL;TYPE=FAX:022",
      "TEL;TYPE=HOME:0221",
      "TEL;TYPE=WORK;PREF=1:0222",
      "item1.TEL;type=CELL:0223",
      "TEL:0224",
    ],
    { name: "A", phone: "0223", phone2: "0222", otherphone: "0221 ::: 0224" },
  ],
  ["of WhatsApp has its id", ["FN:A", "TEL;waid=919812340001:98123 40001"], { name: "A", phone: "+919812340001" }],
  [
    "of version 2.1 is decoded",
    [
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=9Cnal;Ali",
      "FN;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-9:Ali =",
      "=DCnal 100%",
      "TEL;CELL:1",
    ],
    { name: "Ali Ünal 100%", first_name: "Ali", last_name: "Ünal", phone: "1" },
  ],
  [
    "of version 4 has addresses of numbers, and a birthday without a year",
    [
      'TEL;VALUE=uri;TYPE="voice,cell":tel:+44-7911-123456;ext=12',
      "FN:Long na",
      " me",
      "BDAY:--0229",
      "ANNIVERSARY:20100506",
    ],
    { phone: "tel:+44-7911-123456 ext. 12", name: "Long name", birthday: "--02-29", anniversary: "2010-05-06" },
  ],
  [
    "without FN has its name from N, and Apple's year 1604 is no year",
    ["N:Rao;Asha", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29"],
    { name: "Asha Rao", first_name: "Asha", last_name: "Rao", birthday: "--02-29" },
  ],
])("a card %s", async (_, lines, expected) => {
  const { people } = await read(card(...(lines as string[])));
  expect(people).toEqual([expected as Record<string, string>]);
});

test("every line is counted, and lines that are no complete card are refused", async () => {
  const text = `\r\n${card("FN:A", "TEL:1", "PHOTO;ENCODING=b:AAAA", " BBBB")}\r\nstray\r\nBEGIN:VCARD\r\nFN:cut\r\n${card("FN:B", "TEL:2")}\r\nBEGIN:VCARD\r\nFN:end`;
  const { people, records, totals } = await read(`BEGIN:VCARD\r\nEND:VCARD\r\n${text}`);
  expect(records.map(({ problem }) => problem)).toEqual([
    undefined,
    "card_broken",
    "card_broken",
    undefined,
    "card_broken",
  ]);
  expect(people[0]).toEqual({ name: "A", phone: "1" });
  expect(people[3]).toEqual({ name: "B", phone: "2" });
  expect(totals).toEqual({ lines: 20, skipped: 0, continued: 14, records: 6, blank: 1 });
});

test("a photo of many megabytes is not kept, and a name of many megabytes is refused", async () => {
  const line = ` ${"A".repeat(70)}\r\n`;
  const photo = `PHOTO;ENCODING=b:\r\n${line.repeat(40_000)}`;
  const { people } = await read(card("FN:A", photo, "TEL:1"));
  expect(people).toEqual([{ name: "A", phone: "1" }]);
  const { records } = await read(card(`FN:A\r\n${line.repeat(40_000)}`, "TEL:1") + card("TEL:2"));
  expect(records.map(({ problem }) => problem)).toEqual(["row_too_long", undefined]);
});

test("the commands import and opt out cards without a mapping", async () => {
  using workshop = new CallingWorkshop();
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path("people.vcf");
  const none = card("FN:Nobody");
  writeFileSync(path, card("FN:Asha", "TEL:98123 40001") + none + card("FN:Ravi", "TEL;CELL:9812340002", "TEL:1"));
  const importing = ["contact", "import", "--workspace", String(id), path];
  const report = await workshop.json(importing);
  expect(report).toMatchObject({ kind: "vcard", lines: 12, records: 3, continued: 9, created: 2, failed: 1 });
  const ran = await workshop.run(["contact", "opt-out", "--workspace", String(id), "--file", path, "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({ opted_out: 2, failed: 1 });
});
