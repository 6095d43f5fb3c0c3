/**
 * `bun run bench`: starts every part as a separate process, measures, and prints a table. It writes only to a temporary
 * directory, unless `--write` asks for the table in docs/performance.md. Exit code 1 if a requirement is missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureLife, startLife } from "./life.ts";
import {
  type Bench,
  CONNECTIONS,
  measureDeliveries,
  measureDisk,
  measureMe,
  measureMemory,
  measureSending,
  type Plan,
} from "./measure.ts";
import { median } from "./median.ts";
import { startAmong } from "./part.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { LightJob, LightResult } from "./parts/people.ts";
import type { PostJob } from "./parts/poster.ts";
import { measurePeople, type PeopleMeasurements, peopleRows } from "./people.ts";
import {
  DEFAULT_PLACE,
  describeMachine,
  type Measurements,
  machineText,
  PEOPLE_PLACE,
  renderTable,
  rowsOf,
  writeReport,
} from "./report.ts";
import { buildExecutable, findPort, type Subject, sourceCommand, startSubject } from "./subject.ts";
import { makeWorld, networkMessagesUrl, serverVariables, type World } from "./world.ts";

const usage = `bun run bench [--write] [--quick] [--only NAME]... [--source [--profile DIR]]

  --write        put the table into docs/performance.md
  --quick        short rounds, for a first look; the figures mean little
  --only NAME    one of: memory, sending, single, me, deliveries, life, start, disk (may be repeated), or people: a million
                 contacts (with --quick a tenth), which takes minutes and is measured only when it is named
  --source       measure the sources run by Bun instead of the executable
  --profile DIR  with --source: write processor profiles there`;

const FULL: Plan = { rounds: 5, durationMs: 3_000, deliveries: 20_000, memorySteps: 10, memoryStepMessages: 10_000 };
const QUICK: Plan = { rounds: 3, durationMs: 1_000, deliveries: 3_000, memorySteps: 6, memoryStepMessages: 1_000 };
const MEASUREMENTS = ["memory", "sending", "single", "me", "deliveries", "life", "start", "disk"];

const { values: options } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: MEASUREMENTS },
    source: { type: "boolean", default: false },
    profile: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
/** Runs alone, on its own database. */
const PEOPLE = "people";
const PEOPLE_COUNT = { full: 1_000_000, quick: 100_000 };

const isPeople = options.only.includes(PEOPLE);
const strange = options.only.filter(
  (name) => !MEASUREMENTS.includes(name) && !(name === PEOPLE && options.only.length === 1),
);
if (options.help || strange.length > 0) {
  console.log(strange.length > 0 ? `${strange.join(", ")}: there is no such measurement\n\n${usage}` : usage);
  process.exit(options.help ? 0 : 2);
}

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const plan = options.quick ? QUICK : FULL;
  const rows = isPeople ? peopleRows(await measurePeopleAlone()) : rowsOf(await measure(plan));
  const table = renderTable(rows);
  const machine = isPeople ? `One run, ${machineText()}.` : describeMachine(plan.rounds);
  console.log(`\n${table}\n\n${machine}`);
  if (options.write) {
    const place = isPeople ? PEOPLE_PLACE : DEFAULT_PLACE;
    await writeReport(join(import.meta.dir, "../../docs/performance.md"), place, `${table}\n\n${machine}`);
  }
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(plan: Plan): Promise<Measurements> {
  const wants = (name: string): boolean => options.only.includes(name);
  const command = options.source ? sourceCommand(options.profile ?? null) : buildExecutable(directory);

  const network = await startAmong<null, number>(parts, "network");
  const receiver = await startAmong<{ count: number }, number>(parts, "receiver");
  const load = await startAmong<LoadJob, LoadResult>(parts, "load");
  const networkUrl = `http://127.0.0.1:${network.port}`;
  const world = await makeWorld(join(directory, "data"), `http://127.0.0.1:${receiver.port}/hook`);
  const serve = (): Promise<Subject> => {
    const port = findPort();
    return startSubject(
      command,
      world.directory,
      port,
      serverVariables(world.directory, port, networkUrl, CONNECTIONS),
    );
  };
  const measurements: Measurements = {};
  const subject = await serve();
  parts.push(subject);
  const bench: Bench = { plan, world, subject, load };

  // First, because memory is measured on a server that has done nothing else.
  if (wants("memory")) {
    const megabytes = await told("memory", measureMemory(bench));
    measurements.memory = { megabytes, eachMessages: plan.memoryStepMessages };
  }
  const forwarder = await startAmong<null, null>(parts, "forwarder", { url: networkMessagesUrl(networkUrl) });
  if (wants("sending") || wants("single")) {
    if (wants("sending")) measurements.sending = await told("sending", measureSending(bench, forwarder, CONNECTIONS));
    if (wants("single")) measurements.single = await told("single", measureSending(bench, forwarder, 1));
  }
  if (wants("me")) {
    const route = await startAmong<null, null>(parts, "route", { json: await getMe(subject, world) });
    measurements.me = await told("me", measureMe(bench, route));
  }
  if (wants("deliveries")) {
    const poster = await startAmong<PostJob, null>(parts, "poster");
    measurements.deliveries = await told("deliveries", measureDeliveries(bench, { receiver, poster }));
  }
  // Last, because the database is then a used one.
  await subject.stop();
  if (wants("life")) {
    const life = await startLife(parts, { command, directory: join(directory, "life"), load });
    measurements.life = await told("life", measureLife(life, plan, forwarder));
    await life.subject.stop();
  }
  if (wants("start")) measurements.startMs = await told("start", measureStart(plan, serve));
  if (wants("disk")) {
    const disk = await startAmong<{ durationMs: number }, number>(parts, "disk", { path: join(directory, "disk.db") });
    measurements.disk = await told("disk", measureDisk(plan, disk));
  }
  return measurements;
}

async function measurePeopleAlone(): Promise<PeopleMeasurements> {
  const command = buildExecutable(directory);
  const network = await startAmong<null, number>(parts, "network");
  const networkUrl = `http://127.0.0.1:${network.port}`;
  const light = await startAmong<LightJob, LightResult | null>(parts, "people");
  const world = await makeWorld(join(directory, "data"), `http://127.0.0.1:${findPort()}/hook`);
  const serve = async (): Promise<Subject> => {
    const port = findPort();
    const variables = serverVariables(world.directory, port, networkUrl, CONNECTIONS);
    const subject = await startSubject(command, world.directory, port, variables);
    parts.push(subject);
    return subject;
  };
  const people = options.quick ? PEOPLE_COUNT.quick : PEOPLE_COUNT.full;
  return told(PEOPLE, measurePeople({ executable: command.slice(0, 1), world, serve, light, people }));
}

async function told<T>(name: string, measured: Promise<T>): Promise<T> {
  process.stderr.write(`measuring ${name} …\n`);
  return measured;
}

/** Uses the database that all other measurements have filled. */
async function measureStart(plan: Plan, serve: () => Promise<Subject>): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const subject = await serve();
    await subject.stop();
    found.push(subject.startedInMs);
  }
  return median(found);
}

async function getMe(subject: Subject, world: World): Promise<unknown> {
  const headers = { authorization: `Bearer ${world.key}` };
  return (await fetch(`http://127.0.0.1:${subject.port}/api/v1/me`, { headers })).json();
}
