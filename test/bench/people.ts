/**
 * A million contacts, created by the executable's import, and the cost of requests with them in the database. The file
 * is generated here: names, cities, birthdays, tags, groups; numbers in random order, as in customers' files.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "#src/db/store.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { median } from "./median.ts";
import type { Part } from "./part.ts";
import type { LightJob, LightRequest, LightResult } from "./parts/people.ts";
import type { Row } from "./report.ts";
import { memoryMegabytes, processorMs, type Subject } from "./subject.ts";
import type { World } from "./world.ts";

export interface PeopleBench {
  /** The executable, without a command. */
  executable: string[];
  world: World;
  serve: () => Promise<Subject>;
  light: Part<LightJob, LightResult | null>;
  people: number;
}

interface ImportRun {
  rowsPerSecond: number;
  /** Resident memory at each tenth of the run, in millions of bytes. */
  megabytes: number[];
  /** Processor time a row, in microseconds: of all threads, and of the main one, which writes. */
  processorMicros: { all: number; writer: number };
  measurements: Record<string, number>;
}

export interface PeopleMeasurements {
  people: number;
  first: ImportRun;
  second: ImportRun;
  /** Of a server whose search index has caught up, before any request. */
  idleMegabytes: number;
  firstPage: { thousand: number; all: number };
  farPage: { page: number; ms: number };
  put: { thousand: number; all: number };
  countMs: number;
  besideImport: LightResult & { rowsPerSecond: number };
  besideCounts: LightResult & { groupsMs: number };
}

const THOUSAND = 1_000;
const SAMPLES = 300;
const LIGHT_EVERY_MS = 10;
/** New rows during which requests arrive: enough for some seconds. */
const BESIDE_SHARE = 0.3;
const GROUPS = 20;
/** A server that took no more processor time than this in a second is idle: its search index has caught up with the import. */
const IDLE_PROCESSOR_MS = 20;
const IDLE_SECONDS = 5;
const IDLE_WITHIN_SECONDS = 3_600;
const IDLE_MEGABYTES = 120;

const CITIES = Array.from({ length: 120 }, (_, index) => `City ${index}`);
const TAGS = ["vip", "new", "regular", "lapsed", "wholesale", "newsletter", "walk-in", "referral"];

/** A bench whose server is running. */
type Served = PeopleBench & { subject: Subject };

/** Throws for a server that still works after an hour: the index of a million people takes minutes, and more on a slow machine. */
async function untilIdle({ pid }: Subject): Promise<void> {
  let idleFor = 0;
  for (let second = 0; idleFor < IDLE_SECONDS; second += 1) {
    if (second === IDLE_WITHIN_SECONDS) throw new Error("the server did not become idle");
    const before = processorMs(pid);
    await Bun.sleep(1_000);
    idleFor = processorMs(pid) - before > IDLE_PROCESSOR_MS ? 0 : idleFor + 1;
  }
}

export async function measurePeople(bench: PeopleBench): Promise<PeopleMeasurements> {
  const { people } = bench;
  const { id, key } = await makeWorkspace(bench, "People");
  const other = await makeWorkspace(bench, "Others");
  const file = (name: string, from: number, count: number): string => {
    const path = join(bench.world.directory, `${name}.csv`);
    writePeople(path, from, count);
    return path;
  };
  await importFile(bench, id, file("thousand", 0, THOUSAND));
  const few = { ...bench, subject: await bench.serve() };
  const thousand = { page: await timeFirstPage(few, key), put: await timePut(few, key, THOUSAND) };
  await few.subject.stop();

  const all = file("people", THOUSAND, people - THOUSAND);
  const first = await importFile(bench, id, all);
  const second = await importFile(bench, id, all);
  const full = { ...bench, subject: await bench.serve() };
  await untilIdle(full.subject);
  const idleMegabytes = memoryMegabytes(full.subject.pid);
  const firstPage = { thousand: thousand.page, all: await timeFirstPage(full, key) };
  const page = Math.min(1_000, people / 50);
  const farPage = { page, ms: await timeRequests(full, 30, () => ["GET", `/contacts?page=${page}`, key]) };
  const put = { thousand: thousand.put, all: await timePut(full, key, people) };

  await saveSearches(bench, id, 1);
  const countMs = await timeRequests(full, 1, () => ["GET", "/groups", key]);

  await beginLight(full, key);
  const beside = await importFile(bench, other.id, file("beside", people, Math.round(people * BESIDE_SHARE)));
  const besideImport = { ...(await endLight(full)), rowsPerSecond: beside.rowsPerSecond };

  await saveSearches(bench, id, GROUPS);
  await beginLight(full, key);
  const groupsMs = await timeRequests(full, 1, () => ["GET", "/groups", key]);
  const besideCounts = { ...(await endLight(full)), groupsMs };
  await full.subject.stop();
  return { people, first, second, idleMegabytes, firstPage, farPage, put, countMs, besideImport, besideCounts };
}

