/**
 * `bun run bench:alternate`: two or more executables side by side, to learn whether a change made a difference that is
 * smaller than the machine's moods. Each has a server and a database of its own; they are measured in short slices, one
 * right after the other, and compared within each turn.
 */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openClient } from "#src/db/driver.ts";
import { type LifeBench, liveRound, startLife } from "./life.ts";
import { CONNECTIONS, meRequests, sendRequests } from "./measure.ts";
import { median } from "./median.ts";
import { type Part, startAmong, startPart } from "./part.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { WorldJob } from "./parts/world.ts";
import { machineText } from "./report.ts";
import { findPort, processorMs, type Subject, startSubject } from "./subject.ts";
import {
  ACCOUNT_ID,
  makeWorld,
  PHONE_NUMBER_ID,
  queueDeliveries,
  SENDER,
  serverVariables,
  type World,
} from "./world.ts";

const usage = `bun run bench:alternate OLD NEW... [--only NAME] [--turns N] [--ms N]

  OLD, NEW     executables; each NEW is compared with OLD (bun run build --outfile FILE, in a worktree of each commit).
               FILE=CHECKOUT: its database is made by that checkout, because its schema differs from this one's
  --only NAME  sending (usual), me, deliveries, life or inbound
  --turns N    how often each is measured (usual: 30)
  --ms N       how long each time (usual: 500); of deliveries, five thousand at a time are measured instead, and of inbound four
               thousand texts in signed callbacks, until each is in its conversation`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "sending" },
    turns: { type: "string", default: "30" },
    ms: { type: "string", default: "500" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const KINDS = ["sending", "me", "deliveries", "life", "inbound"];
if (options.help || positionals.length < 2 || !KINDS.includes(options.only)) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}
/** Turns that are not counted: the runtime compiles what it has seen often. */
const WARM_UP_TURNS = 8;
const DELIVERIES = 5_000;
const INBOUNDS = 4_000;
const SECRET = "bench-secret";
const LOOK_EVERY_MS = 5;

interface Slice {
  perSecond: number;
  processorMicros: number;
  /** Null for deliveries. */
  p99Ms: number | null;
}

interface Candidate {
  name: string;
  world: World;
  subject: Subject;
  /** Only for whole lives. */
  life: LifeBench | null;
  slices: Slice[];
}

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const network = await startAmong<null, number>(parts, "network");
  const receiver = await startAmong<{ count: number }, number>(parts, "receiver");
  const load = await startAmong<LoadJob, LoadResult>(parts, "load");
  const candidates: Candidate[] = [];
  for (const name of positionals) candidates.push(await startCandidate(name, network.port, receiver.port, load));
  for (let turn = -WARM_UP_TURNS; turn < Number(options.turns); turn++) {
    // The order changes, because what runs first finds the caches of what ran last.
    for (const candidate of turn % 2 === 0 ? candidates : candidates.toReversed()) {
      const slice = await measure(candidate, load, receiver);
      if (turn >= 0) candidate.slices.push(slice);
    }
  }
  report(candidates);
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function startCandidate(
  name: string,
  networkPort: number,
  receiverPort: number,
  load: Part<LoadJob, LoadResult>,
): Promise<Candidate> {
  const data = mkdtempSync(join(directory, "data-"));
  const [file = "", checkout] = name.split("=");
  const make = checkout === undefined ? makeWorld : await makerOf(checkout);
  const command = [resolve(file), "serve"];
  if (options.only === "life") {
    const life = await startLife(parts, { command, directory: join(data, "data"), load, make });
    return { name, world: life.world, subject: life.subject, life, slices: [] };
  }
  const world = await make(join(data, "data"), `http://127.0.0.1:${receiverPort}/hook`);
  const port = findPort();
  const variables = {
    ...serverVariables(world.directory, port, `http://127.0.0.1:${networkPort}`, CONNECTIONS),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
  };
  const subject = await startSubject(command, world.directory, port, variables);
  parts.push(subject);
  return { name, world, subject, life: null, slices: [] };
}

async function makerOf(checkout: string): Promise<typeof makeWorld> {
  const part = await startPart<WorldJob, World>("world", null, resolve(checkout, "test/bench"));
  parts.push(part);
  return (data, webhookUrl, settings = {}) => part.ask({ directory: data, webhookUrl, ...settings });
}

