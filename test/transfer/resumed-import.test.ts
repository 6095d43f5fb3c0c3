/**
 * An import that is cut off, at any transaction and on either side of its commit, is continued: its report, its errors
 * file and the contacts are those of an import that nothing interrupted.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { ImportRun } from "#src/transfer/import-run.ts";
import { createCommandImport } from "#src/transfer/imports.ts";
import type { ImportReport } from "#src/transfer/table.ts";
import { jumpingClock } from "#test/support/database.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

let app: TestServer;
let directory = "";

beforeAll(async () => {
  app = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), "waxwing-resumed-"));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** Two looks at the time take longer than a transaction may, so each writes one step of rows. */
function slowClock(): Clock {
  const clock = jumpingClock();
  let now = 0;
  return Object.assign(Object.create(clock) as Clock, {
    monotonic: () => {
      now += 4;
      return now;
    },
  });
}

/** New people, people again, refused rows, cells that cannot be read, changed numbers, blanks and opt-outs. */
const LINES = [
  "phone,name,birthday,consent",
  ...Array.from({ length: 330 }, (_, row) => {
    const phone = `98765${String(row).padStart(5, "0")}`;
    if (row % 11 === 3) return `12,Nobody ${row},,`;
    if (row % 13 === 5) return `9876500001,Again ${row},,`;
    if (row % 17 === 7) return `${phone},Person ${row},someday,`;
    if (row % 19 === 2) return `tel:${phone},Person ${row},,opted_out`;
    if (row % 23 === 9) return "";
    return `${phone},Person ${row},1990-02-28,`;
  }),
  "",
];

class Cut extends Error {}

interface Result {
  report: ImportReport;
  errors: string;
  contacts: string[];
  runs: number;
}

/** `cutAt`: whether to cut the run off, at a transaction and before or after its commit. */
async function importAll(cutAt: (transaction: number, side: "before" | "after") => boolean): Promise<Result> {
  const { id: workspaceId } = await app.workspace({ country: "IN" });
  const path = join(directory, `people-${workspaceId}.csv`);
  writeFileSync(path, LINES.join("\n"));
  const errors = `${path}.errors.csv`;
  const job = await app.store.write((tx) =>
    createCommandImport(tx, workspaceId, "people.csv", { options: {}, path, sha256: "" }),
  );
  for (let runs = 1; ; runs += 1) {
    const begun = await ImportRun.begin(app.store, job.id, { errors, failuresKept: 20 });
    expect(begun.errors.isIncomplete).toBe(false);
    let transaction = 0;
    try {
      const report = await importContacts({
        ...{ store: app.store, clock: slowClock(), workspaceId, path, map: new Map(), optIn: true, isDryRun: false },
        evidence: { file: "people.csv" },
        record: {
          from: begun.from,
          requireLast: (tx) => begun.requireLast(tx),
          save: (tx, progress) => {
            begun.save(tx, progress);
            transaction += 1;
            if (cutAt(transaction, "before")) throw new Cut();
          },
        },
        isServerRunning: () => true,
        onFound: ({ header }) => {
          begun.errors.header = header;
        },
        onProgress: () => {
          if (cutAt(transaction, "after")) throw new Cut();
        },
        onFailure: begun.onFailure,
      });
      begun.errors.close();
      let contacts = "";
      await exportContacts(app.store, workspaceId, (text) => {
        contacts += text;
      });
      return {
        ...{ report, runs, errors: readFileSync(errors, "utf8") },
        contacts: contacts.split("\r\n").map((line) => line.replace(/,20\d\d-[^,]*,,$/, "")),
      };
    } catch (error) {
      begun.errors.close();
      if (!(error instanceof Cut)) throw error;
      // A line that was on its way to the file when the process was killed.
      appendFileSync(errors, '999,"half a li');
    }
  }
}

test("cut off before and after each commit, an import ends with the counters, reasons, errors file and contacts of a whole one", async () => {
  const whole = await importAll(() => false);
  expect(whole.runs).toBe(1);
  const { created, updated, unchanged, failed, repeated, records, blank, rows } = whole.report;
  expect(Math.min(created, failed, repeated, blank, whole.report.opted_out, whole.report.changed)).toBeGreaterThan(3);
  expect([created + updated + unchanged + failed, rows + repeated + blank]).toEqual([rows, records]);
  expect(whole.errors.match(/half a li/)).toBeNull();
  for (const side of ["before", "after"] as const) {
    // Before the commit of the second transaction of each run, and after that of the first: every run gets one further.
    const cut = await importAll((transaction, at) => at === side && transaction === (side === "before" ? 2 : 1));
    expect(cut.runs).toBeGreaterThan(8);
    expect({ ...cut, runs: 1 }).toEqual(whole);
  }
});

test("the errors file that was removed is said to lack rows, and gets those that follow", async () => {
  const errors = join(directory, "removed.errors.csv");
  const { id: workspaceId } = await app.workspace({ country: "IN" });
  const given = { options: {}, path: errors, sha256: "" };
  const { id } = await app.store.write((tx) => createCommandImport(tx, workspaceId, "removed.csv", given));
  const first = await ImportRun.begin(app.store, id, { errors, failuresKept: 0 });
  first.onFailure(2, ["12"], "no");
  await app.store.write((tx) => first.save(tx, { ...nothingYet, position: 1 }));
  first.errors.close();
  rmSync(errors);
  const second = await ImportRun.begin(app.store, id, { errors, failuresKept: 0 });
  expect([second.errors.isIncomplete, second.errors.count]).toEqual([true, 1]);
  second.errors.header = ["phone"];
  second.onFailure(3, ["13"], "no");
  second.errors.close();
  expect(readFileSync(errors, "utf8").split("\r\n")).toEqual(["line,error,phone", "3,no,13", ""]);
});

test("of two runs of one import the earlier one ends before it writes anything more", async () => {
  const errors = join(directory, "twice.errors.csv");
  const { id: workspaceId } = await app.workspace({ country: "IN" });
  const given = { options: {}, path: errors, sha256: "" };
  const { id } = await app.store.write((tx) => createCommandImport(tx, workspaceId, "twice.csv", given));
  const [first, second] = [
    await ImportRun.begin(app.store, id, { errors, failuresKept: 0 }),
    await ImportRun.begin(app.store, id, { errors, failuresKept: 0 }),
  ];
  await app.store.write((tx) => second.requireLast(tx));
  await expect(app.store.write((tx) => first.requireLast(tx))).rejects.toThrow("continued by another process");
});

const nothingYet = {
  counters: {
    ...{ rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, repeated: 0, changed: 0 },
    ...{ opted_in: 0, opted_out: 0, kept_opted_out: 0, cells_left_out: 0 },
  },
  ...{ refusals: [], omissions: [], changes: [] },
};
