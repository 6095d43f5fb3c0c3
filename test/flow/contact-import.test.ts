/** Importing many rows at once gives the same result as importing them one by one, and every counter stays correct. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { csvLine, plainCell } from "#src/transfer/csv-line.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import type { ImportCounters, ImportReport } from "#src/transfer/table.ts";
import { optOutOf } from "#test/support/contacts.ts";
import { jumpingClock } from "#test/support/database.ts";
import { consentLogOf, contactsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let directory = "";

beforeAll(async () => {
  app = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), "waxwing-import-"));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const HEADER = ["phone", "name", "city", "birthday", "tags", "groups", "fields.tier", "fields.points"];

interface Imported {
  counters: ImportCounters;
  failures: string[];
}

async function importRows(
  { id }: TestWorkspace,
  rows: readonly (readonly string[])[],
  given: { optIn?: boolean; isDryRun?: boolean; isServerRunning?: boolean; skipsBadCells?: boolean } = {},
): Promise<Imported> {
  const path = join(directory, "people.csv");
  writeFileSync(path, [HEADER, ...rows].map(csvLine).join(""));
  const failures: string[] = [];
  const report = await importContacts({
    store: app.store,
    clock: jumpingClock(),
    workspaceId: id,
    path,
    map: new Map(),
    optIn: given.optIn ?? false,
    skipsBadCells: given.skipsBadCells ?? false,
    isDryRun: given.isDryRun ?? false,
    isServerRunning: () => given.isServerRunning ?? true,
    onProgress: () => {},
    onFound: () => {},
    onFailure: (line, cells, reason) => failures.push(`${line} ${cells.join("|")} ${reason}`),
  });
  return { counters: countersOf(report), failures };
}

/** The counters of contacts. */
function countersOf(report: ImportReport): ImportCounters {
  const { rows, created, updated, unchanged, failed, repeated, changed, opted_in } = report;
  const { opted_out, kept_opted_out, cells_left_out } = report;
  expect(rows).toBe(created + updated + unchanged + failed);
  expect(report.records).toBe(rows + repeated + report.blank);
  expect(report.lines).toBe(report.skipped_lines + report.records + report.continued);
  return {
    ...{ rows, created, updated, unchanged, failed, repeated, changed, opted_in },
    ...{ opted_out, kept_opted_out, cells_left_out },
  };
}

/** A workspace with opted-out contacts, a dynamic group, and fields with rules. */
async function shop(): Promise<TestWorkspace> {
  const made = await app.workspace({ country: "BR" });
  await app.store.write((tx) => {
    addField(tx, made.id, { key: "tier", label: "Tier", kind: "choice", choices: ["gold", "silver"] });
    addField(tx, made.id, { key: "points", label: "Points", kind: "number", choices: [] });
    saveGroup(tx, made.id, { name: "Everybody in Rio", filter: { field: "city", is: "Rio" } });
  });
  await optOutOf(app, made, "+5511987650001");
  await optOutOf(app, made, "+551187650002");
  return made;
}

async function exported({ id }: TestWorkspace): Promise<string[]> {
  let text = "";
  await exportContacts(app.store, id, (piece) => {
    text += piece;
  });
  return text.split("\r\n").map((line) => line.replace(/,20\d\d-[^,]*,,$/, ""));
}

const logOf = ({ id }: TestWorkspace): string[] => {
  const phones = new Map(contactsOf(app).map((contact) => [contact.id, contact.phone]));
  return consentLogOf(app)
    .filter(({ workspaceId }) => workspaceId === id)
    .map(({ contactId, was, became, source }) => [phones.get(contactId), was, became, source].join(" "));
};

/** Counters beside the rows that they count. */
function counted({ id }: TestWorkspace) {
  const one = (sql: string) => Object.values(app.store.client.prepare(sql).get(id) as object);
  const groups = app.store.client.prepare(
    `SELECT name, member_count AS kept, (SELECT count(*) FROM group_members WHERE group_id = groups.id) AS rows
     FROM groups WHERE workspace_id = ? AND filter IS NULL ORDER BY name`,
  );
  return {
    kept: one("SELECT contacts, opted_out FROM contact_counters WHERE workspace_id = ?"),
    rows: one("SELECT count(*), sum(consent = 'opted_out') FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL"),
    groups: groups.all(id) as { name: string; kept: number; rows: number }[],
  };
}

