/**
 * One workspace's heaviest load of each kind beside another workspace that works as usual: `bun run bench:neighbours
 * [--people N] [--seconds N] [--only TEXT] [--write]`. Runs the executable with its default limits on a database with
 * 100,000 people. Demanded of the other: a median of at most the larger of double and 25 ms, a 99th percentile under 250
 * ms, and 400 MB of memory. Exit code 1 if that is missed. Takes two minutes.
 */
import { join } from "node:path";
import { kinds } from "#test/support/neighbour-kinds.ts";
import { type Latencies, settle } from "#test/support/neighbours.ts";
import { readOptions } from "#test/support/options.ts";
import { aloneRow, machineText, NEIGHBOURS_PLACE, type Row, renderTable, writeReport } from "./report.ts";

const { values } = readOptions(
  { call: "bun run bench:neighbours", about: "Measures what one workspace notices of another one's heaviest load." },
  {
    people: { type: "string", default: "100000", about: "contacts in the database" },
    seconds: { type: "string", default: "10", about: "how long each kind of load lasts" },
    only: { type: "string", default: "", value: "TEXT", about: "kinds of load whose name contains this" },
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
  },
);
const MEDIAN_MS = 25;
const P99_MS = 250;
const MEMORY_MB = 400;
const forMs = Number(values.seconds) * 1_000;

const rows: Row[] = [];
await using neighbours = await settle(Number(values.people));
// The first requests start threads and compile code.
await neighbours.probe(2_000);
for (const kind of kinds.filter((one) => one.includes(values.only))) {
  // Again for each kind: other work on the machine comes and goes.
  const alone = await neighbours.probe(forMs);
  const { beside, loaded } = await neighbours.probeBeside(kind, forMs);
  console.log(kind, JSON.stringify({ ...loaded, unexpected: [...new Set(loaded.unexpected)] }));
  for (const [name, { ownMedianMs, ownP99Ms }] of Object.entries(beside)) {
    console.log(`  ${name}, without waits for a processor: ${ownMedianMs.toFixed(1)} (${ownP99Ms.toFixed(1)}) ms`);
  }
  const memoryMb = neighbours.memoryMb();
  for (const [name, times] of Object.entries(beside)) rows.push(rowOf(`${name} beside ${kind}`, alone[name], times));
  rows.push(
    aloneRow(`Memory of the server after ${kind}, MB`, memoryMb.toFixed(0), `under ${MEMORY_MB}`, memoryMb < MEMORY_MB),
  );
  // What the load left in the queues is worked off.
  await Bun.sleep(2_000);
}
const text = `${renderTable(rows)}\n\nOne run, ${machineText()}.`;
console.log(text);
if (values.write) await writeReport(join(import.meta.dir, "../../docs/performance.md"), NEIGHBOURS_PLACE, text);
if (text.includes("MISSED")) process.exitCode = 1;

function rowOf(what: string, before: Latencies | undefined, { medianMs, p99Ms }: Latencies): Row {
  const median = before?.medianMs ?? Number.NaN;
  const bound = Math.max(2 * median, MEDIAN_MS);
  return aloneRow(
    `${what}: median (99th percentile), ms, alone → beside`,
    `${median.toFixed(1)} (${before?.p99Ms.toFixed(1)}) → ${medianMs.toFixed(1)} (${p99Ms.toFixed(1)})`,
    `at most ${bound.toFixed(0)} (under ${P99_MS})`,
    medianMs <= bound && p99Ms < P99_MS,
  );
}
