/**
 * The processing of callbacks: `bun run bench:callbacks [--seconds N] [--rate N] [--write] [--source --profile DIR]`. A
 * broadcast is sent; then its statuses arrive, ten thousand a second in bodies of a thousand, while another broadcast
 * runs and a probe uses the API. None may be lost. One minute of statuses takes three minutes with the preparation.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { beginBroadcast, makeCrowd, showBroadcast } from "./crowd.ts";
import { CONNECTIONS, sendRequests } from "./measure.ts";
import { startAmong, startPart } from "./part.ts";
import type { Arrivals } from "./parts/arrivals.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import type { StatusArgument, StatusJob, StatusResult } from "./parts/statuses.ts";
import { aloneRow, CALLBACKS_PLACE, machineText, type Row, renderTable, writeReport } from "./report.ts";
import { buildExecutable, findPort, memoryMegabytes, processorMs, sourceCommand, startSubject } from "./subject.ts";
import { networkMessagesUrl, serverVariables } from "./world.ts";

const { values: options } = readOptions(
  {
    call: "bun run bench:callbacks",
    about: "Measures how statuses are applied that arrive in large callbacks, beside a broadcast.",
  },
  {
    seconds: { type: "string", default: "60", about: "how long statuses arrive" },
    rate: { type: "string", default: "10000", about: "statuses a second" },
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
    source: { type: "boolean", default: false, about: "measures the sources instead of the executable" },
    profile: { type: "string", value: "DIR", about: "with --source: writes processor profiles into this directory" },
  },
);
const SECONDS = Number(options.seconds);
const RATE = Number(options.rate);
/** Meta's own maximum. */
const PER_BODY = 1_000;
const STATUSES_PER_MESSAGE = 3;
const PEOPLE = Math.ceil((SECONDS * RATE) / STATUSES_PER_MESSAGE / PER_BODY) * PER_BODY;
/** Meta's own default, in messages per second. */
const PACE = 80;
const PROBE_EVERY_MS = 20;
/** What runs beside the statuses runs without them first, so that its own processor time is known. */
const WARM_UP_MS = 10_000;
const ALONE_MS = 15_000;
const SECRET = "bench-secret";
const FORWARDER_MS = 3_000;
/** Of the processor time of a message in the bare forwarder: 25 of 32 µs on the machine for which the floor was set. */
const SHARE_MAX = 0.78;
/** All statuses must be applied this long after the last answer. */
const BEHIND_MS_MAX = 10_000;

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const table = renderTable(await measure());
  console.log(`\n${table}\n\nOne run, ${machineText()}.`);
  if (options.write) {
    const text = `${table}\n\nOne run, ${machineText()}.`;
    await writeReport(join(import.meta.dir, "../../docs/performance.md"), CALLBACKS_PLACE, text);
  }
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Row[]> {
  const command = options.source ? sourceCommand(options.profile ?? null) : buildExecutable(directory);
  const network = await startPart<{ reset: boolean }, Arrivals>("arrivals");
  parts.push(network);
  const data = join(directory, "data");
  tell(`making ${PEOPLE} people`);
  const beside = Math.min(PEOPLE, PACE * (SECONDS + 60));
  const crowd = await makeCrowd(data, PEOPLE, [PEOPLE, beside], PACE);
  const port = findPort();
  const subject = await startSubject(command, data, port, {
    ...serverVariables(data, port, `http://127.0.0.1:${network.port}`, 8),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
  });
  parts.push(subject);
  const base = `http://127.0.0.1:${port}`;
  const api = `${base}/api/v1`;

  tell("sending to all of them");
  const id = await beginBroadcast(api, crowd, crowd.groups[0] ?? 0, crowd.fastNumber);
  await until(async () => (await showBroadcast(api, crowd, id)).counts.sent === PEOPLE, 300_000);
  const messagesFile = join(directory, "messages.json");
  await Bun.write(messagesFile, JSON.stringify(messagesOf(join(data, "waxwing.db"), id)));
  await network.ask({ reset: true });

  const statuses = await startPart<StatusJob, StatusResult>("statuses", {
    url: `${base}/networks/whatsapp`,
    secret: SECRET,
    accountId: crowd.accountId,
    phoneNumberId: crowd.fastNumberId,
    messagesFile,
  } satisfies StatusArgument);
  parts.push(statuses);
  const probe = await startPart<{ run: boolean }, Probed | null>("probe", {
    base: api,
    key: crowd.key,
    // Not from the number whose broadcast runs: there a single send waits for the number's own pace.
    bodies: crowd.writers.map((to) => JSON.stringify({ to, text: "Your table is ready.", from: crowd.fastNumber })),
    everyMs: PROBE_EVERY_MS,
  } satisfies ProbeArgument);
  parts.push(probe);
  await beginBroadcast(api, crowd, crowd.groups[1] ?? 0, crowd.pacedNumber);
  await probe.ask({ run: true });
  tell("what runs beside them, alone");
  await Bun.sleep(WARM_UP_MS);
  const usedAlone = await usedDuring(subject.pid, () => Bun.sleep(ALONE_MS));
  await probe.ask({ run: false });
  await probe.ask({ run: true });
  const { messages: messagesBefore } = await network.ask({ reset: false });
  tell(`${RATE} statuses a second for ${SECONDS} seconds`);
  const usedBefore = processorMs(subject.pid);
  const posted = await statuses.ask({ perSecond: RATE, perBody: PER_BODY });
  const answeredAt = performance.now();
  const isAllApplied = async (): Promise<boolean> => (await showBroadcast(api, crowd, id)).counts.read === PEOPLE;
  const isWhole = await until(isAllApplied, 120_000);
  const behindMs = performance.now() - answeredAt;
  const used = processorMs(subject.pid) - usedBefore;
  const usedBeside = (usedAlone / ALONE_MS) * (posted.seconds * 1000 + behindMs);
  const memory = memoryMegabytes(subject.pid);
  const found = await network.ask({ reset: false });
  const { repeated } = found;
  const messages = found.messages - messagesBefore;
  const probed = (await probe.ask({ run: false })) as Probed;
  const { read } = (await showBroadcast(api, crowd, id)).counts;
  await subject.stop();
  const bareMicros = await measureForwarder();
  return rowsOf(posted, { behindMs, isWhole, read, used, usedBeside, memory, probed, messages, repeated, bareMicros });
}