async function measure(
  { world, subject, life }: Candidate,
  load: Part<LoadJob, LoadResult>,
  receiver: Part<{ count: number }, number>,
): Promise<Slice> {
  if (life !== null) return liveRound(life, Number(options.ms));
  const before = processorMs(subject.pid);
  const micros = (count: number): number => ((processorMs(subject.pid) - before) * 1000) / count;
  if (options.only === "deliveries") {
    const arrived = receiver.ask({ count: DELIVERIES });
    await queueDeliveries(world, DELIVERIES);
    const perSecond = ((DELIVERIES - 1) / (await arrived)) * 1000;
    return { perSecond, processorMicros: micros(DELIVERIES), p99Ms: null };
  }
  if (options.only === "inbound") return measureInbound(world, subject, load, micros);
  const isMe = options.only === "me";
  const { answers, perSecond, p99Ms } = await load.ask({
    port: subject.port,
    requests: isMe ? meRequests(world) : sendRequests(world),
    connections: CONNECTIONS,
    durationMs: Number(options.ms),
    expectedStatus: isMe ? 200 : 201,
  });
  return { perSecond, processorMicros: micros(answers), p99Ms };
}

/** Texts of people who wrote before, each in a callback of its own: until all are in their conversations. */
async function measureInbound(
  { database, people }: World,
  { port }: Subject,
  load: Part<LoadJob, LoadResult>,
  micros: (count: number) => number,
): Promise<Slice> {
  const client = openClient(database, { readonly: true });
  try {
    const stored = client.prepare("SELECT (SELECT count(*) FROM inbounds) AS count");
    const open = client.prepare("SELECT count(*) AS count FROM callbacks WHERE done_at IS NULL");
    const count = (from: typeof stored): number => (from.get() as { count: number }).count;
    const before = count(stored);
    const requests = Array.from({ length: INBOUNDS }, (_, index) =>
      callbackRequest(people[index % people.length] ?? "", `wamid.${before + index}`),
    );
    const startedAt = performance.now();
    const { p99Ms } = await load.ask({
      ...{ port, requests, connections: CONNECTIONS, count: INBOUNDS, expectedStatus: 200 },
    });
    while (count(stored) < before + INBOUNDS || count(open) > 0) await Bun.sleep(LOOK_EVERY_MS);
    const perSecond = INBOUNDS / ((performance.now() - startedAt) / 1_000);
    return { perSecond, processorMicros: micros(INBOUNDS), p99Ms };
  } finally {
    client.close();
  }
}

function callbackRequest(from: string, id: string): string {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const messages = [{ from: from.slice(1), id, timestamp, type: "text", text: { body: "Is it ready?" } }];
  const contacts = [{ profile: { name: "Asha" }, wa_id: from.slice(1) }];
  const metadata = { display_phone_number: SENDER.slice(1), phone_number_id: PHONE_NUMBER_ID };
  const value = { messaging_product: "whatsapp", metadata, contacts, messages };
  const entry = [{ id: ACCOUNT_ID, changes: [{ field: "messages", value }] }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry });
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  const head = ["POST /networks/whatsapp HTTP/1.1", "host: 127.0.0.1", `x-hub-signature-256: sha256=${signature}`];
  head.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function report(candidates: readonly Candidate[]): void {
  const [old, ...others] = candidates;
  if (old === undefined) return;
  for (const { name, slices } of candidates) {
    const rate = Math.round(median(slices.map(({ perSecond }) => perSecond)));
    const processor = median(slices.map(({ processorMicros }) => processorMicros)).toFixed(1);
    const slowest = median(slices.map(({ p99Ms }) => p99Ms ?? Number.NaN)).toFixed(1);
    const tail = options.only === "deliveries" ? "" : `, 99th percentile ${slowest} ms`;
    console.log(`${name}: ${rate} a second, ${processor} µs of processor time each${tail}`);
  }
  for (const { name, slices } of others) {
    const compared = (figure: (slice: Slice) => number): string => {
      const ratios = slices
        .map((slice, turn) => figure(slice) / figure(old.slices[turn] ?? slice))
        .toSorted((a, b) => a - b);
      const at = (part: number): string => (ratios[Math.floor((ratios.length - 1) * part)] ?? Number.NaN).toFixed(3);
      return `${median(ratios).toFixed(3)} (half of the turns: ${at(0.25)} to ${at(0.75)})`;
    };
    console.log(`\n${name}, of ${old.name}:`);
    console.log(`  rate            ${compared(({ perSecond }) => perSecond)}`);
    console.log(`  processor time  ${compared(({ processorMicros }) => processorMicros)}`);
  }
  console.log(`\nMedians of ${options.turns} turns in one run, ${machineText()}.`);
}