function expectTrueCounters(at: TestWorkspace): void {
  const { kept, rows, groups } = counted(at);
  expect(kept).toEqual(rows);
  for (const group of groups) expect(group).toEqual({ ...group, kept: group.rows });
}

/** Twelve contacts in every format and variant, with and without country code and ninth digit, and invalid numbers. */
const phone = fc
  .tuple(fc.integer({ min: 0, max: 11 }), fc.constantFrom("+5511", "5511", "005511", "11", "+55 (11) "), fc.boolean())
  .map(([index, before, isShort]) => `${before}${isShort ? "" : "9"}8765${String(index).padStart(4, "0")}`);
const maybe = (...values: string[]) => fc.constantFrom("", "", ...values);
const row = fc.tuple(
  fc.oneof({ weight: 12, arbitrary: phone }, { weight: 1, arbitrary: fc.constantFrom("12", "nobody") }),
  maybe("Ana", "Bia"),
  maybe("Rio", "São Paulo"),
  maybe("1990-02-28", "--02-29", "31/02/1990"),
  maybe("vip", "VIP;new", "new;vip;Vip"),
  maybe("Regulars", "regulars", "Summer;Regulars", "everybody in rio"),
  maybe("gold", "bronze"),
  maybe("1.5", "many"),
);

test("many rows at once leave the same contacts, consents and counters as each row alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 90 }), fc.boolean(), async (rows, optIn) => {
      const [together, alone] = [await shop(), await shop()];
      const all = await importRows(together, rows, { optIn });
      const sum: Record<string, number> = {};
      const failures: string[] = [];
      for (const [index, one] of rows.entries()) {
        const { counters, failures: own } = await importRows(alone, [one], { optIn });
        for (const [name, count] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + count;
        failures.push(...own.map((failure) => failure.replace(/^2 /, `${index + 2} `)));
      }
      // Alone, every row is the first of its person.
      const { repeated, updated, unchanged, rows: counted, ...others } = all.counters;
      expect(sum).toMatchObject(others);
      expect(updated + unchanged + repeated).toBe((sum.updated ?? 0) + (sum.unchanged ?? 0));
      expect(counted + repeated).toBe(sum.rows ?? 0);
      expect(all.failures).toEqual(failures);
      expect(await exported(together)).toEqual(await exported(alone));
      expect(logOf(together)).toEqual(logOf(alone));
      expectTrueCounters(together);
      const again = await importRows(together, rows, { optIn });
      expect(again.counters).toMatchObject({ created: 0, opted_in: 0, failed: all.counters.failed });
    }),
    { numRuns: 12 },
  );
}, 600_000);

test("a file that is read on its own thread gives the same result, and a second run changes nothing", async () => {
  const made = await shop();
  const rows = Array.from({ length: 6_000 }, (_, index) => {
    const number = index % 500 === 250 ? "nobody" : `+55119${String(60_000_000 + index * 7)}`;
    return [number, `Person ${index}`, "Rio", "1990-02-28", "vip", index % 3 === 0 ? "Regulars" : "", "gold", "7"];
  });
  const { counters, failures } = await importRows(made, rows, { optIn: true });
  expect(counters).toEqual({
    rows: 6_000,
    created: 5_988,
    updated: 0,
    unchanged: 0,
    failed: 12,
    repeated: 0,
    changed: 0,
    opted_in: 5_988,
    opted_out: 0,
    kept_opted_out: 0,
    cells_left_out: 0,
  });
  expect(failures[0]).toStartWith('252 nobody|Person 250|Rio|1990-02-28|vip||gold|7 phone: "nobody"');
  const lines = await exported(made);
  expect(lines).toHaveLength(5_988 + 4);
  expect(lines.filter((line) => line.includes(",vip,"))).toHaveLength(5_988);
  expect(new Set(logOf(made).filter((entry) => entry.endsWith(" unknown opted_in import"))).size).toBe(5_988);
  expectTrueCounters(made);
  const before = contactsOf(app);
  const again = await importRows(made, rows, { optIn: true, isServerRunning: false });
  expect(again.counters).toMatchObject({ created: 0, updated: 0, unchanged: 5_988, failed: 12, opted_in: 0 });
  expect(contactsOf(app)).toEqual(before);
}, 600_000);

