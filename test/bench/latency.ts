/**
 * Whether a number keeps its pace when the network's answers take their time: `bun run bench:latency [--write]
 * [--seconds N] [--delay MS] [--pace N] [--profile DIRECTORY]`. Runs the executable and a fake network in its own process. Meanwhile single messages are sent from the
 * same numbers, which must not wait behind the broadcasts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { beginBroadcast, type Crowd, makeCrowd, showBroadcast } from "./crowd.ts";
import { type Part, startPart } from "./part.ts";
import type { Arrivals, ArrivalsJob } from "./parts/arrivals.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import { describeMachine, LATENCY_PLACE, putBetweenMarkers, type Row, renderTable } from "./report.ts";
import { buildExecutable, findPort, processorMs, sourceCommand, startSubject } from "./subject.ts";
import { serverVariables } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:latency", about: "Measures whether a number keeps its pace when the network answers late." },
  {
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
    seconds: { type: "string", default: "10", about: "how long each broadcast lasts" },
    pace: {
      type: "string",
      default: "1000",
      about: "messages a second of each number; a busy machine keeps a lower one",
    },
    delay: {
      type: "string",
      multiple: true,
      about: "milliseconds that an answer takes, with one number; may be repeated",
    },
    profile: {
      type: "string",
      value: "DIR",
      about: "measures the sources, and writes a processor profile into this directory",
    },
  },
);
const PACE = Number(options.pace);
const SECONDS = Number(options.seconds);
const PEOPLE = PACE * SECONDS;
const PROBE_EVERY_MS = 50;
/** Tenths of a second: the bucket starts empty and the latency is not known yet; the last ones are incomplete. */
const FIRST_TENTHS = 20;
const LAST_TENTHS = 5;
const MIN_SHARE = 0.95;
const MAX_DELAY = 1.5;

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];

interface Bench {
  crowd: Crowd;
  network: Part<ArrivalsJob, Arrivals>;
  probe: Part<{ run: boolean }, Probed | null>;
  base: string;
  pid: number;
}

interface Measured {
  /** Messages a second at the network, the probe's among them. */
  rate: number;
  /** Milliseconds of a single message, alone and beside the broadcasts. */
  alone: Probed["send"];
  beside: Probed["send"];
  /** Processor time of the server for each message of the broadcasts, microseconds. */
  micros: number;
}

