/**
 * `bun run bench:peers`: the same work by Waxwing and by job queues: accept a job over HTTP durably, make one HTTP call
 * to the same network, record the result. Rates, memory, and what is lost or done twice when processes are killed. It
 * installs the peers from npm into a temporary directory, and starts PostgreSQL and Redis of the system's packages.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { noInterposer } from "../../support/interposer.ts";
import { startAmong } from "../part.ts";
import { machineText, PEERS_PLACE, writeReport } from "../report.ts";
import { buildExecutable } from "../subject.ts";
import { EXPIRY_SECONDS, installPeers, PeersBench, type Plan } from "./bench.ts";
import type { CallerJob, CallerResult, NetworkJob } from "./protocol.ts";
import { candidates } from "./stacks.ts";

const usage = `bun run bench:peers [--quick] [--only NAME]... [--write]

  --quick        one short round and few kills, for a first look; the figures mean little
  --only NAME    stacks whose name begins so: Waxwing, graphile-worker, pg-boss, BullMQ
  --write        put the tables into docs/performance.md

It needs Linux, npm's registry, PostgreSQL and Redis (apt-get install postgresql redis-server).`;

const FULL: Plan = { rounds: 3, floodMs: 4_000, steadyMs: 5_000, kills: 10 };
const QUICK: Plan = { rounds: 1, floodMs: 1_500, steadyMs: 2_000, kills: 4 };

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const chosen = candidates(EXPIRY_SECONDS).filter(
  ({ name }) => options.only.length === 0 || options.only.some((only) => name.startsWith(only)),
);
if (options.help || chosen.length === 0) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}

const plan = options.quick ? QUICK : FULL;
const directory = mkdtempSync(join(tmpdir(), "waxwing-peers-"));
// PostgreSQL runs as another user and has to reach its files.
chmodSync(directory, 0o755);
const parts: { stop(): Promise<void> }[] = [];
const beganAt = performance.now();
try {
  const network = await startAmong<NetworkJob, unknown>(parts, "peer-network");
  const caller = await startAmong<CallerJob, CallerResult>(parts, "peer-caller");
  const peers = installPeers(join(directory, "apps"), import.meta.dir);
  const bench = new PeersBench({ network, caller, peers, directory, executable: buildExecutable(directory) }, plan);
  parts.push(bench);
  for (let round = 0; round < plan.rounds; round++) {
    // Each round begins with another one, so that none always has the machine in the same state.
    for (const [index] of chosen.entries()) {
      const candidate = chosen[(index + round) % chosen.length];
      if (candidate !== undefined) await bench.measure(candidate);
    }
  }
  for (const candidate of chosen) await bench.kill(candidate);
  const [first] = chosen;
  if (first?.name === "Waxwing" && noInterposer === null) await bench.cutPower(first);
  const minutes = Math.ceil((performance.now() - beganAt) / 60_000);
  const text = `${bench.render()}\n\nMedians of ${plan.rounds} rounds in one run of ${minutes} minutes, ${machineText()}.`;
  console.log(`\n${text}`);
  if (options.write) await writeReport(join(import.meta.dir, "../../../docs/performance.md"), PEERS_PLACE, text);
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}
