/**
 * `bun run test:fuzz-callbacks [--seed N] [--bodies N] [--fields]`: signed callbacks, recorded and mutated, to the
 * executable (20,000 by default). With `--fields`: how long it takes to apply texts of a quarter and of nearly all of
 * the largest body in each place. Exit code 1 if an answer took more than a second, an item was quarantined, a recorded
 * text was lost, a status was unexpected, or a text took longer than in proportion to its length.
 */

import { readOptions } from "#test/support/options.ts";
import { fuzzCallbacks, timeFields } from "./callbacks.ts";

const { values } = readOptions(
  { call: "bun run test:fuzz-callbacks", about: "Sends signed callbacks, recorded and mutated, to the executable." },
  {
    seed: { type: "string", about: "repeats the run with this seed" },
    bodies: { type: "string", default: "20000", about: "how many callbacks" },
    fields: {
      type: "boolean",
      default: false,
      about: "measures texts of the largest size in each place of a body instead",
    },
  },
);

/** Texts on which patterns are known to backtrack: marks and spaces, digits, words, letters with marks, brackets. */
const PIECES = ["! ", "12", "STOP", "e\u0301", "{{"];

if (values.fields) {
  const times = await timeFields(1_000_000 / 2, PIECES);
  console.table(
    times.map(({ place, piece, lengths, ms, isLinear }) => ({
      ...{ place, piece },
      ...Object.fromEntries(lengths.map((length, index) => [`${length / 1e6} million letters, ms`, ms[index]])),
      linear: isLinear,
    })),
  );
  if (!times.every(({ isLinear }) => isLinear)) process.exitCode = 1;
} else {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}, ${values.bodies} bodies`);
  const report = await fuzzCallbacks({ seed, bodies: Number(values.bodies) });
  console.log(report);
  const isUnexpected = Object.keys(report.statuses).some((status) => status !== "200");
  const hasFailed = isUnexpected || report.lost > 0 || report.slowestAnswerMs > 1_000 || report.states.quarantined;
  if (hasFailed) process.exitCode = 1;
}
