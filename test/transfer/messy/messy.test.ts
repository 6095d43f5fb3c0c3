/** The short form of `bun scripts/messy-import.ts`, on the executable. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { importMessyRows } from "./messy.ts";

test("of hundreds of messy rows everybody with a readable number comes in, none is read wrongly, and the counters add up", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-messy-test-"));
  try {
    const executable = join(directory, "waxwing");
    await placeExecutable(executable);
    const report = importMessyRows({ executable, seed: 49, rows: 400, known: false });
    expect(report.faults).toEqual([]);
    expect(report.rows).toBe(400);
    expect(report.people).toBeGreaterThan(300);
    expect(report.refused).toBeGreaterThan(5);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);
