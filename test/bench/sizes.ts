/**
 * What a database of a given size costs to keep: `bun run bench:sizes [--messages 25000,100000] [--media MEGABYTES]`.
 * Bytes a message and a contact, and the time and memory of backup, check, restore and a planned move, by the commands
 * of the executable.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { type Part, startPart } from "./part.ts";
import type { SoakNetworkArgument, SoakNetworkMeasurements } from "./parts/soak-network.ts";
import type { SoakReceiverMeasurements } from "./parts/soak-receiver.ts";
import type { SoakSenderArgument, SoakSenderJob, SoakSenderMeasurements } from "./parts/soak-sender.ts";
import { live, multiply } from "./past-messages.ts";
import { machineText } from "./report.ts";
import { buildExecutable, findPort, startSubject } from "./subject.ts";
import { ACCOUNT_ID, makeWorld, PHONE_NUMBER_ID, serverVariables, type World } from "./world.ts";

const { values: options } = readOptions(
  {
    call: "bun run bench:sizes",
    about: "Measures what databases of several sizes cost to keep, back up, check, restore and move.",
  },
  {
    messages: {
      type: "string",
      default: "25000,100000",
      value: "NUMBERS",
      about: "the sizes, with commas between them",
    },
    media: { type: "string", default: "200", about: "megabytes of files that people sent" },
    contacts: { type: "string", default: "50000", about: "how many contacts" },
    directory: { type: "string", default: "/var/tmp", value: "DIR", about: "where the files are made" },
  },
);
const REAL = 500;
const AGE_MS = 60 * 86_400_000;
const SECRET = "bench-secret";
const MEDIUM_BYTES = 5_000_000;

const directory = mkdtempSync(join(options.directory, "waxwing-sizes-"));
const parts: { stop(): Promise<void> }[] = [];
const [executable = "", ...serve] = buildExecutable(directory);
try {
  const seed = await makeSeed();
  for (const messages of options.messages.split(",").map(Number)) await measure(seed, messages);
  await measureContacts(Number(options.contacts));
  console.log(`\n${machineText()}, on ${options.directory}.`);
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** A stopped server with a few hundred messages. */
async function makeSeed(): Promise<World> {
  const port = findPort();
  const receiver = await part<true, SoakReceiverMeasurements>("soak-receiver", null);
  const hook = `http://127.0.0.1:${receiver.port}/hook`;
  const world = await makeWorld(join(directory, "seed"), hook, { senderHook: hook });
  const network = await part<true, SoakNetworkMeasurements>("soak-network", {
    callbackUrl: `http://127.0.0.1:${port}/networks/whatsapp`,
    secret: SECRET,
    accountId: ACCOUNT_ID,
    phoneNumberId: PHONE_NUMBER_ID,
  } satisfies SoakNetworkArgument);
  const variables = {
    ...serverVariables(world.directory, port, `http://127.0.0.1:${network.port}`, 32),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
  };
  const server = await startSubject([executable, ...serve], world.directory, port, variables);
  const sender = await part<SoakSenderJob, SoakSenderMeasurements>("soak-sender", {
    base: `http://127.0.0.1:${port}/api/v1`,
    key: world.key,
    people: world.people,
  } satisfies SoakSenderArgument);
  await live(sender, world.database, REAL);
  await server.stop();
  return world;
}

