/**
 * The cost of a broadcast, and its effect on other requests: `bun run bench:broadcasts [--write] [--people N]`. Runs
 * the executable, a fake network in its own process, and a probe that uses the API meanwhile. The full run with a
 * million people takes about ten minutes; `--people 50000` gives a quick estimate.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { beginBroadcast, type Crowd, makeCrowd, offers, showBroadcast } from "./crowd.ts";
import { type Compared, compare, interleave, median, type Pair } from "./median.ts";
import { type Part, startPart } from "./part.ts";
import type { Arrivals } from "./parts/arrivals.ts";
import type { PostJob } from "./parts/poster.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import { BROADCASTS_PLACE, describeMachine, putBetweenMarkers, type Row, renderTable } from "./report.ts";
import { buildExecutable, findPort, memoryMegabytes, processorMs, type Subject, startSubject } from "./subject.ts";
import { networkMessagesUrl, serverVariables } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:broadcasts", about: "Measures what a broadcast costs, and its effect on other requests." },
  {
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
    people: { type: "string", default: "1000000", about: "recipients of the largest broadcast" },
    only: {
      type: "string",
      multiple: true,
      default: ["unpaced", "cards", "paced", "million"],
      value: "NAME",
      about: "a part; may be repeated",
    },
  },
);
const PEOPLE = Number(options.people);
const PACED_PEOPLE = Math.min(100_000, PEOPLE);
const SHORT_PEOPLE = Math.min(20_000, PEOPLE);
const PACE = 1_000;
const ROUNDS = 3;
/** The server's own maximum of concurrent requests per number. */
const CONCURRENCY = 200;
const PROBE_EVERY_MS = 25;

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];

interface Bench {
  crowd: Crowd;
  subject: Subject;
  network: Part<{ reset: boolean }, Arrivals>;
  base: string;
}

