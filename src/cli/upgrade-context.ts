/** What an upgrade needs of its surroundings: the journal, the running server, and commands of the other executable. */
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, readlinkSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { InsufficientSpace } from "#src/backup/files.ts";
import { type Clock, sleep } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import { databaseFiles } from "#src/db/files.ts";
import { LockHeld } from "#src/db/lock.ts";
import { NewerSchema } from "#src/db/migrate.ts";
import { Journal } from "#src/upgrade/journal.ts";
import { ReleaseUnreadable } from "#src/upgrade/release-source.ts";
import {
  findLockHolder,
  findSystemdService,
  RestartImpossible,
  restartBy,
  restartProcess,
  type Service,
} from "#src/upgrade/restart.ts";
import { readReport } from "#src/upgrade/server-report.ts";
import { ReleaseRefused } from "#src/upgrade/signed-release.ts";
import { UndoFailed, type UpgradeContext, UpgradeRunning, UpgradeUndone } from "#src/upgrade/upgrade.ts";
import type { Context } from "./context.ts";
import { CommandFailure, type FailureRule, failingAs } from "./failure.ts";
import { stepPrinter } from "./output.ts";
import { runWithJson } from "./process.ts";

const NONCE_LENGTH = 20;
const LOCKED_LIMIT_MS = 10_000;
const LOCKED_POLL_MS = 100;

export function upgradeContext(
  context: Context,
  executable: string,
  restartWith: string | undefined,
  readyLimitMs: number,
): UpgradeContext {
  const { io } = context;
  const journal = new Journal(executable);
  const database = resolve(context.loadConfig().storage.path);
  return {
    ...{ journal, database, readyLimitMs },
    service: restartWith === undefined ? findService(context, journal, database) : restartBy(restartWith),
    clock: io.clock,
    newNonce: () => randomText(io.random, NONCE_LENGTH),
    onStep: stepPrinter(context),
  };
}

/** Null: no server runs. */
function findService({ io }: Context, journal: Journal, database: string): Service | null {
  const { executable } = journal;
  const systemd = findSystemdService(executable);
  if (systemd !== null && process.getuid?.() !== 0) {
    throw new CommandFailure(
      "unavailable",
      "systemd runs the server, and only root may restart it",
      "run this with sudo",
    );
  }
  if (systemd !== null) return systemd;
  const { serverLock } = databaseFiles(database);
  const findPid = (): number | null => findLockHolder(serverLock) ?? findHolding(journal, database);
  const pid = findPid();
  if (pid === null) return null;
  const running = executableOf(pid);
  if (running !== executable && !running.startsWith(journal.directory)) {
    const message = `the server on this database (process ${pid}) runs ${running}, not ${executable}`;
    throw new CommandFailure("other_executable", message, `run this with ${running}`);
  }
  const owner = statSync(`/proc/${pid}`).uid;
  if (owner !== process.getuid?.()) {
    const message = `the server (process ${pid}) runs as user ${owner}, and nothing that this command knows supervises it`;
    throw new CommandFailure(
      "unavailable",
      message,
      "run this as that user, or name what restarts it with --restart-with",
    );
  }
  return restartProcess(executable, io.clock, findPid);
}

/** A server that leaves the database alone holds no lock. */
function findHolding(journal: Journal, database: string): number | null {
  const facts = journal.facts();
  const report = facts === null ? null : readReport(database, facts.nonce);
  if (report?.state !== "holding") return null;
  return executableOf(report.pid) === "" ? null : report.pid;
}

function executableOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

export function globalWords({ options }: Context): string[] {
  return [
    ...(options.config === undefined ? [] : ["--config", options.config]),
    ...(options.data === undefined ? [] : ["--data", options.data]),
  ];
}

export async function placeBuilt(built: string, path: string): Promise<void> {
  if (!existsSync(built))
    throw new CommandFailure("unreadable_file", `there is no file ${resolve(built)}`, "check the path");
  copyFileSync(built, path);
  chmodSync(path, 0o755);
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/** Runs a command of an executable with `--json`, and returns its answer. Throws its failure. */
export async function runChild(words: string[]): Promise<unknown> {
  const [executable = ""] = words;
  const { code, json, log } = await runWithJson(words).catch((error: unknown) => {
    throw unusable(executable, error instanceof Error ? error.message : String(error));
  });
  if (code === 0 && json !== null) return json;
  const failure = (json as { error?: { code: string; message: string; next?: string } } | null)?.error;
  if (failure === undefined) throw unusable(executable, log.trim().split("\n").at(-1) ?? `it ended with ${code}`);
  throw new CommandFailure(failure.code, failure.message, failure.next ?? null);
}

/**
 * Repeats what fails because a server holds the database: one that is ending has closed its files for every observer a moment
 * before the last of its threads lets go of the lock.
 */
export async function whileLocked<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const until = clock.monotonic() + LOCKED_LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLocked = error instanceof CommandFailure && error.code === "locked";
      if (!isLocked || clock.monotonic() >= until) throw error;
      await sleep(clock, LOCKED_POLL_MS);
    }
  }
}

function unusable(executable: string, reason: string): CommandFailure {
  return new CommandFailure("unusable", `${executable} does not run on this machine: ${reason}`, "nothing was changed");
}

const RULES: readonly FailureRule[] = [
  [
    ReleaseRefused,
    "refused",
    "get the release again from its publisher",
    (message) => `${message}; nothing was changed`,
  ],
  [ReleaseUnreadable, "unreadable", "nothing was changed"],
  [UpgradeRunning, "locked", "wait until it has ended"],
  [RestartImpossible, "unavailable", null],
  [UpgradeUndone, "undone", "the executable and the database from before are in use; its log says more"],
  [UndoFailed, "undo_failed", "start the server, and read its log"],
];

export function translatingUpgradeErrors<T>(work: () => Promise<T>): Promise<T> {
  return failingAs(RULES, work);
}

/** What a start on the database would fail with is not a bug of this program, but a reason to leave things as they are. */
export function translatingTryErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NewerSchema || error instanceof LockHeld || !(error instanceof Error)) throw error;
    if (error instanceof InsufficientSpace) {
      throw new CommandFailure("no_room", error.message, "free some space; nothing was changed");
    }
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
    const next = "nothing was changed; tell those who publish this version";
    throw new CommandFailure("try_failed", `on a copy of the database: ${error.message}${cause}`, next);
  }
}