/** The cells of `row` that cannot be read, beside phone numbers. */
const BAD_CELLS = ["31/02/1990", "everybody in rio", "bronze", "many"];
const countBad = (cells: readonly string[]) => cells.filter((cell) => BAD_CELLS.includes(cell)).length;
const withoutBad = (cells: readonly string[]) => cells.map((cell) => (BAD_CELLS.includes(cell) ? "" : cell));

test("skipping bad cells imports what the file without these cells would, in any order and number of rows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 90 }), fc.boolean(), async (rows, optIn) => {
      const [given, cleaned] = [await shop(), await shop()];
      const dry = await importRows(given, rows, { optIn, skipsBadCells: true, isDryRun: true });
      const real = await importRows(given, rows, { optIn, skipsBadCells: true });
      const expected = await importRows(cleaned, rows.map(withoutBad), { optIn });
      const failedLines = new Set(expected.failures.map((failure) => Number.parseInt(failure, 10)));
      const written = rows.filter((_, index) => !failedLines.has(index + 2));
      const skippedCells = written.reduce((sum, cells) => sum + countBad(cells), 0);
      expect(real.counters).toEqual({ ...expected.counters, cells_left_out: skippedCells });
      const { rows: read, repeated, failed, cells_left_out } = dry.counters;
      expect([read + repeated, failed, cells_left_out]).toEqual([rows.length, expected.counters.failed, skippedCells]);
      expect(dry.failures).toEqual(real.failures);
      expect(real.failures.filter((failure) => failure.includes("Skipped: "))).toHaveLength(
        written.filter((cells) => countBad(cells) > 0).length,
      );
      expect(await exported(given)).toEqual(await exported(cleaned));
      expect(logOf(given)).toEqual(logOf(cleaned));
      expectTrueCounters(given);
    }),
    { numRuns: 12 },
  );
}, 600_000);

test("bad cells of a file that is read on its own thread are skipped and reported with its cells", async () => {
  const made = await shop();
  const rows = Array.from({ length: 6_000 }, (_, index) => {
    const number = `+55119${String(70_000_000 + index * 7)}`;
    return [number, `Person ${index}`, "Rio", index % 500 === 250 ? "31/02/1990" : "1990-02-28", "", "", "gold", "7"];
  });
  const { counters, failures } = await importRows(made, rows, { skipsBadCells: true });
  expect(counters).toMatchObject({ rows: 6_000, created: 6_000, failed: 0, cells_left_out: 12 });
  expect(failures).toHaveLength(12);
  expect(failures[0]).toBe(
    `252 '+5511970001750|Person 250|Rio|31/02/1990|||gold|7 Skipped: birthday: "31/02/1990" cannot be read. There is no 31 February 1990.`,
  );
}, 600_000);

test("an impossible column is refused on a thread with the same error as without one", async () => {
  const made = await shop();
  const path = join(directory, "wrong.csv");
  writeFileSync(path, `a,b\n${"x,y\n".repeat(100_000)}`);
  const options = {
    store: app.store,
    clock: jumpingClock(),
    workspaceId: made.id,
    path,
    optIn: false,
    isDryRun: false,
  };
  const told = { isServerRunning: () => true, onProgress: () => {}, onFound: () => {}, onFailure: () => {} };
  const failed = importContacts({ ...options, ...told, map: new Map([["c", "phone"]]) });
  expect(failed).rejects.toMatchObject({ code: "invalid_request", details: { fields: { map: expect.any(Array) } } });
  await failed.catch(() => {});
});

test("a dry run changes nothing and counts a new contact that appears twice in the file once", async () => {
  const made = await shop();
  const row = (number: string) => [number, "Ana", "Rio", "", "", "", "", ""];
  const strangers = Array.from({ length: 1_200 }, (_, index) => row(`+55119${String(61_000_000 + index)}`));
  const rows = [...strangers, ...strangers.map(([number = ""]) => row(number.replace("+55119", "551 1 9")))];
  const before = contactsOf(app);
  const dry = await importRows(made, rows, { isDryRun: true, optIn: true });
  expect(contactsOf(app)).toEqual(before);
  expect(dry.counters).toMatchObject({ rows: 1_200, repeated: 1_200, created: 1_200, opted_in: 1_200, failed: 0 });
  const real = await importRows(made, rows, { optIn: true });
  expect(real.counters).toMatchObject({ rows: 1_200, repeated: 1_200, created: 1_200, opted_in: 1_200, failed: 0 });
});

