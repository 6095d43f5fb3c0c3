/**
 * `bun run fuzz:imports [--seed N] [--files N] [--keep DIR]`: imports random files of people (20,000 by default). Exit
 * code 1 if a file was neither imported nor refused, took more than five seconds of the processor, had lines that were not counted, or
 * opted in a person of whom it says no.
 */
import { mkdirSync } from "node:fs";
import { readOptions } from "#test/support/options.ts";
import { fuzzImports } from "./imports.ts";

const { values } = readOptions(
  { call: "bun run fuzz:imports", about: "Imports random files of people, mutated from the cases of test/transfer." },
  {
    seed: { type: "string", about: "repeats the run with this seed" },
    files: { type: "string", default: "20000", about: "how many files" },
    keep: { type: "string", about: "a directory for the files with faults" },
  },
);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });
console.log(`seed ${seed}, ${values.files} files`);
const report = await fuzzImports({
  ...{ seed, files: Number(values.files), limitMs: 5_000, keep: values.keep },
  onFile: (number) => {
    if (number > 0 && number % 10_000 === 0) console.log(`${number} files`);
  },
});
console.log(report);
if (report.faults.length > 0) process.exitCode = 1;
