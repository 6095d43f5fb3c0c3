/**
 * `bun run test:fifty [--runs 20]`: fifty tests with fixed dates and a reset before each, 20 workspaces side by side; as
 * often as asked, and once on a machine whose clock is a year ahead. Fails where a run takes longer than 30 seconds or sees
 * something else.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { compileInterposer, noInterposer } from "#test/support/interposer.ts";
import { readOptions } from "#test/support/options.ts";
import { machineText } from "../bench/report.ts";
import { type FiftyRun, runFifty, tests } from "./fifty.ts";

const { values: options } = readOptions(
  {
    call: "bun run test:fifty",
    about: "Runs fifty tests of a shop with fixed dates, again and again and on a day a year from now.",
  },
  { runs: { type: "string", default: "20", about: "how many runs; one more is on a day a year from now" } },
);

const LIMIT_MS = 30_000;
const YEAR_MS = 365 * 86_400_000;
const directory = mkdtempSync(join(tmpdir(), "waxwing-fifty-"));
try {
  const executable = join(directory, "waxwing");
  await placeExecutable(executable);
  const results: FiftyRun[] = [];
  const note = (name: string, run: FiftyRun): void => {
    results.push(run);
    const { ms, sideBySideMs, sideBySide, failures, digest } = run;
    const seconds = (value: number): string => `${(value / 1_000).toFixed(2)} s`;
    console.log(
      `${name}: ${tests.length} tests ${seconds(ms)}, ${sideBySide} side by side ${seconds(sideBySideMs)}, ${failures.length} failed, ${digest.slice(0, 12)}`,
    );
    for (const failure of failures.slice(0, 3)) console.log(`  ${failure}`);
    for (const { name: test } of tests) {
      const first = results[0]?.seen[test];
      if (first !== run.seen[test]) console.log(`  ${test}: first ${first}, now ${run.seen[test]}`.slice(0, 2_000));
    }
    if (failures.length > 0 || ms + sideBySideMs > LIMIT_MS || digest !== results[0]?.digest) process.exitCode = 1;
  };
  for (let run = 1; run <= Number(options.runs); run += 1) note(`run ${run}`, await runFifty([executable]));
  if (noInterposer !== null) console.log(`a year from now: skipped, ${noInterposer}`);
  else {
    const env = aYearAhead(directory);
    console.log(`the clock of the machine shows ${Bun.spawnSync(["date", "+%F"], { env }).stdout.toString().trim()}`);
    note("a year from now", await runFifty([executable], { env }));
  }
  console.log(machineText());
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The environment in which a process's clock is a year ahead. */
function aYearAhead(place: string): Record<string, string> {
  const shift = join(place, "shift");
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(YEAR_MS));
  writeFileSync(shift, bytes);
  return { LD_PRELOAD: compileInterposer("clock-shift.c", place), CLOCK_SHIFT: shift };
}