async function measure(seed: World, messages: number): Promise<void> {
  const place = join(directory, `of-${messages}`);
  const data = join(place, "data");
  const media = join(data, "media");
  mkdirSync(media, { recursive: true, mode: 0o700 });
  for (const name of ["waxwing.db", "waxwing.key"]) copyFileSync(join(seed.directory, name), join(data, name));
  const empty = statSync(join(data, "waxwing.db")).size;
  multiply(join(data, "waxwing.db"), Math.round(messages / REAL) - 1, AGE_MS);
  for (let index = 0; index < (Number(options.media) * 1e6) / MEDIUM_BYTES; index++) {
    const bytes = new Uint8Array(MEDIUM_BYTES).fill(index);
    writeFileSync(join(media, `1-${createHash("sha256").update(bytes).digest("hex")}`), bytes);
  }
  const size = statSync(join(data, "waxwing.db")).size;
  console.log(
    `\n${messages} messages: ${(size / 1e6).toFixed(0)} MB, ${Math.round((size - empty) / messages)} bytes a message`,
  );
  // A database that was copied to its place is a copy until a server has started on it.
  const ran = (...words: string[]) => run(place, [...words, "--data", data]);
  adopt(data);
  report("backup", await ran("backup", join(place, "backup.db")));
  report("check of the backup", await ran("check", join(place, "backup.db")));
  report("restore drill", await ran("restore", join(place, "backup.db"), "--rehearse"));
  const out = await ran("move", "out", join(place, "server.move"));
  const bytes = statSync(join(place, "server.move")).size;
  report(`move out, ${(bytes / 1e6).toFixed(0)} MB`, out);
  const { code } = JSON.parse(out.out) as { code: string };
  const words = ["move", "in", join(place, "server.move"), "--code", code, "--data", join(place, "elsewhere")];
  report("move in", await run(place, words));
  rmSync(place, { recursive: true, force: true });
}

/** As a first start would, without its hold: this is the benchmark's own copy. */
function adopt(data: string): void {
  const database = join(data, "waxwing.db");
  const { ino, birthtimeMs } = statSync(database, { bigint: true });
  const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
  const client = new Database(database);
  client.exec("UPDATE instance SET run_marker = NULL, previous_run_marker = NULL");
  client.query("UPDATE instance SET inode = ?, file_created_at = ?").run(String(ino), Number(birthtimeMs) || null);
  client.close();
}

async function measureContacts(count: number): Promise<void> {
  const place = join(directory, "contacts");
  mkdirSync(place);
  const ran = (...words: string[]) => run(place, [...words, "--data", join(place, "data")]);
  await ran("workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata");
  const empty = statSync(join(place, "data/waxwing.db")).size;
  const rows = Array.from(
    { length: count },
    (_, index) => `+9198${String(index).padStart(8, "0")},Asha Rao ${index},Pune,vip`,
  );
  writeFileSync(join(place, "people.csv"), `phone,name,city,tags\n${rows.join("\n")}\n`);
  report(`import of ${count} contacts`, await ran("contact", "import", "--workspace", "1", join(place, "people.csv")));
  const bytes = (statSync(join(place, "data/waxwing.db")).size - empty) / count;
  console.log(`${count} contacts: ${Math.round(bytes)} bytes a contact`);
}

interface Ran {
  seconds: number;
  /** Seconds of processor time: the same on a machine that others use. */
  processor: number;
  megabytes: number;
  out: string;
}

async function run(cwd: string, words: string[]): Promise<Ran> {
  const startedAt = performance.now();
  const child = Bun.spawn([executable, ...words, "--json"], {
    ...{ cwd, env: { PATH: process.env.PATH ?? "" }, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  let megabytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    megabytes = Math.max(megabytes, peakMegabytes(child.pid));
    await Promise.race([child.exited, Bun.sleep(20)]);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const [out, err] = await output;
  if (child.exitCode !== 0) throw new Error(`${words.join(" ")}: ${out}${err}`);
  const processor = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  return { seconds, processor, megabytes, out };
}

/** The most that the process had in memory, as the system remembers it; 0 once it has ended. */
function peakMegabytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}

function report(what: string, { seconds, processor, megabytes }: Ran): void {
  console.log(
    `  ${what}: ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time, ${Math.round(megabytes)} MB of memory`,
  );
}

async function part<Job, Result>(name: string, argument: unknown): Promise<Part<Job, Result>> {
  const started = await startPart<Job, Result>(name, argument);
  parts.push(started);
  return started;
}
