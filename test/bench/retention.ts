/**
 * The cost of retention: `bun run bench:retention [--messages N] [--write]`. A few hundred messages go through their
 * whole life on the server (statuses, events, webhooks); SQL multiplies them and dates them two months back; then
 * housekeeping purges everything while a probe uses the API. A quarter of a million messages are 2.8 million rows.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { type Part, startPart } from "./part.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import type { SoakNetworkArgument, SoakNetworkMeasurements } from "./parts/soak-network.ts";
import type { SoakReceiverMeasurements } from "./parts/soak-receiver.ts";
import type { SoakSenderArgument, SoakSenderJob, SoakSenderMeasurements } from "./parts/soak-sender.ts";
import { live, multiply, untilSettled } from "./past-messages.ts";
import { aloneRow, machineText, RETENTION_PLACE, type Row, renderTable, writeReport } from "./report.ts";
import { findPort, memoryMegabytes, processorMs, sourceCommand, startSubject } from "./subject.ts";
import { ACCOUNT_ID, makeWorld, PHONE_NUMBER_ID, serverVariables } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:retention", about: "Measures what it costs to delete what is past its retention." },
  {
    messages: { type: "string", default: "250000", about: "how many messages" },
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
  },
);
const MESSAGES = Number(options.messages);
/** This many messages are really sent. */
const REAL = 500;
const COPIES = Math.round(MESSAGES / REAL);
const DAY_MS = 86_400_000;
const AGE_MS = 60 * DAY_MS;
const PROBE_EVERY_MS = 20;
const SLOWEST_MS = 100;
const SECRET = "bench-secret";
/** Free pages that housekeeping leaves in the file for reuse. */
const FREE_PAGES_KEPT = 2_000;
/** The first row of each table with a retention period, oldest first: old while rows remain to be purged. */
const OLDEST = [
  "SELECT created_at AS at FROM events ORDER BY seq LIMIT 1",
  "SELECT created_at AS at FROM messages ORDER BY id LIMIT 1",
  "SELECT received_at AS at FROM callbacks ORDER BY id LIMIT 1",
  "SELECT attempted_at AS at FROM provider_requests ORDER BY id LIMIT 1",
];

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const table = renderTable(await measure());
  const text = `${table}\n\nOne run, ${machineText()}.`;
  console.log(`\n${text}`);
  if (options.write) await writeReport(join(import.meta.dir, "../../docs/performance.md"), RETENTION_PLACE, text);
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Row[]> {
  const port = findPort();
  const base = `http://127.0.0.1:${port}`;
  const receiver = await part<true, SoakReceiverMeasurements>("soak-receiver", null);
  const hook = `http://127.0.0.1:${receiver.port}/hook`;
  const world = await makeWorld(join(directory, "data"), hook, { senderHook: hook });
  const network = await part<true, SoakNetworkMeasurements>("soak-network", {
    callbackUrl: `${base}/networks/whatsapp`,
    secret: SECRET,
    accountId: ACCOUNT_ID,
    phoneNumberId: PHONE_NUMBER_ID,
  } satisfies SoakNetworkArgument);
  const variables = {
    ...serverVariables(world.directory, port, `http://127.0.0.1:${network.port}`, 32),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
    WAXWING_RETENTION_MESSAGES: "30d",
    WAXWING_RETENTION_EVENTS: "30d",
    WAXWING_RETENTION_RAW: "30d",
  };
  const serve = (more: Record<string, string> = {}) =>
    startSubject(sourceCommand(null), world.directory, port, { ...variables, ...more });

  tell(`sending ${REAL} messages`);
  const before = await serve();
  const sender = await part<SoakSenderJob, SoakSenderMeasurements>("soak-sender", {
    base: `${base}/api/v1`,
    key: world.key,
    people: world.people,
  } satisfies SoakSenderArgument);
  await live(sender, world.database, REAL);
  await before.stop();
  tell(`making ${COPIES} of each`);
  const rows = multiply(world.database, COPIES, AGE_MS);
  const sizeBefore = statSync(world.database).size;

  // Run from source, where BENCH_HURRY_MS applies: the executable begins ten minutes after its start.
  const subject = await serve({ BENCH_HURRY_MS: "2000" });
  parts.push(subject);
  const probe = await part<{ run: boolean }, Probed | null>("probe", {
    base: `${base}/api/v1`,
    key: world.key,
    bodies: world.people.map((to) => JSON.stringify({ to, text: "Your table is ready." })),
    everyMs: PROBE_EVERY_MS,
  } satisfies ProbeArgument);
  await probe.ask({ run: true });
  await untilBegun(world.database);
  tell(`forgetting ${rows} rows`);
  const startedAt = performance.now();
  const usedBefore = processorMs(subject.pid);
  const atMost = await untilForgotten(world.database, subject.pid);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = processorMs(subject.pid) - usedBefore;
  const probed = (await probe.ask({ run: false })) as Probed;
  await untilSettled(world.database);
  await subject.stop();
  const slowest = Math.max(probed.me.maxMs, probed.send.maxMs);
  return [
    aloneRow(`Rows forgotten a second, ${whole(rows)} in all of ${whole(MESSAGES)} messages`, whole(rows / seconds)),
    aloneRow("— processor time a row, everything else included, µs", ((used * 1000) / rows).toFixed(1)),
    aloneRow(
      `Slowest of ${whole(probed.me.count + probed.send.count)} requests meanwhile, ms`,
      slowest.toFixed(0),
      `under ${SLOWEST_MS}`,
      slowest < SLOWEST_MS,
    ),
    aloneRow("— `GET /me`, median and 99th percentile, ms", pair(probed.me.p50Ms, probed.me.p99Ms)),
    aloneRow("— `POST /messages`, median and 99th percentile, ms", pair(probed.send.p50Ms, probed.send.p99Ms)),
    aloneRow("Memory at most, MB", whole(atMost)),
    aloneRow(
      "The file, MB: full → when everything is forgotten",
      `${megabytes(sizeBefore)} → ${megabytes(statSync(world.database).size)}`,
    ),
  ];
}

async function part<Job, Result>(name: string, argument: unknown): Promise<Part<Job, Result>> {
  const started = await startPart<Job, Result>(name, argument);
  parts.push(started);
  return started;
}

async function untilBegun(database: string): Promise<void> {
  const client = new Database(database, { readonly: true });
  const first = client.query("SELECT min(id) AS id FROM callbacks");
  const before = (first.get() as { id: number }).id;
  while ((first.get() as { id: number }).id === before) await Bun.sleep(20);
  client.close();
}

/**
 * Waits until everything is purged and the free pages are returned. Returns the server's peak memory meanwhile, in
 * megabytes.
 */
async function untilForgotten(database: string, pid: number): Promise<number> {
  const client = new Database(database, { readonly: true });
  const young = Date.now() - 30 * DAY_MS;
  const queries = OLDEST.map((sql) => client.query(sql));
  const isOver = (): boolean =>
    queries.every((query) => ((query.get() as { at: number } | null)?.at ?? young) >= young);
  const free = client.query("PRAGMA freelist_count");
  let max = 0;
  for (;;) {
    max = Math.max(max, memoryMegabytes(pid));
    const { freelist_count: left } = free.get() as { freelist_count: number };
    if (isOver() && left <= FREE_PAGES_KEPT) break;
    await Bun.sleep(500);
  }
  client.close();
  return max;
}

function pair(one: number, other: number): string {
  return `${one.toFixed(1)}, ${other.toFixed(1)}`;
}

function megabytes(bytes: number): string {
  return whole(bytes / 1e6);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function tell(text: string): void {
  console.error(text);
}
