/**
 * `bun run soak [--minutes N] [--list] [--source]`: single sends, their statuses and their events at half of the maximum
 * sustained rate (measured first), for ten minutes by default. Prints a sample every few seconds, and at the end
 * whether memory, file, outbox and latency were flat. Exit code 1 if one was not, or if something was lost.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { readOptions } from "#test/support/options.ts";
import { flatness } from "./flatness.ts";
import { median } from "./median.ts";
import { type Part, startPart } from "./part.ts";
import type { SoakNetworkArgument, SoakNetworkMeasurements } from "./parts/soak-network.ts";
import type { SoakReceiverMeasurements } from "./parts/soak-receiver.ts";
import type { SoakSenderArgument, SoakSenderJob, SoakSenderMeasurements } from "./parts/soak-sender.ts";
import { machineText } from "./report.ts";
import {
  buildExecutable,
  findPort,
  memoryMegabytes,
  processorMs,
  type Subject,
  sourceCommand,
  startSubject,
} from "./subject.ts";
import { ACCOUNT_ID, makeWorld, PHONE_NUMBER_ID, serverVariables, type World } from "./world.ts";

const { values: options } = readOptions(
  {
    call: "bun run soak",
    about: "Sends at half of the highest rate for some minutes, and measures whether anything grows.",
  },
  {
    minutes: { type: "string", default: "10", about: "how long" },
    list: { type: "boolean", default: false, about: "reads a list of 100,000 contacts beside it, a page every second" },
    source: { type: "boolean", default: false, about: "measures the sources instead of the executable" },
  },
);
const SECONDS = Math.round(Number(options.minutes) * 60);
if (!(SECONDS >= 30)) {
  console.error("usage: bun run soak [--minutes N] [--list] [--source], at least half a minute");
  process.exit(2);
}
/** Long enough that a checkpoint falls into most of them. */
const SAMPLE_S = Math.max(1, Math.round(SECONDS / 60));
/** How long the server is driven at full speed, to find its maximum. */
const MAX_RATE_S = 10;
const FILE_WINDOWS = 6;
const EVENTS_PER_MESSAGE = 3;
const LISTED = 100_000;
const LIST_EVERY_MS = 1_000;
const METRICS_TOKEN = "soak";
const SECRET = "soak-secret";

const directory = mkdtempSync(join(tmpdir(), "waxwing-soak-"));
const parts: { stop(): Promise<void> }[] = [];

interface Soak {
  world: World;
  subject: Subject;
  network: Part<true, SoakNetworkMeasurements>;
  receiver: Part<true, SoakReceiverMeasurements>;
  sender: Part<SoakSenderJob, SoakSenderMeasurements>;
}

interface Sample {
  refused: number;
  memoryMb: number;
  fileMb: number;
  logMb: number;
  outbox: number;
  callbacks: number;
  messages: number;
  /** Processor time of the server for a message, with its statuses, events and the lists that were read meanwhile. */
  processorUs: number;
  p50Ms: number;
  p99Ms: number;
}

