/** The short form of `bun run fuzz:imports`. */
import { expect, test } from "bun:test";
import { fuzzImports } from "./imports.ts";

test("400 random files of people are imported or refused, every line is counted, and a no is never a yes", async () => {
  const report = await fuzzImports({ seed: 20_261_125, files: 400, limitMs: 20_000 });
  console.log(JSON.stringify(report));
  expect(report.faults).toEqual([]);
  // The run means something only if files of each kind came in.
  expect([report.imported > 100, report.refusers > 20, report.optedIn > 100]).toEqual([true, true, true]);
}, 120_000);
