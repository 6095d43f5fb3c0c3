/**
 * The server under test as a process, and what the system says about a process from outside: memory, processor time,
 * and the transactions that its database has seen. Nothing is asked of the server itself.
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

/** Builds the executable as `bun run build` does, and returns the command that serves. */
export function buildExecutable(directory: string): string[] {
  const outfile = join(directory, "waxwing");
  const built = Bun.spawnSync([process.execPath, join(checkout, "scripts/build.ts"), "--outfile", outfile]);
  if (!built.success) throw new Error(`the executable could not be built:\n${built.stderr.toString()}`);
  return [outfile, "serve"];
}

/** The sources run by Bun; with `profile`, a profile of the run is written into that directory when it stops. */
export function sourceCommand(profile: string | null): string[] {
  const flags = profile === null ? [] : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${profile}`];
  return [process.execPath, ...flags, join(import.meta.dir, "parts/server.ts")];
}

/** Starts the server in its data directory (no configuration file is there) and waits for its first answer. */
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

/** A port of this machine that is free now. */
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
  // After the name in brackets, which may hold spaces: utime and stime are the 12th and 13th, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * How many write transactions a database has seen since its log was made: the counter in the header of SQLite's index
 * of the log (https://www.sqlite.org/walformat.html#wal_index_format, iChange). Read as plain bytes, which is allowed
 * here because this process does not have the database open.
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
