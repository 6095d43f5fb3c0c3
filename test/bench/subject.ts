/**
 * The server under test as a process, and what the system reports about a process from outside: memory, processor time,
 * and the number of its database's transactions. The server itself is never queried.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";

const checkout = join(import.meta.dir, "../..");

export interface Subject {
  pid: number;
  port: number;
  /** From the start of the process to its first answer. */
  startedInMs: number;
  stop(): Promise<void>;
}

/** Builds the executable as `bun run build` does, and returns the command that runs `serve`. */
export function buildExecutable(directory: string): string[] {
  const outfile = join(directory, "waxwing");
  const built = Bun.spawnSync([process.execPath, join(checkout, "scripts/build.ts"), "--outfile", outfile]);
  if (!built.success) throw new Error(`the executable could not be built:\n${built.stderr.toString()}`);
  return [outfile, "serve"];
}

/**
 * The sources run by Bun; with `profile`, a profile of the run is written into that directory when the process stops.
 */
export function sourceCommand(profile: string | null): string[] {
  const flags = profile === null ? [] : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${profile}`];
  return [process.execPath, ...flags, join(import.meta.dir, "parts/server.ts")];
}

/** Starts the server in its data directory, without a configuration file, and waits for its first answer. */
export async function startSubject(
  command: string[],
  cwd: string,
  port: number,
  variables: Record<string, string>,
): Promise<Subject> {
  const startedAt = performance.now();
  const child = Bun.spawn({ cmd: command, cwd, env: variables, stdio: ["ignore", "ignore", "inherit"] });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/me`).catch(() => null);
    if (answer?.status === 401) break;
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it had answered`);
    await Bun.sleep(1);
  }
  const startedInMs = performance.now() - startedAt;
  return {
    pid: child.pid,
    port,
    startedInMs,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** A free port of this machine. */
export function findPort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Resident memory, in millions of bytes. */
export function memoryMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

/** Processor time that a process has used on all its threads, in milliseconds. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the name in brackets, which may contain spaces: utime and stime are the 12th and 13th field, in hundredths of
  // a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * The number of write transactions of a database since its log was created: the counter in the header of SQLite's
 * wal-index (https://www.sqlite.org/walformat.html#wal_index_format, iChange). Read as plain bytes, which is safe here
 * because this process does not have the database open.
 */
export function transactionCount(database: string): number {
  const file = openSync(`${database}-shm`, "r");
  try {
    const header = new Uint32Array(3);
    readSync(file, header);
    return header[2] ?? 0;
  } finally {
    closeSync(file);
  }
}