/** The processor time of a message in the bare forwarder, which tells how fast the machine is at this hour. */
async function measureForwarder(): Promise<number> {
  tell("the bare forwarder");
  const network = await startAmong<null, number>(parts, "network");
  const url = networkMessagesUrl(`http://127.0.0.1:${network.port}`);
  const forwarder = await startAmong<null, null>(parts, "forwarder", { url });
  const load = await startAmong<LoadJob, LoadResult>(parts, "load");
  const requests = sendRequests({ key: "bench", people: ["+919876500000"] });
  const job = { port: forwarder.port, requests, connections: CONNECTIONS, expectedStatus: 201 };
  await load.ask({ ...job, durationMs: FORWARDER_MS });
  const before = processorMs(forwarder.pid);
  const { answers } = await load.ask({ ...job, durationMs: FORWARDER_MS });
  return ((processorMs(forwarder.pid) - before) * 1000) / answers;
}

interface Aftermath {
  behindMs: number;
  isWhole: boolean;
  read: number;
  /** Processor time, milliseconds. */
  used: number;
  /** Of that, what the load beside the statuses uses without them. */
  usedBeside: number;
  memory: number;
  probed: Probed;
  messages: number;
  repeated: number;
  bareMicros: number;
}

function rowsOf(posted: StatusResult, after: Aftermath): Row[] {
  const { probed } = after;
  const rate = posted.statuses / posted.seconds;
  const sending = after.messages / (posted.seconds + after.behindMs / 1000);
  const micros = ((after.used - after.usedBeside) * 1000) / posted.statuses;
  const share = micros / after.bareMicros;
  return [
    aloneRow(
      `Statuses in bodies of ${whole(PER_BODY)}, posted and answered, statuses/s`,
      whole(rate),
      `at least ${whole(RATE * 0.99)}`,
      rate >= RATE * 0.99,
    ),
    aloneRow("— of them lost", whole(PEOPLE - after.read), "none", after.isWhole && posted.refused === 0),
    aloneRow("— an answer, median, ms", posted.p50Ms.toFixed(1), "under 250", posted.p50Ms < 250),
    aloneRow("— an answer, 99th percentile, ms", posted.p99Ms.toFixed(1), "under 1000", posted.p99Ms < 1000),
    aloneRow(
      "— all applied after the last answer, ms",
      whole(after.behindMs),
      `under ${BEHIND_MS_MAX}`,
      after.behindMs < BEHIND_MS_MAX,
    ),
    {
      what: "— processor time a status, µs (bare: of a message in the forwarder)",
      ours: micros.toFixed(1),
      bare: after.bareMicros.toFixed(1),
      ratio: share.toFixed(2),
      bound: `at most ${SHARE_MAX}`,
      isKept: share <= SHARE_MAX,
    },
    aloneRow("— with that of the load beside them, µs", ((after.used * 1000) / posted.statuses).toFixed(1)),
    aloneRow("— memory at the end, MB", whole(after.memory)),
    aloneRow(
      "— meanwhile `GET /me`, 99th percentile, ms",
      probed.me.p99Ms.toFixed(1),
      "under 50",
      probed.me.p99Ms < 50,
    ),
    aloneRow("— meanwhile `POST /messages`, median, ms", probed.send.p50Ms.toFixed(1)),
    aloneRow(
      "— meanwhile `POST /messages`, 99th percentile, ms",
      probed.send.p99Ms.toFixed(1),
      "under 50",
      probed.send.p99Ms < 50,
    ),
    aloneRow(
      `— meanwhile a broadcast at ${PACE} messages/s: messages/s, of them to a person who had one`,
      `${sending.toFixed(1)}, ${after.repeated}`,
      "none",
      after.repeated === 0,
    ),
  ];
}

/** For each message the network's id and our send token, in the order in which the recipients were built. */
function messagesOf(database: string, broadcastId: number): unknown[] {
  const client = new Database(database, { readonly: true });
  try {
    return client
      .query("SELECT network_message_id, send_token FROM messages WHERE broadcast_id = ? ORDER BY id")
      .values(broadcastId);
  } finally {
    client.close();
  }
}

/** The processor time that a process uses during `work`, in milliseconds. */
async function usedDuring(pid: number, work: () => Promise<void>): Promise<number> {
  const before = processorMs(pid);
  await work();
  return processorMs(pid) - before;
}

async function until(isSo: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    if (await isSo()) return true;
    await Bun.sleep(50);
  }
  return false;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function tell(what: string): void {
  process.stderr.write(`${what} …\n`);
}
