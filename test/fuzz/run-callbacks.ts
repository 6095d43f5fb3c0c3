/**
 * `bun run test:fuzz-callbacks [--seed N] [--bodies N] [--fields]`: signed callbacks, recorded and mutated, to the
 * executable (20,000 by default). With `--fields`: how long it takes to apply a text at a quarter, half and nearly all
 * of the largest body in each place. Exit code 1 if an answer took more than a second, an item was quarantined, a
 * recorded text was lost, or a status was unexpected.
 */
import { parseArgs } from "node:util";
import { fuzzCallbacks, timeFields } from "./callbacks.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    bodies: { type: "string", default: "20000" },
    fields: { type: "boolean", default: false },
  },
});

if (values.fields) {
  const lengths = [1, 2, 4].map((quarters) => quarters * 1_000_000);
  const rows = Object.entries(await timeFields(lengths)).map(([place, times]) => ({
    place,
    ...Object.fromEntries(lengths.map((length, index) => [`${length / 1e6} MB, ms`, times[index]])),
  }));
  console.table(rows);
} else {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}, ${values.bodies} bodies`);
  const report = await fuzzCallbacks({ seed, bodies: Number(values.bodies) });
  console.log(report);
  const isUnexpected = Object.keys(report.statuses).some((status) => status !== "200");
  const hasFailed = isUnexpected || report.lost > 0 || report.slowestAnswerMs > 1_000 || report.states.quarantined;
  if (hasFailed) process.exitCode = 1;
}