try {
  const rows = await run();
  const table = renderTable(rows);
  const machine = describeMachine(ROUNDS);
  console.log(`\n${table}\n\n${machine}`);
  if (options.write) {
    const path = join(import.meta.dir, "../../docs/performance.md");
    await Bun.write(
      path,
      putBetweenMarkers(
        await Bun.file(path).text(),
        BROADCASTS_PLACE,
        `${table}

${machine}`,
      ),
    );
  }
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function run(): Promise<Row[]> {
  const command = buildExecutable(directory);
  const network = await startPart<{ reset: boolean }, Arrivals>("arrivals");
  parts.push(network);
  const networkUrl = `http://127.0.0.1:${network.port}`;
  tell(`making ${PEOPLE} people`);
  const crowd = await makeCrowd(join(directory, "data"), PEOPLE, [SHORT_PEOPLE, PACED_PEOPLE, PEOPLE], PACE);
  const port = findPort();
  const start = () =>
    startSubject(command, crowd.directory, port, {
      ...serverVariables(crowd.directory, port, networkUrl, 8),
      WAXWING_BROADCASTS_SETTLE_AFTER: "1s",
    });
  const base = `http://127.0.0.1:${port}/api/v1`;
  const rows: Row[] = [];
  if (options.only.includes("cards")) rows.push(...(await measureCards({ crowd, network, base }, start)));
  const subject = await start();
  parts.push(subject);
  const bench: Bench = { crowd, subject, network, base };
  if (options.only.includes("unpaced")) rows.push(...(await measureUnpaced(bench, networkUrl)));
  if (options.only.includes("paced")) rows.push(...(await measurePaced(bench)));
  if (options.only.includes("million")) rows.push(...(await measureMillion(bench)));
  return rows;
}

/** At full speed, compared with a loop of fetch with the same concurrency. */
async function measureUnpaced(bench: Bench, networkUrl: string): Promise<Row[]> {
  tell("unpaced");
  const { crowd, network, subject } = bench;
  const poster = await startPart<PostJob, null>("poster");
  parts.push(poster);
  const micros: number[] = [];
  const ours = async (): Promise<number> => {
    await network.ask({ reset: true });
    const before = processorMs(subject.pid);
    const id = await beginBroadcast(bench.base, crowd, crowd.groups[0] ?? 0, crowd.fastNumber);
    await untilFinished(bench, id);
    micros.push(((processorMs(subject.pid) - before) * 1000) / SHORT_PEOPLE);
    return rateOf(await network.ask({ reset: true }));
  };
  const body = JSON.stringify({
    messaging_product: "whatsapp",
    to: "+919876543210",
    type: "template",
    template: { name: "november_offer", language: { code: "en_US" } },
  });
  const bare = async (): Promise<number> => {
    await network.ask({ reset: true });
    await poster.ask({
      url: networkMessagesUrl(networkUrl),
      body,
      count: SHORT_PEOPLE,
      concurrency: CONCURRENCY,
    });
    return rateOf(await network.ask({ reset: true }));
  };
  const found: Compared = compare(await interleave(ROUNDS, ours, bare), (rate) => rate);
  await poster.stop();
  return [
    {
      what: `Unpaced, ${whole(SHORT_PEOPLE)} people, messages/s (bare: a loop of fetch, ${CONCURRENCY} at once)`,
      ours: whole(found.ours),
      bare: whole(found.bare),
      ratio: `${found.ratio.toFixed(2)} (${found.range[0].toFixed(2)}–${found.range[1].toFixed(2)})`,
      bound: "at least 0.3",
      isKept: found.ratio >= 0.3,
    },
    plain("— processor time a person, building and sending, µs", whole(median(micros))),
  ];
}

interface Offered {
  perSecond: number;
  processorMicros: number;
  megabytes: number;
}

/** A carousel with values of contacts beside a text with one, each from a start of its own, so that memory compares. */
async function measureCards(
  { crowd, network, base }: Omit<Bench, "subject">,
  start: () => Promise<Subject>,
): Promise<Row[]> {
  tell("a carousel beside a text");
  const send = async (offer: object): Promise<Offered> => {
    const subject = await start();
    try {
      await network.ask({ reset: true });
      const before = processorMs(subject.pid);
      const id = await beginBroadcast(base, crowd, crowd.groups[1] ?? 0, crowd.fastNumber, offer);
      let megabytes = 0;
      await untilFinished({ base, crowd }, id, () => {
        megabytes = Math.max(megabytes, memoryMegabytes(subject.pid));
      });
      const processorMicros = ((processorMs(subject.pid) - before) * 1000) / PACED_PEOPLE;
      const arrived = await network.ask({ reset: true });
      if (arrived.messages !== PACED_PEOPLE || arrived.repeated > 0) {
        throw new Error(`${arrived.messages} messages arrived, ${arrived.repeated} of them repeated`);
      }
      return { perSecond: rateOf(arrived), processorMicros, megabytes };
    } finally {
      await subject.stop();
    }
  };
  const rounds: Pair<Offered>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The order changes, because what runs first finds the caches of what ran last.
    const first = round % 2 === 0 ? "ours" : "bare";
    const pair: Partial<Pair<Offered>> = {};
    for (const side of [first, first === "ours" ? "bare" : "ours"] as const) {
      pair[side] = await send(side === "ours" ? offers.cards : offers.text);
    }
    rounds.push(pair as Pair<Offered>);
  }
  const row = (what: string, figure: (one: Offered) => number): Row => {
    const { ours, bare, ratio, range } = compare(rounds, figure);
    const shown = `${ratio.toFixed(2)} (${range[0].toFixed(2)}–${range[1].toFixed(2)})`;
    return { what, ours: whole(ours), bare: whole(bare), ratio: shown, bound: "at most 1.3", isKept: ratio <= 1.3 };
  };
  return [
    row(
      `A carousel of three cards with values of contacts, ${whole(PACED_PEOPLE)} people, µs a message (bare: a text template)`,
      ({ perSecond }) => 1_000_000 / perSecond,
    ),
    row("— processor time a person, building and sending, µs", ({ processorMicros }) => processorMicros),
    row("— memory at most, MB", ({ megabytes }) => megabytes),
  ];
}

/** At the number's pace, while the probe uses the API. */
async function measurePaced(bench: Bench): Promise<Row[]> {
  tell("paced");
  const { crowd, network } = bench;
  await network.ask({ reset: true });
  const probe = await startProbe(bench);
  const id = await beginBroadcast(bench.base, crowd, crowd.groups[1] ?? 0, crowd.pacedNumber);
  await probe.ask({ run: true });
  await untilFinished(bench, id);
  const probed = (await probe.ask({ run: false })) as Probed;
  const { tenths, repeated, messages } = await network.ask({ reset: true });
  await probe.stop();
  // The first second begins with an empty bucket, and the last one is incomplete.
  const middle = tenths.slice(10, Math.max(11, tenths.length - 10));
  const rate = (middle.reduce((sum, one) => sum + one, 0) / middle.length) * 10;
  return [
    {
      what: `${whole(PACED_PEOPLE)} people at ${whole(PACE)} messages/s: messages/s at the network`,
      ours: rate.toFixed(1),
      bare: "",
      ratio: "",
      bound: "within 2 %",
      // The probe's single messages take tokens from the same number.
      isKept: Math.abs(rate + singleRate(probed, middle.length / 10) - PACE) <= PACE * 0.02 && repeated === 0,
    },
    plain("— messages, of them to a person who had one", `${whole(messages)}, ${repeated}`),
    bounded("— meanwhile `GET /me`, 99th percentile, ms", probed.me.p99Ms, 25),
    bounded("— meanwhile `POST /messages`, 99th percentile, ms", probed.send.p99Ms, 25),
  ];
}