try {
  const table = renderTable(await run());
  const machine = describeMachine(1);
  console.log(`\n${table}\n\n${machine}`);
  if (options.write) {
    const path = join(import.meta.dir, "../../docs/performance.md");
    const page = await Bun.file(path).text();
    await Bun.write(path, putBetweenMarkers(page, LATENCY_PLACE, `${table}\n\n${machine}`));
  }
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function run(): Promise<Row[]> {
  const command = options.profile === undefined ? buildExecutable(directory) : sourceCommand(options.profile);
  const network = await startPart<ArrivalsJob, Arrivals>("arrivals");
  parts.push(network);
  const crowd = await makeCrowd(join(directory, "data"), PEOPLE, [PEOPLE], PACE, PACE);
  const port = findPort();
  const variables = serverVariables(crowd.directory, port, `http://127.0.0.1:${network.port}`, 8);
  const subject = await startSubject(command, crowd.directory, port, variables);
  parts.push(subject);
  const base = `http://127.0.0.1:${port}/api/v1`;
  const probe = await startPart<{ run: boolean }, Probed | null>("probe", {
    base,
    key: crowd.key,
    bodies: crowd.writers.map((to) => JSON.stringify({ to, text: "Your table is ready.", from: crowd.pacedNumber })),
    everyMs: PROBE_EVERY_MS,
  } satisfies ProbeArgument);
  parts.push(probe);
  const bench: Bench = { crowd, network, probe, base, pid: subject.pid };

  const one = [crowd.pacedNumber];
  const both = [crowd.pacedNumber, crowd.fastNumber];
  const rows: Row[] = [];
  for (const delayMs of options.delay?.map(Number) ?? [0, 150, 300, 800]) {
    const measured = await measure(bench, one, delayMs);
    rows.push(rateRow(`One number, answers after ${delayMs} ms, messages/s`, measured.rate, PACE));
    rows.push(delayRow(measured, delayMs));
  }
  if (options.delay !== undefined) return rows;
  const atOnce = await measure(bench, both, 0);
  rows.push({
    what: "Two numbers, answers after 0 ms, messages/s",
    ours: whole(atOnce.rate),
    bare: "",
    ratio: "",
    bound: "",
  });
  rows.push(delayRow(atOnce, 0));
  const late = await measure(bench, both, 300);
  rows.push(rateRow("Two numbers, answers after 300 ms, messages/s", late.rate, Math.min(2 * PACE, atOnce.rate)));
  rows.push(delayRow(late, 300));
  return rows;
}

async function measure(
  { crowd, network, probe, base, pid }: Bench,
  from: string[],
  delayMs: number,
): Promise<Measured> {
  tell(`${from.length} at ${delayMs} ms`);
  await network.ask({ reset: true, delayMs });
  await probe.ask({ run: true });
  await Bun.sleep(3_000);
  const { send: alone } = (await probe.ask({ run: false })) as Probed;
  await network.ask({ reset: true });
  const usedBefore = processorMs(pid);
  const ids = await Promise.all(from.map((number) => beginBroadcast(base, crowd, crowd.groups[0] ?? 0, number)));
  while ((await network.ask({ reset: false })).messages === 0) await Bun.sleep(20);
  await Bun.sleep(FIRST_TENTHS * 100);
  await probe.ask({ run: true });
  await Bun.sleep(Math.max(1_000, (SECONDS - 5) * 1_000));
  const { send: beside } = (await probe.ask({ run: false })) as Probed;
  for (const id of ids) await untilCompleted(base, crowd, id);
  const { tenths, messages } = await network.ask({ reset: true });
  const middle = tenths.slice(FIRST_TENTHS, Math.max(FIRST_TENTHS + 1, tenths.length - LAST_TENTHS));
  const broadcasts = (middle.reduce((sum, count) => sum + count, 0) / middle.length) * 10;
  const micros = ((processorMs(pid) - usedBefore) * 1_000) / messages;
  return { rate: broadcasts + beside.count / (middle.length / 10), alone, beside, micros };
}

async function untilCompleted(base: string, crowd: Crowd, id: number): Promise<void> {
  for (;;) {
    const { status } = await showBroadcast(base, crowd, id);
    if (status === "completed") return;
    if (status !== "running" && status !== "queueing") throw new Error(`the broadcast is ${status}`);
    await Bun.sleep(50);
  }
}

function rateRow(what: string, rate: number, max: number): Row {
  const share = rate / max;
  return {
    what,
    ours: whole(rate),
    bare: whole(max),
    ratio: share.toFixed(2),
    bound: `at least ${MIN_SHARE}`,
    isKept: share >= MIN_SHARE,
  };
}

/** Without a delay the answer time is the machine's own and is only shown. */
function delayRow({ alone, beside, micros }: Measured, delayMs: number): Row {
  const ratio = beside.p50Ms / alone.p50Ms;
  const row: Row = {
    what: `— single messages meanwhile, median ms (99th percentile); ${whole(micros)} µs of processor time a message`,
    ours: `${beside.p50Ms.toFixed(0)} (${beside.p99Ms.toFixed(0)})`,
    bare: `${alone.p50Ms.toFixed(0)} (${alone.p99Ms.toFixed(0)})`,
    ratio: ratio.toFixed(2),
    bound: "",
  };
  return delayMs === 0 ? row : { ...row, bound: `at most ${MAX_DELAY}`, isKept: ratio <= MAX_DELAY };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function tell(what: string): void {
  process.stderr.write(`${what} …\n`);
}