/** What spreadsheets take for the start of a formula, after what they may drop before it. */
const SIGN = /^[\s"\u200b\0]*[=+\-@＝＋－＠]/u;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
const delimiters = [",", ";", "\t", "|"];

test("no reader, whatever its delimiter, finds a formula in a written line, and an import restores each cell", () => {
  const unit = fc.constantFrom(
    ...[
      "'",
      "=",
      "+",
      "-",
      "@",
      "＝",
      "＋",
      "－",
      "＠",
      "\t",
      "\r",
      "\n",
      ";",
      ",",
      "|",
      '"',
      " ",
      "\u200b",
      "1",
      "a",
      ".",
    ],
  );
  const cells = fc.array(fc.oneof(fc.string({ unit }), fc.constant("+919876543210")), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(cells, (texts) => {
      const line = csvLine(texts);
      // How spreadsheets read: a quote counts only at the start of a cell, and text may follow the closing one.
      for (const delimiter of delimiters) {
        for (const cell of cellsOf(line, delimiter)) {
          expect([line, delimiter, cell, NUMBER.test(cell) || !SIGN.test(cell)]).toEqual([line, delimiter, cell, true]);
        }
      }
      expect(cellsOf(line, ",").map(plainCell)).toEqual(texts);
    }),
    { numRuns: 3_000 },
  );
  for (const text of ["a;=1+1", "\n=1+1", "＝1+1", 'x;"=1+1', "x\r\n@sum", "-1+cmd", "\t=1"]) {
    const split = delimiters.flatMap((delimiter) => cellsOf(csvLine([text, "x", text]), delimiter));
    expect(split.filter((cell) => SIGN.test(cell))).toEqual([]);
  }
  // A sign before a number is safe alone, but not where another reader takes the rest of the line into the same cell.
  expect(csvLine(["+91987", "1+cmd", "+91987"])).toBe("'+91987,1+cmd,+91987\r\n");
});

/** The cells of one or more lines, read leniently. */
function cellsOf(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at += 1; at < text.length; at++) {
        if (text[at] === '"' && text[at + 1] === '"') at += 1;
        else if (text[at] === '"') break;
        cell += text[at];
      }
      at += 1;
    }
    while (at < text.length && text[at] !== delimiter && !/[\r\n]/.test(text[at] ?? "")) cell += text[at++];
    cells.push(cell);
    if (text.startsWith("\r\n", at)) at += 2;
    else at += 1;
  }
  return cells;
}

test("an export of names like formulas is imported again as it was", async () => {
  const [one, other] = [await shop(), await shop()];
  const names = ["=1+1", "+49 call me", "-x", "@me", "'=quoted", "''", "'tis fine", "Asha;=1+1", "＝1+1"];
  const rows = names.map((name, index) => [`+55119610000${10 + index}`, name, "-1", "--02-29", "=vip", "", "", "-5"]);
  const first = await importRows(one, rows);
  expect(first.failures).toEqual([]);
  const text = await exported(one);
  const again = text.slice(1).map((line) => line.split(","));
  expect(again.flat().filter((cell) => SIGN.test(cell) && !NUMBER.test(cell))).toEqual([]);
  const path = join(directory, "again.csv");
  writeFileSync(path, text.join("\r\n"));
  await importContacts({
    store: app.store,
    clock: jumpingClock(),
    workspaceId: other.id,
    path,
    map: new Map(),
    optIn: false,
    isDryRun: false,
    isServerRunning: () => true,
    onProgress: () => {},
    onFound: () => {},
    onFailure: (_, cells, reason) => expect([cells, reason]).toEqual([]),
  });
  const kept = ({ id }: TestWorkspace) =>
    contactsOf(app)
      .filter(({ workspaceId, name }) => workspaceId === id && name !== null)
      .map(({ phone, name, city, birthday }) => [phone, name, city, birthday]);
  expect(kept(other)).toEqual(kept(one));
  expect(kept(one).map(([, name]) => name)).toEqual(names);
});