function singleRate({ send }: Probed, seconds: number): number {
  return send.count / Math.max(1, seconds);
}

/**
 * A whole group: how long building it takes, how other requests fare, and whether the last messages cost more than the
 * first.
 */
async function measureMillion(bench: Bench): Promise<Row[]> {
  tell("building");
  const { crowd, network, subject } = bench;
  await network.ask({ reset: true });
  const probe = await startProbe(bench);
  await probe.ask({ run: true });
  const startedAt = performance.now();
  const id = await beginBroadcast(bench.base, crowd, crowd.groups[2] ?? 0, crowd.fastNumber);
  let max = 0;
  while ((await showBroadcast(bench.base, bench.crowd, id)).status === "queueing") {
    max = Math.max(max, memoryMegabytes(subject.pid));
    await Bun.sleep(100);
  }
  const builtMs = performance.now() - startedAt;
  const probed = (await probe.ask({ run: false })) as Probed;
  await probe.stop();
  tell("sending all");
  const sample = Math.max(1_000, Math.min(20_000, Math.floor(PEOPLE / 10)));
  const costs: number[] = [];
  let last = { done: (await showBroadcast(bench.base, bench.crowd, id)).counts.sent, used: processorMs(subject.pid) };
  for (;;) {
    const { status, counts } = await showBroadcast(bench.base, bench.crowd, id);
    max = Math.max(max, memoryMegabytes(subject.pid));
    if (counts.sent - last.done >= sample || status !== "running") {
      const used = processorMs(subject.pid);
      if (counts.sent - last.done >= sample / 2) costs.push(((used - last.used) * 1000) / (counts.sent - last.done));
      last = { done: counts.sent, used };
    }
    if (status !== "running") break;
    await Bun.sleep(50);
  }
  const { repeated } = await network.ask({ reset: true });
  const [first, final] = [median(costs.slice(0, 3)), median(costs.slice(-3))];
  const slowest = Math.max(probed.me.maxMs, probed.send.maxMs);
  return [
    bounded(`${whole(PEOPLE)} people built from a group, s`, builtMs / 1000, (60 * PEOPLE) / 1_000_000),
    bounded("— meanwhile the slowest of all requests, ms", slowest, 100),
    bounded("— memory at most, while building and sending, MB", max, 200),
    {
      what: "— processor time a person sent to, µs: the first, the last",
      ours: `${whole(first)}, ${whole(final)}`,
      bare: "",
      ratio: (final / first).toFixed(2),
      bound: "at most 1.2",
      isKept: final / first <= 1.2 && repeated === 0,
    },
  ];
}

async function untilFinished(
  { base, crowd }: Pick<Bench, "base" | "crowd">,
  id: number,
  look: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    const { status } = await showBroadcast(base, crowd, id);
    look();
    if (status === "completed") return;
    if (status !== "running" && status !== "queueing") throw new Error(`the broadcast is ${status}`);
    await Bun.sleep(50);
  }
}

async function startProbe({ base, crowd }: Bench): Promise<Part<{ run: boolean }, Probed | null>> {
  const probe = await startPart<{ run: boolean }, Probed | null>("probe", {
    base,
    key: crowd.key,
    bodies: crowd.writers.map((to) => JSON.stringify({ to, text: "Your table is ready.", from: crowd.pacedNumber })),
    everyMs: PROBE_EVERY_MS,
  } satisfies ProbeArgument);
  parts.push(probe);
  return probe;
}

/** Messages per second over the time in which they arrived. */
function rateOf({ messages, tenths }: Arrivals): number {
  return messages / (tenths.length / 10);
}

function plain(what: string, ours: string): Row {
  return { what, ours, bare: "", ratio: "", bound: "" };
}

function bounded(what: string, value: number, max: number): Row {
  return { what, ours: value.toFixed(1), bare: "", ratio: "", bound: `under ${max}`, isKept: value < max };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function tell(what: string): void {
  process.stderr.write(`${what} …\n`);
}
