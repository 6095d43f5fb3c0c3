/**
 * PostgreSQL and Redis of the system's packages, each with its files in a directory of its own and on a free port. They
 * are started and killed as whole process trees, which nothing else on the machine belongs to.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findPort } from "../subject.ts";

export interface DatabaseServer {
  url: string;
  version: string;
  /** All its processes. */
  pids(): number[];
  start(): Promise<void>;
  /** SIGKILL to every process of it, and waits until they are gone. */
  kill(): Promise<void>;
}

const POSTGRES_DIRECTORIES = "/usr/lib/postgresql";
const START_LIMIT_MS = 30_000;

/** With the package's defaults: `fsync`, `synchronous_commit` and `full_page_writes` are on. */
export async function createPostgres(directory: string): Promise<DatabaseServer> {
  const version = readdirSync(POSTGRES_DIRECTORIES).toSorted((a, b) => Number(b) - Number(a))[0];
  if (version === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const bin = join(POSTGRES_DIRECTORIES, version, "bin");
  const data = join(directory, "postgres");
  mkdirSync(data);
  const asOwner = ownerCommand();
  if (asOwner.length > 0) giveToPostgres(directory, data);
  await run([...asOwner, join(bin, "initdb"), "-D", data, "-U", "bench", "--auth=trust", "-E", "UTF8", "--locale=C"]);
  const port = findPort();
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
  const command = [...asOwner, join(bin, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const isReady = async (): Promise<boolean> =>
    (await Bun.spawn([join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", String(port)]).exited) === 0;
  return { ...processOf(command, isReady), url, version: await textOf([join(bin, "postgres"), "--version"]) };
}

export async function createRedis(directory: string, appendfsync: "always" | "everysec"): Promise<DatabaseServer> {
  if (Bun.which("redis-server") === null) throw new Error("Redis is not installed: apt-get install redis-server");
  const data = join(directory, "redis");
  mkdirSync(data);
  const port = findPort();
  const settings = {
    ...{ port: String(port), bind: "127.0.0.1", dir: data, save: "", appendonly: "yes", appendfsync },
    "maxmemory-policy": "noeviction",
  };
  const command = ["redis-server", ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])];
  const isReady = async (): Promise<boolean> =>
    (await textOf(["redis-cli", "-p", String(port), "ping"]).catch(() => "")).trim() === "PONG";
  const version = await textOf(["redis-server", "--version"]);
  return { ...processOf(command, isReady), url: `redis://127.0.0.1:${port}`, version };
}

function processOf(command: string[], isReady: () => Promise<boolean>) {
  let child: Bun.Subprocess | null = null;
  const pids = (): number[] => (child === null ? [] : treeOf(child.pid));
  return {
    pids,
    async start(): Promise<void> {
      child = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
      const giveUpAt = performance.now() + START_LIMIT_MS;
      while (!(await isReady())) {
        if (performance.now() > giveUpAt || child.exitCode !== null) throw new Error(`did not start: ${command[0]}`);
        await Bun.sleep(20);
      }
    },
    async kill(): Promise<void> {
      if (child === null) return;
      // The first one first, so that it starts no other and repairs nothing.
      const all = pids();
      for (const pid of all) signal(pid);
      await child.exited;
      child = null;
      while (all.some((pid) => existsSync(`/proc/${pid}`))) await Bun.sleep(5);
    },
  };
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** A process and its children, and theirs. */
function treeOf(pid: number): number[] {
  const children = readChildren(pid);
  return [pid, ...children.flatMap(treeOf)];
}

function readChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** PostgreSQL refuses to run as root: the package's own account runs it then. */
function ownerCommand(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"];
}

function giveToPostgres(directory: string, data: string): void {
  const [, , uid, gid] = (/^postgres:.*$/m.exec(readFileSync("/etc/passwd", "utf8"))?.[0] ?? "").split(":");
  chmodSync(directory, 0o755);
  chmodSync(data, 0o700);
  chownSync(data, Number(uid), Number(gid));
}

async function run(command: string[]): Promise<void> {
  await textOf(command);
}

async function textOf(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${complaints}`);
  return output;
}
