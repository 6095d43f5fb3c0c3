/**
 * How the server is restarted with the executable that is in place: by systemd, by a command that the operator names, or,
 * where nothing supervises it, by starting the new process first, which waits for the database's lock, and then ending
 * the old one. So there is no moment at which a killed upgrade would leave no server.
 */
import {
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import type { Clock } from "#src/core/clock.ts";

export interface Service {
  /** For people: what restarts the server. */
  description: string;
  /** Returns when the old server was told to end. Throws with the reason if that is not possible. */
  restart(): Promise<void>;
  /** Why the server that was started last cannot become ready any more; null as far as is known. */
  failure(): string | null;
}

/** No way to restart the server is known, or it is not possible. */
export class RestartImpossible extends Error {
  override readonly name = "RestartImpossible";
}

const UNIT = "waxwing.service";
/** A server finishes what is in flight first. */
const END_LIMIT_MS = 30_000;
const END_POLL_MS = 200;

export function restartBy(shellCommand: string): Service {
  return {
    description: shellCommand,
    restart: async () => run(["/bin/sh", "-c", shellCommand]),
    failure: () => null,
  };
}

/** Null if systemd does not run this executable. */
export function findSystemdService(executable: string): Service | null {
  if (!existsSync("/run/systemd/system")) return null;
  const shown = show(["ExecStart", "ActiveState"]);
  if (!shown.get("ExecStart")?.includes(`path=${executable} `) || shown.get("ActiveState") === "inactive") return null;
  // A restart by command sets the count back, at a moment that is not known.
  let restartCount = Number.POSITIVE_INFINITY;
  return {
    description: `systemctl restart ${UNIT}`,
    async restart() {
      restartCount = Number.POSITIVE_INFINITY;
      // Without waiting: a unit that reports its readiness is not ready before the upgrade declares it so.
      await run(["systemctl", "restart", "--no-block", UNIT]);
    },
    failure() {
      const now = show(["NRestarts", "ActiveState", "Result"]);
      const count = Number(now.get("NRestarts") ?? 0);
      const ended = count > restartCount || now.get("ActiveState") === "failed";
      restartCount = Math.min(restartCount, count);
      return ended ? `it ended (${now.get("Result")})` : null;
    },
  };
}

function show(properties: readonly string[]): Map<string, string> {
  const { stdout } = Bun.spawnSync(["systemctl", "show", UNIT, ...properties.map((name) => `--property=${name}`)], {
    stderr: "ignore",
  });
  const lines = stdout.toString().split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const complaint = (await new Response(child.stderr).text()).trim();
  if ((await child.exited) !== 0) throw new RestartImpossible(`${command.join(" ")} failed: ${complaint}`);
}

/** A server that nothing supervises. `findPid`: of the one that runs now. */
export function restartProcess(executable: string, clock: Clock, findPid: () => number | null): Service {
  let model: Model | null = null;
  let started: Bun.Subprocess | null = null;
  const ended = new Set<number>();
  return {
    description: "a new process in the place of the old one",
    async restart() {
      const pid = findPid();
      model ??= pid === null ? null : readModel(pid);
      if (model === null) throw new RestartImpossible("the running server was not found");
      const former = started;
      started = startLike(model, executable);
      const ending = new Set([pid, former?.exitCode === null ? former.pid : null].filter((one) => one !== null));
      for (const one of ending) {
        // A second signal would cut short what the server is finishing.
        if (!ended.has(one)) end(one, clock);
        ended.add(one);
      }
    },
    failure: () => (started?.exitCode == null && started?.signalCode == null ? null : "it ended"),
  };
}

/** What a process was started with. */
interface Model {
  words: string[];
  env: Record<string, string>;
  cwd: string;
  out: number | null;
  err: number | null;
}

function readModel(pid: number): Model {
  const pairs = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .filter((pair) => pair.includes("="))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  return {
    words: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(1, -1),
    env: Object.fromEntries(pairs),
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    out: openLike(`/proc/${pid}/fd/1`),
    err: openLike(`/proc/${pid}/fd/2`),
  };
}

/** Independent of this process. */
function startLike({ words, env, cwd, out, err }: Model, executable: string): Bun.Subprocess {
  const child = Bun.spawn([executable, ...words], {
    ...{ cwd, env, stdin: "ignore", detached: true },
    stdout: out ?? "ignore",
    stderr: err ?? "ignore",
  });
  child.unref();
  return child;
}

/** A process that ignores the signal is killed. */
function end(pid: number, clock: Clock): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    return;
  }
  const until = clock.monotonic() + END_LIMIT_MS;
  const look = (): void => {
    try {
      process.kill(pid, clock.monotonic() > until ? "SIGKILL" : 0);
      if (clock.monotonic() < until) clock.setTimer(END_POLL_MS, look);
    } catch {
      // It has ended.
    }
  };
  clock.setTimer(END_POLL_MS, look);
}

/** Null: it cannot be opened again; a socket, for example. */
function openLike(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return null;
  }
}

/** The process that holds the lock on a file; null if none does, or where the system does not tell. */
export function findLockHolder(path: string): number | null {
  if (process.platform !== "linux" || !existsSync(path)) return null;
  const { ino } = statSync(path, { bigint: true });
  for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
    // The device is not compared: on some file systems the kernel names another one here.
    const [, , , access, pid, place] = line.trim().split(/\s+/);
    if (access === "WRITE" && place?.endsWith(`:${ino}`) && hasOpen(Number(pid), path)) return Number(pid);
  }
  return null;
}

/** Whether a process runs this file, under whichever name. */
export function runsFile(pid: number, inode: string): boolean {
  return String(statSync(`/proc/${pid}/exe`, { bigint: true, throwIfNoEntry: false })?.ino) === inode;
}

function hasOpen(pid: number, path: string): boolean {
  const real = realpathSync(path);
  try {
    return readdirSync(`/proc/${pid}/fd`).some((handle) => linkOf(`/proc/${pid}/fd/${handle}`) === real);
  } catch {
    return false;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