try {
  const soak = await start();
  const maxRate = await measureMaxRate(soak);
  const pace = Math.floor(maxRate / 2);
  console.log(`at most ${whole(maxRate)} messages/s with statuses and events; now ${whole(pace)}/s for ${SECONDS} s`);
  const list = options.list ? readList(soak) : null;
  const samples = await run(soak, pace);
  const lost = await settle(soak, samples);
  const verdicts = check(samples, pace);
  console.table(verdicts);
  console.log(lost.text);
  if (list !== null) console.log(list());
  console.log(`One run, ${machineText()}. Load average at its end: ${loadavg()[0]?.toFixed(1)}.`);
  if (!lost.isNothing || verdicts.some(({ flat }) => !flat)) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function start(): Promise<Soak> {
  const command = options.source ? sourceCommand(null) : buildExecutable(directory);
  const port = findPort();
  const base = `http://127.0.0.1:${port}`;
  const receiver = await part<true, SoakReceiverMeasurements>("soak-receiver", null);
  const hook = `http://127.0.0.1:${receiver.port}/hook`;
  const world = await makeWorld(join(directory, "data"), hook, { senderHook: hook });
  if (options.list) addListed(world);
  const network = await part<true, SoakNetworkMeasurements>("soak-network", {
    callbackUrl: `${base}/networks/whatsapp`,
    secret: SECRET,
    accountId: ACCOUNT_ID,
    phoneNumberId: PHONE_NUMBER_ID,
  } satisfies SoakNetworkArgument);
  const subject = await startSubject(command, world.directory, port, {
    ...serverVariables(world.directory, port, `http://127.0.0.1:${network.port}`, 32),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
    WAXWING_LOG_LEVEL: "error",
    WAXWING_SERVER_METRICS_TOKEN: METRICS_TOKEN,
  });
  parts.push(subject);
  const sender = await part<SoakSenderJob, SoakSenderMeasurements>("soak-sender", {
    base: `${base}/api/v1`,
    key: world.key,
    people: world.people,
  } satisfies SoakSenderArgument);
  return { world, subject, network, receiver, sender };
}

function addListed({ database }: World): void {
  const client = openClient(database, { timeout: 5_000 });
  client.exec(
    `INSERT INTO contacts (workspace_id, phone, name, city, consent, created_at, updated_at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${LISTED})
      SELECT (SELECT min(id) FROM workspaces), '+9197' || printf('%08d', n), 'Person ' || n, 'Pune', 'opted_in', 1, n FROM n`,
  );
  client.close();
}

/** Follows the list from page to page, every other time with a filter that counts all of it; returns what it took. */
function readList({ subject, world }: Soak): () => string {
  const times: number[] = [];
  let after: string | null = null;
  let refused = 0;
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    const query: string = times.length % 2 === 0 ? (after === null ? "" : `&after=${after}`) : "&country=IN";
    const startedAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${subject.port}/api/v1/contacts?per_page=500${query}`, {
      headers: { authorization: `Bearer ${world.key}` },
    });
    if (answer.status !== 200) refused += 1;
    const { meta } = (await answer.json()) as { meta?: { next: string | null } };
    if (times.length % 2 === 0) after = meta?.next ?? null;
    times.push(performance.now() - startedAt);
    isRunning = false;
  }, LIST_EVERY_MS);
  return () => {
    clearInterval(timer);
    const half = Math.floor(times.length / 2);
    const [early, late] = [times.slice(0, half), times.slice(half)].map((some) => median(some).toFixed(0));
    return `${times.length} pages of 500 of ${whole(LISTED)} contacts, ${refused} refused: median ${early} ms in the first half, ${late} ms in the second`;
  };
}

async function part<Job, Result>(name: string, argument: unknown): Promise<Part<Job, Result>> {
  const started = await startPart<Job, Result>(name, argument);
  parts.push(started);
  return started;
}

/** Messages per second from the first request to the last event: the rate that the server accepts and completes. */
async function measureMaxRate(soak: Soak): Promise<number> {
  const startedAt = performance.now();
  await soak.sender.ask({ pace: 1_000_000 });
  await Bun.sleep(MAX_RATE_S * 1000);
  await soak.sender.ask({ pace: 0 });
  const { messages } = await untilDone(soak, 120);
  const { refused } = await soak.sender.ask("look");
  if (messages === 0 || refused > 0)
    throw new Error(`of the first messages ${messages} were taken and ${refused} refused`);
  return messages / ((performance.now() - startedAt) / 1000);
}

async function run(soak: Soak, pace: number): Promise<Sample[]> {
  await soak.sender.ask({ pace });
  await soak.sender.ask("look");
  const samples: Sample[] = [];
  let usedMs = processorMs(soak.subject.pid);
  const startedAt = performance.now();
  for (let number = 1; number * SAMPLE_S <= SECONDS; number++) {
    await Bun.sleep(startedAt + number * SAMPLE_S * 1000 - performance.now());
    const looked = await look(soak);
    const nowMs = processorMs(soak.subject.pid);
    const sample = { ...looked, processorUs: ((nowMs - usedMs) * 1000) / Math.max(1, looked.messages) };
    usedMs = nowMs;
    samples.push(sample);
    console.log(
      [
        `${String(number * SAMPLE_S).padStart(4)} s`,
        `memory ${sample.memoryMb.toFixed(0)} MB`,
        `file ${sample.fileMb.toFixed(0)} + ${sample.logMb.toFixed(0)} MB`,
        `outbox ${sample.outbox}`,
        `callbacks ${sample.callbacks}`,
        `${whole(sample.messages / SAMPLE_S)}/s`,
        `${whole(sample.processorUs)} µs`,
        `p50 ${sample.p50Ms.toFixed(1)} ms`,
        `p99 ${sample.p99Ms.toFixed(1)} ms`,
      ].join("  "),
    );
  }
  await soak.sender.ask({ pace: 0 });
  return samples;
}

async function look({ world, subject, sender }: Soak): Promise<Omit<Sample, "processorUs">> {
  const { answered, refused, p50Ms, p99Ms } = await sender.ask("look");
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const metrics = await (await fetch(`http://127.0.0.1:${subject.port}/metrics`, { headers })).text();
  const sumOf = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "gm"))].reduce(
      (sum, [, one]) => sum + Number(one),
      0,
    );
  return {
    memoryMb: memoryMegabytes(subject.pid),
    fileMb: statSync(world.database).size / 1e6,
    logMb: statSync(`${world.database}-wal`).size / 1e6,
    outbox: sumOf("waxwing_outbox_rows"),
    callbacks: sumOf("waxwing_callbacks_waiting"),
    messages: answered,
    refused,
    p50Ms,
    p99Ms,
  };
}

