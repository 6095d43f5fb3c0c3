/**
 * `bun scripts/attack-fairness.ts [EXECUTABLE] [--seconds N] [--only TEXT]`: one workspace does the worst that its limits
 * allow, while another asks `GET /me` and sends. Demanded of the other: `GET /me` under 250 ms and `POST /messages` under
 * 500 ms at the 99th percentile; of the server: under 400 MB of memory. Exit code 1 if that is missed.
 */
import { attacks } from "#test/support/neighbour-kinds.ts";
import { settle } from "#test/support/neighbours.ts";
import { readOptions } from "#test/support/options.ts";

const { values, positionals } = readOptions(
  {
    call: "bun scripts/attack-fairness.ts",
    about: "Measures what one workspace notices of another's attacks.",
    names: { called: "EXECUTABLE", about: "the one to measure; default: that of these sources" },
  },
  {
    seconds: { type: "string", default: "10", about: "how long each attack lasts" },
    people: { type: "string", default: "20000", about: "contacts in the database" },
    sync: { type: "boolean", default: false, about: "only a sync of 100,000 contacts, page after page" },
    only: { type: "string", default: "", value: "TEXT", about: "attacks whose name contains this" },
  },
);
const DEMANDED = { "GET /me": 250, "POST /messages": 500, memoryMb: 400 };
const SAMPLE_MS = 100;

if (values.sync) {
  await using neighbours = await settle(100_000, positionals[0]);
  const startedAt = performance.now();
  const { pages, contacts, refused } = await neighbours.sync();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`sync: ${contacts} contacts on ${pages} pages in ${seconds} s, ${refused} refused`);
}
const forMs = Number(values.seconds) * 1_000;
const chosen = values.sync ? [] : attacks.filter((one) => one.includes(values.only));
for (const attack of chosen) {
  // A server of its own for each: what one attack left behind must not count for the next.
  await using neighbours = await settle(Number(values.people), positionals[0]);
  await neighbours.probe(1_000);
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, neighbours.memoryMb());
  }, SAMPLE_MS);
  const { beside, loaded } = await neighbours.probeBeside(attack, forMs);
  clearInterval(sampling);
  const [me, send] = [beside["GET /me"]?.p99Ms ?? Number.NaN, beside["POST /messages"]?.p99Ms ?? Number.NaN];
  const isKept = me < DEMANDED["GET /me"] && send < DEMANDED["POST /messages"] && memory < DEMANDED.memoryMb;
  console.log(
    `${attack}: GET /me p99 ${me.toFixed(0)} ms, POST /messages p99 ${send.toFixed(0)} ms, memory ${memory.toFixed(0)} MB, ` +
      `${loaded.pieces} pieces, ${loaded.refused} refused, ${beside["GET /me"]?.count} probes: ${isKept ? "kept" : "MISSED"}`,
    [...new Set(loaded.unexpected)].slice(0, 3),
  );
  if (!isKept) process.exitCode = 1;
}
