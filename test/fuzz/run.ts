/**
 * `bun run test:fuzz [--seed N] [--requests N]`: fuzzes every endpoint of the document (20,000 requests by default),
 * prints the counts of the answers and the memory over the run. Exit code 1 if anything failed; each failure is printed
 * with a command that repeats the request.
 */

import { readOptions } from "#test/support/options.ts";
import { fuzz } from "./fuzz.ts";
import { grewSteadily } from "./memory.ts";

const { values } = readOptions(
  { call: "bun run test:fuzz", about: "Sends requests of every form to every endpoint of the OpenAPI document." },
  {
    seed: { type: "string", about: "repeats the run with this seed" },
    requests: { type: "string", about: "how many requests; without: 20,000" },
  },
);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const requests = Number(values.requests ?? 20_000);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) {
  console.error("usage: bun run test:fuzz [--seed N] [--requests N]");
  process.exit(2);
}

console.log(`seed ${seed}, ${requests} requests`);
const report = await fuzz({ seed, requests });
for (const { number, what, command, answer } of report.failures) {
  console.log(`\nrequest ${number}: ${what.join("; ")}\n${command}\n--- answer\n${answer}`);
}
console.table(report.byOperation);
console.log("statuses", report.statuses);
console.log("memory after each tenth (MB)");
console.log(`  heap ${report.memory.map(({ heapMb }) => heapMb).join(" → ")}`);
console.log(`  rss  ${report.memory.map(({ rssMb }) => rssMb).join(" → ")}`);
const grew = grewSteadily(report.memory);
if (grew !== null) console.log(`MEMORY GREW: ${grew}`);
console.log(
  `${report.requests} requests, ${Math.round(report.perSecond)} a second, ${report.failures.length} failures`,
);
process.exit(report.failures.length > 0 || grew !== null ? 1 : 0);