interface Done {
  messages: number;
  events: number;
  isDone: boolean;
}

/** Waits until the receiver has an event for every accepted message; the network's last status comes after a second. */
async function untilDone({ network, receiver }: Soak, limitS: number): Promise<Done> {
  const end = performance.now() + limitS * 1000;
  for (;;) {
    const { accepted } = await network.ask(true);
    const { received, repeated } = await receiver.ask(true);
    const events = received - repeated;
    const isDone = events >= accepted * EVENTS_PER_MESSAGE;
    if (isDone || performance.now() > end) return { messages: accepted, events, isDone };
    await Bun.sleep(50);
  }
}

async function settle(soak: Soak, samples: readonly Sample[]): Promise<{ isNothing: boolean; text: string }> {
  const { messages, events, isDone } = await untilDone(soak, 60);
  const { told, refused } = await soak.network.ask(true);
  const { repeated } = await soak.receiver.ask(true);
  const unsent = samples.reduce((sum, sample) => sum + sample.refused, 0);
  const text = `${whole(messages)} messages, ${whole(told)} statuses, ${whole(events)} events, ${repeated} of them twice; ${isDone ? "nothing is missing" : `MISSING ${whole(messages * EVENTS_PER_MESSAGE - events)} events`}; refused: ${unsent} sends, ${refused} bodies of statuses`;
  return { isNothing: isDone && refused === 0 && unsent === 0, text };
}

interface Verdict {
  what: string;
  mean: string;
  rise: string;
  flat: boolean;
}

function check(samples: readonly Sample[], pace: number): Verdict[] {
  const of = (what: string, values: number[], share: number, amount: number, digits = 0): Verdict => {
    const { mean, rise, isFlat } = flatness(values, { share, amount });
    return { what, mean: mean.toFixed(digits), rise: rise.toFixed(digits), flat: isFlat };
  };
  // The file grows when the log is checkpointed, so a single sample says little.
  const window = Math.max(1, Math.floor(samples.length / FILE_WINDOWS));
  const perMessage = Array.from({ length: FILE_WINDOWS }, (_, place) => {
    const part = samples.slice(place * window, (place + 1) * window + 1);
    const sent = part.slice(1).reduce((sum, { messages }) => sum + messages, 0);
    return (((part.at(-1)?.fileMb ?? 0) - (part[0]?.fileMb ?? 0)) * 1e6) / Math.max(1, sent);
  });
  return [
    of(
      "memory, MB",
      samples.map(({ memoryMb }) => memoryMb),
      0.1,
      15,
    ),
    // All rows are kept (messages forever, events for 30 days), so the series that must be flat is the space per
    // message.
    of("file, bytes a message", perMessage, 0.15, 0),
    of(
      "log beside the file, MB",
      samples.map(({ logMb }) => logMb),
      0.25,
      20,
    ),
    of(
      "outbox, rows",
      samples.map(({ outbox }) => outbox),
      0.25,
      pace / 10,
    ),
    of(
      "callbacks waiting",
      samples.map(({ callbacks }) => callbacks),
      0.25,
      10,
    ),
    // Other work on the machine moves the latencies, and hardly this.
    of(
      "processor time a message, µs",
      samples.map(({ processorUs }) => processorUs),
      0.15,
      0,
    ),
    of(
      "latency, median, ms",
      samples.map(({ p50Ms }) => p50Ms),
      0.25,
      2,
      1,
    ),
    of(
      "latency, 99th percentile, ms",
      samples.map(({ p99Ms }) => p99Ms),
      0.25,
      20,
      1,
    ),
    {
      ...of(
        "messages/s",
        samples.map(({ messages }) => messages / SAMPLE_S),
        0.05,
        5,
      ),
      flat: keptPace(samples, pace),
    },
  ];
}

function keptPace(samples: readonly Sample[], pace: number): boolean {
  const all = samples.reduce((sum, { messages }) => sum + messages, 0);
  return all / (samples.length * SAMPLE_S) >= pace * 0.97;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
