/**
 * `bun run test:shop [--runs 100] [--parallel 20] [--language typescript|python]`: runs the suites of `examples/testing`
 * many times, so many at once, each with a server of its own, and prints how long they took. Fails at the first flake.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { machineText } from "../bench/report.ts";
import { placeExecutable } from "../support/executable.ts";
import { runSuite, type SuiteRun, suites } from "./suites.ts";

const { values: options } = readOptions(
  {
    call: "bun run test:shop",
    about:
      "Runs the suites of examples/testing many times, each with a server of its own, and stops at the first failure.",
  },
  {
    runs: { type: "string", default: "100", about: "how many runs" },
    parallel: { type: "string", default: "20", about: "how many at once" },
    language: { type: "string", value: "NAME", about: "typescript or python; without: both" },
  },
);
const [runs, parallel] = [Number(options.runs), Number(options.parallel)];

const directory = mkdtempSync(join(tmpdir(), "waxwing-shop-"));
try {
  const executable = join(directory, "waxwing");
  await placeExecutable(executable);
  for (const [language, command] of Object.entries(suites)) {
    if (options.language !== undefined && options.language !== language) continue;
    if (command === null) {
      console.log(`${language}: skipped, there is no such program on this machine`);
      continue;
    }
    const alone = await runSuite(command, executable, directory);
    const results: SuiteRun[] = [];
    const startedAt = performance.now();
    let begun = 0;
    const worker = async (): Promise<void> => {
      while (begun < runs) {
        begun += 1;
        results.push(await runSuite(command, executable, directory));
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    const failed = results.filter(({ isPassed }) => !isPassed);
    const sorted = results.map(({ ms }) => ms).sort((a, b) => a - b);
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
    console.log(
      `${language}: alone ${seconds(alone.ms)}; ${runs} runs, ${parallel} at once: ${failed.length} failed, ${seconds(performance.now() - startedAt)} in all, median ${seconds(sorted[sorted.length >> 1])}, longest ${seconds(sorted.at(-1))}`,
    );
    for (const { output } of failed.slice(0, 3)) console.log(output);
    if (failed.length > 0 || !alone.isPassed) process.exitCode = 1;
  }
  console.log(machineText());
} finally {
  rmSync(directory, { recursive: true, force: true });
}
