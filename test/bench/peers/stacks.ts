/**
 * The stacks that are compared. Each accepts jobs over HTTP and works on them, in one process beside its database; each
 * can be killed whole or in part, and started again on the same files.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Disk, type Recorder } from "../../support/power-loss.ts";
import { findPort } from "../subject.ts";
import { makeWorld, networkMessagesUrl, serverVariables, type World } from "../world.ts";
import { createPostgres, createRedis, type DatabaseServer } from "./database-servers.ts";

export interface Stack {
  port: number;
  path: string;
  headers: string;
  people: string[];
  /** Starts what does not run, and waits until it answers. */
  start(): Promise<void>;
  killApp(): Promise<void>;
  /** Also kills the database's server. */
  killAll(): Promise<void>;
  /** Kills it, and takes from its files what was not synced. */
  cutPower(): Promise<void>;
  /** Proportional memory of all its processes, in millions of bytes. */
  memoryMegabytes(): number;
  version: string;
}

export interface Setting {
  directory: string;
  /** Holds the installed peers. */
  peers: string;
  networkUrl: string;
  concurrency: number;
  /** For jobs of a killed worker, where it can be chosen. */
  expirySeconds: number;
  executable: string[];
  recorder: Recorder | null;
}

export interface Candidate {
  name: string;
  /** How the jobs of a killed worker are taken up again. */
  recovery: string;
  /** For the rounds with kills: how long its jobs may stay locked. */
  recoveryMs: number;
  make(setting: Setting): Promise<Stack>;
}

/** DEBUG=1 shows what the stacks write to stderr. */
const isTold = process.env.DEBUG !== undefined;

export function candidates(expirySeconds: number): Candidate[] {
  return [
    { name: "Waxwing", recovery: "at the next start", recoveryMs: 5_000, make: makeWaxwing },
    {
      name: "graphile-worker",
      recovery: "after 4 hours, or when an operator names the dead workers",
      recoveryMs: 10_000,
      make: (setting) => makePeer(setting, "graphile-worker", createPostgres(setting.directory), "DATABASE_URL"),
    },
    ...[true, false].map((isNotified) => ({
      name: isNotified ? "pg-boss, NOTIFY" : "pg-boss, polling",
      recovery: "when the heartbeat is missed (10 s and more)",
      recoveryMs: 40_000,
      make: (setting: Setting) =>
        makePeer(setting, "pg-boss", createPostgres(setting.directory), "DATABASE_URL", { NOTIFY: String(isNotified) }),
    })),
    ...(["always", "everysec"] as const).map((fsync) => ({
      name: `BullMQ, fsync ${fsync}`,
      recovery: `when its lock ends (30 s; here ${expirySeconds})`,
      // A lock ends, the next check finds it, and a second one for a job that is locked again.
      recoveryMs: 5_000 * expirySeconds,
      make: (setting: Setting) => makePeer(setting, "bullmq", createRedis(setting.directory, fsync), "REDIS_URL"),
    })),
  ];
}

async function makePeer(
  { peers, networkUrl, concurrency, expirySeconds }: Setting,
  name: string,
  creating: Promise<DatabaseServer>,
  variable: string,
  variables: Record<string, string> = {},
): Promise<Stack> {
  const database = await creating;
  const port = findPort();
  const app = appOf([process.execPath, join(peers, `${name}.ts`)], peers, port, {
    PATH: process.env.PATH ?? "",
    PORT: String(port),
    NETWORK_URL: networkMessagesUrl(networkUrl),
    CONCURRENCY: String(concurrency),
    EXPIRY_SECONDS: String(expirySeconds),
    ...variables,
    [variable]: database.url,
    ...(isTold ? { DEBUG: "1" } : {}),
  });
  const installed = JSON.parse(readFileSync(join(peers, "node_modules", name, "package.json"), "utf8"));
  return {
    port,
    path: "/jobs",
    headers: "",
    people: Array.from({ length: 1_000 }, (_, index) => `+9198765${String(index).padStart(5, "0")}`),
    version: `${name} ${installed.version} on ${database.version.trim()}`,
    async start() {
      if (database.pids().length === 0) await database.start();
      await app.start();
    },
    killApp: app.kill,
    async killAll() {
      await Promise.all([database.kill(), app.kill()]);
    },
    cutPower: () => Promise.reject(new Error("not measured for peers")),
    memoryMegabytes: () => sum([...app.pids(), ...database.pids()].map(proportionalMegabytes)),
  };
}

async function makeWaxwing({ directory, networkUrl, concurrency, executable, recorder }: Setting): Promise<Stack> {
  const port = findPort();
  const data = join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
  const world: World = await makeWorld(data, `http://127.0.0.1:${port}/`);
  const disk = recorder === null ? null : new Disk(data, recorder);
  const app = appOf(executable, data, port, {
    ...serverVariables(data, port, networkUrl, concurrency),
    // A repeated request whose message is in doubt waits this long for word from the network, and none comes here.
    WAXWING_MESSAGES_RETRY_BUDGET: "1s",
    ...recorder?.env(data),
  });
  return {
    port,
    path: "/api/v1/messages",
    headers: `authorization: Bearer ${world.key}\r\n`,
    people: world.people,
    version: "Waxwing, this commit",
    async start() {
      disk?.remember();
      await app.start();
    },
    killApp: app.kill,
    killAll: app.kill,
    async cutPower() {
      await app.kill();
      disk?.cutPower({});
    },
    memoryMegabytes: () => sum(app.pids().map(proportionalMegabytes)),
  };
}

const START_LIMIT_MS = 30_000;

function appOf(command: string[], cwd: string, port: number, env: Record<string, string>) {
  let child: Bun.Subprocess | null = null;
  return {
    pids: () => (child === null ? [] : [child.pid]),
    async start(): Promise<void> {
      if (child !== null) return;
      child = Bun.spawn(command, { cwd, env, stdio: ["ignore", "ignore", isTold ? "inherit" : "ignore"] });
      const giveUpAt = performance.now() + START_LIMIT_MS;
      while ((await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) === null) {
        if (performance.now() > giveUpAt) throw new Error(`${command.join(" ")} did not start`);
        if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`);
        await Bun.sleep(10);
      }
    },
    async kill(): Promise<void> {
      child?.kill("SIGKILL");
      await child?.exited;
      child = null;
    },
  };
}

/** Memory that processes share counts in parts: the sum of all is what the stack takes. */
function proportionalMegabytes(pid: number): number {
  try {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
