/**
 * An import inside the server never keeps the thread that answers requests: the longest turn of the event loop, in the
 * processor time of that thread, for files of each kind. Other work on the machine does not change that time.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { FailureFile } from "#src/transfer/failure-file.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import type { ImportCounters } from "#src/transfer/table.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

/** Turns have 4 to 12 ms; the first ones compile code. A file that was read or reported in one turn took 50 to 180 ms. */
const TURN_MAX_MS = 40;

let database: TestDatabase;
let workspaceId = 0;
let directory = "";
beforeAll(async () => {
  database = openTestDatabase({ schema: true });
  directory = mkdtempSync(join(tmpdir(), "waxwing-turns-"));
  const settings = { name: "Shop", country: "IN", timezone: "Asia/Kolkata", dailyCap: null };
  workspaceId = await database.store.write((tx) => createWorkspace(tx, { ...settings }, true).id);
  await longestTurn("warm", rows(600, newPerson));
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const newPerson = (row: number): string => `+9197${String(row).padStart(8, "0")},Name ${row}`;
const rows = (count: number, row: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => row(i));

/** Processor time of this thread, in milliseconds. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function longestTurn(name: string, lines: readonly string[]): Promise<{ ms: number; counters: ImportCounters }> {
  const path = join(directory, `${name}.csv`);
  writeFileSync(path, ["phone,name", ...lines].join("\n"));
  const failures = new FailureFile(`${path}.errors.csv`);
  let longest = 0;
  let isDone = false;
  let before = processorMs();
  const measure = (): void => {
    longest = Math.max(longest, processorMs() - before);
    before = processorMs();
    if (!isDone) setImmediate(measure);
  };
  setImmediate(measure);
  const counters = await importContacts({
    store: database.store,
    clock: systemClock,
    workspaceId,
    path,
    map: new Map(),
    optIn: true,
    isDryRun: false,
    isInsideServer: true,
    isServerRunning: () => true,
    onProgress: () => undefined,
    onFailure: (line, cells, reason) => failures.add(line, cells, reason),
    onFound: () => undefined,
  });
  isDone = true;
  failures.close();
  return { ms: longest, counters };
}

const kinds: Record<string, string[]> = {
  "new people in a small file": rows(6_000, newPerson),
  "rejected rows": rows(20_000, (row) => `12,Name ${row}`),
  "long rejected rows": rows(1_500, () => `12,${"x".repeat(5_000)}`),
};
for (const [kind, lines] of Object.entries(kinds)) {
  test(`${kind}: no turn of the event loop takes longer than ${TURN_MAX_MS} ms of the thread`, async () => {
    let longest = Number.POSITIVE_INFINITY;
    // A collection of garbage, or a neighbour on the same core, makes one run slower. What the import does, it does in each.
    for (let runs = 0; runs < 3 && longest >= TURN_MAX_MS; runs += 1) {
      const { ms, counters } = await longestTurn("people", lines);
      expect(counters.rows).toBe(lines.length);
      longest = Math.min(longest, ms);
    }
    expect(longest).toBeLessThan(TURN_MAX_MS);
  });
}

test("a quotation mark that is never closed refuses one row with its line, and does not collect the rest of the file", async () => {
  const { counters } = await longestTurn("open", ['+919800000001,"Asha']);
  expect(counters).toMatchObject({
    failed: 1,
    reasons: [{ reason: "a quotation mark is not closed", example_line: 2 }],
  });
  const long = await longestTurn("long", ['+919800000001,"', ...rows(30_000, () => "x".repeat(50))]);
  expect(long.counters).toMatchObject({ lines: 30_002, records: 1, continued: 30_000, created: 0, failed: 1 });
});
