/**
 * The `waxwing dev` processes of this user: each leaves what it printed in a private directory while it runs, so that
 * `listen`, `trigger` and `tail` find it without an option.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../context.ts";

export interface RunningDev {
  /** Of the API: `http://127.0.0.1:8080/api/v1`. */
  base_url: string;
  api_key: string;
  workspace_id: number;
  number: string | null;
  control_url: string;
  control_token: string;
  data: string;
}

/** Announces a dev until the process ends. Does nothing if the directory is not this user's alone. */
export function announceDev(io: Io, dev: RunningDev): void {
  const directory = directoryOf(io);
  const file = join(directory, `${process.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isPrivate(directory)) return;
    writeFileSync(file, JSON.stringify(dev), { mode: 0o600 });
  } catch {
    // Without it, the other commands need options with the address and the key.
    return;
  }
  io.onExit(() => rmSync(file, { force: true }));
}

/** The announced ones whose process still runs. */
export function listRunningDevs(io: Io): RunningDev[] {
  const directory = directoryOf(io);
  try {
    if (!isPrivate(directory)) return [];
    return readdirSync(directory).flatMap((name) => {
      const file = join(directory, name);
      if (isRunning(Number.parseInt(name, 10))) return [JSON.parse(readFileSync(file, "utf8")) as RunningDev];
      rmSync(file, { force: true });
      return [];
    });
  } catch {
    return [];
  }
}

function directoryOf({ env }: Io): string {
  return join(env.XDG_RUNTIME_DIR ?? tmpdir(), `waxwing-dev-${process.getuid?.() ?? 0}`);
}

/** Another user could have made a directory of this name, to read keys or to hand out wrong addresses. */
function isPrivate(directory: string): boolean {
  const { uid, mode } = lstatSync(directory);
  const isDirectory = lstatSync(directory).isDirectory();
  return isDirectory && uid === process.getuid?.() && (mode & 0o077) === 0;
}

/** Whether there is such a process. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