async function makeWorkspace(bench: PeopleBench, name: string): Promise<{ id: number; key: string }> {
  const settings = ["--name", name, "--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await run(bench, "workspace", "create", ...settings).json();
  const { key } = await run(bench, "key", "create", "--workspace", String(id)).json();
  return { id: Number(id), key: String(key) };
}

/** Runs a command of the executable on the database, beside the server. */
function run({ executable, world }: PeopleBench, ...words: string[]) {
  const child = Bun.spawn({
    cmd: [...executable, "--data", world.directory, "--json", ...words],
    cwd: world.directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    pid: child.pid,
    /** Once it has ended: processor time of all its threads. */
    processorSeconds: (): number => Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
    async json(): Promise<Record<string, unknown>> {
      const text = await new Response(child.stdout).text();
      if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${text}`);
      return JSON.parse(text);
    },
  };
}

/** Columns vary with periods that share no divisor, so that no two columns correlate. */
function writePeople(path: string, from: number, count: number): void {
  const handle = openSync(path, "w");
  let text = "phone,name,city,birthday,tags,groups\n";
  for (let index = from; index < from + count; index++) {
    const phone = `+9198${String((index * 7_368_787) % 100_000_000).padStart(8, "0")}`;
    const two = (value: number): string => String(value).padStart(2, "0");
    const birthday = index % 3 === 0 ? "" : `${1950 + (index % 53)}-${two(1 + (index % 12))}-${two(1 + (index % 28))}`;
    const tags = `${TAGS[index % 7]};${TAGS[(index >> 3) % TAGS.length]}`;
    const list = index % 10 === 0 ? `List ${index % 7}` : "";
    text += `${phone},Person ${index},${CITIES[(index * 31) % CITIES.length]},${birthday},${tags},${list}\n`;
    if (text.length > 1_000_000) {
      writeSync(handle, text);
      text = "";
    }
  }
  writeSync(handle, text);
  closeSync(handle);
}

const READ_MEMORY_EVERY_MS = 50;

async function importFile(bench: PeopleBench, workspaceId: number, path: string): Promise<ImportRun> {
  const startedAt = performance.now();
  const words = ["contact", "import", "--workspace", String(workspaceId), path, "--consent", "opted_in"];
  const { pid, json, processorSeconds } = run(bench, ...words);
  const readings: number[] = [];
  let writerSeconds = 0;
  const timer = setInterval(() => {
    writerSeconds = Math.max(writerSeconds, mainThreadSeconds(pid));
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1];
    if (kibibytes !== undefined) readings.push((Number(kibibytes) * 1024) / 1e6);
  }, READ_MEMORY_EVERY_MS);
  const measurements = (await json()) as Record<string, number>;
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(timer);
  if (measurements.failed !== 0) throw new Error(`the import refused rows: ${JSON.stringify(measurements)}`);
  const tenth = Math.max(1, Math.floor(readings.length / 10));
  const megabytes = readings.filter((_, index) => index % tenth === tenth - 1).slice(0, 10);
  const rows = measurements.rows ?? 0;
  const aRow = (total: number): number => (total * 1e6) / rows;
  const processorMicros = { all: aRow(processorSeconds()), writer: aRow(writerSeconds) };
  return { rowsPerSecond: rows / seconds, megabytes, processorMicros, measurements };
}

const TICKS_A_SECOND = 100;

/** Processor time of the thread that began the process; 0 once it has ended. */
function mainThreadSeconds(pid: number): number {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
  } catch {
    return 0;
  }
  // After the name in brackets, which may have spaces: of the fields that follow, user and system time.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // The process has just ended.
    return "";
  }
}

type Request = [method: string, path: string, key: string, body?: string];

/** Median latency of sequential requests. */
async function timeRequests({ subject }: Served, samples: number, next: () => Request): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const [method, path, key, body] = next();
    const startedAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${subject.port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

function timeFirstPage(bench: Served, key: string): Promise<number> {
  return timeRequests(bench, SAMPLES, () => ["GET", "/contacts", key]);
}

let putCount = 0;

/** Changes a different contact each time, spread over the whole file. */
function timePut(bench: Served, key: string, people: number): Promise<number> {
  return timeRequests(bench, SAMPLES, () => {
    putCount += 1;
    const phone = `9198${String((((putCount * 7_919) % people) * 7_368_787) % 100_000_000).padStart(8, "0")}`;
    return ["PUT", `/contacts/${phone}`, key, JSON.stringify({ company: `Company ${putCount}` })];
  });
}

/** Dynamic groups that have never been counted: the first GET /groups counts them. */
async function saveSearches({ world }: PeopleBench, workspaceId: number, count: number): Promise<void> {
  const store = openStore(world.database, { busyTimeoutMs: 5_000 });
  await store.write((tx) => {
    for (let index = 0; index < count; index++) {
      const tag = { field: "tag", is: TAGS[index % TAGS.length] };
      const city = { field: "city", is: CITIES[(index * 7) % CITIES.length] };
      const filters = [
        { all: [tag, city] },
        { all: [{ field: "birthday", within_days: 7 }, tag] },
        { any: [tag, { field: "name", contains: String(index) }] },
        { all: [{ not: tag }, { field: "consent", is: "opted_in" }] },
      ];
      saveGroup(tx, workspaceId, { name: `Search ${count}.${index}`, filter: filters[index % filters.length] });
    }
  });
  store.close();
}

async function beginLight({ light, subject, world }: Served, key: string): Promise<void> {
  const text = "Your table is ready. See you at eight!";
  const requests: LightRequest[] = [
    { what: "GET /me", method: "GET", path: "/me", key },
    { what: "PUT /contacts", method: "PUT", path: "/contacts/919800000000", key, body: `{"company":"Company #"}` },
    { what: "GET /contacts", method: "GET", path: "/contacts", key },
    {
      what: "POST /messages",
      method: "POST",
      path: "/messages",
      key: world.key,
      body: JSON.stringify({ to: world.people[0], text }),
    },
  ];
  await light.ask({ begin: { port: subject.port, everyMs: LIGHT_EVERY_MS, requests } });
  // Warm up: the extra cost of a new caller's first requests is not measured.
  await Bun.sleep(500);
}

async function endLight({ light }: PeopleBench): Promise<LightResult> {
  const result = await light.ask("end");
  if (result === null) throw new Error("the light load has told nothing");
  return result;
}

const MIN_ROWS = 30_000;
const MAX_IMPORT_MEGABYTES = 200;
const MAX_MS = { farPage: 50, count: 500, request: 100 };
const MAX_RATIO = { firstPage: 3, put: 2 };

export function peopleRows(measurements: PeopleMeasurements): Row[] {
  const { first, second, idleMegabytes, firstPage, farPage, put, countMs, besideImport, besideCounts } = measurements;
  const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
  const row = (what: string, ours: string, bound = "", isKept?: boolean): Row => ({
    what,
    ours,
    bare: "",
    ratio: "",
    bound,
    ...(isKept === undefined ? {} : { isKept }),
  });
  const times = (what: string, { thousand, all }: { thousand: number; all: number }, max: number): Row => ({
    ...row(`${what}, median, ms`, `${thousand.toFixed(2)} → ${all.toFixed(2)}`),
    ratio: (all / thousand).toFixed(2),
    bound: `at most ${max} times`,
    isKept: all / thousand <= max,
  });
  const slowest = (what: string, { slowestMs, answers, medianMs }: LightResult): Row[] => {
    const each = Object.entries(slowestMs).map(([kind, ms]) => `${kind} ${ms.toFixed(0)}`);
    const max = Math.max(...Object.values(slowestMs));
    return [
      row(`Slowest of ${whole(answers)} requests ${what}, ms`, max.toFixed(0), `under 100`, max < MAX_MS.request),
      row("— by kind; median of all", `${each.join(", ")}; ${medianMs.toFixed(1)}`),
    ];
  };
  const memory = first.megabytes;
  // After the first tenth, in which SQLite's page cache fills.
  const isFlat = (memory.at(-1) ?? 0) <= 1.15 * (memory[1] ?? 0);
  return [
    row(
      `Import of ${whole(first.measurements.rows ?? 0)} new rows, rows/s`,
      whole(first.rowsPerSecond),
      `at least ${whole(MIN_ROWS)}`,
      first.rowsPerSecond >= MIN_ROWS,
    ),
    row(
      "— processor time a row, µs: all threads, the one that writes",
      `${first.processorMicros.all.toFixed(1)}, ${first.processorMicros.writer.toFixed(1)}`,
    ),
    row("— beside a server and its requests, rows/s", whole(besideImport.rowsPerSecond)),
    row(
      "— memory at each tenth, MB",
      memory.map((value) => value.toFixed(0)).join(" → "),
      `under ${MAX_IMPORT_MEGABYTES}, flat`,
      isFlat && Math.max(...memory) < MAX_IMPORT_MEGABYTES,
    ),
    row(
      "— second run, rows/s",
      whole(second.rowsPerSecond),
      "nothing changes",
      second.measurements.unchanged === second.measurements.rows,
    ),
    row(
      `Memory of an idle server with ${whole(measurements.people)} contacts, MB`,
      idleMegabytes.toFixed(0),
      `at most ${IDLE_MEGABYTES}`,
      idleMegabytes <= IDLE_MEGABYTES,
    ),
    times(`\`GET /contacts\`, first page, a thousand → ${whole(measurements.people)}`, firstPage, MAX_RATIO.firstPage),
    row(
      `— page ${whole(farPage.page)}, ms`,
      farPage.ms.toFixed(1),
      `under ${MAX_MS.farPage}`,
      farPage.ms < MAX_MS.farPage,
    ),
    times(`\`PUT /contacts/{phone}\`, a thousand → ${whole(measurements.people)}`, put, MAX_RATIO.put),
    row(
      "Count of a dynamic group, tag and city, ms",
      countMs.toFixed(0),
      `under ${MAX_MS.count}`,
      countMs < MAX_MS.count,
    ),
    ...slowest("while an import runs", besideImport),
    ...slowest(`while 20 dynamic groups are counted (${besideCounts.groupsMs.toFixed(0)} ms)`, besideCounts),
  ];
}
