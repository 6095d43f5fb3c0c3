/**
 * How a command fails, with messages that name the next step. Either the command line itself is wrong (`UsageError`,
 * exit code 2) or the command cannot be carried out (exit code 1). `describeError` turns every other error into one
 * form.
 */

import { MoveInterrupted } from "#src/backup/move/move-in.ts";
import { MovedOut } from "#src/backup/move/original.ts";
import { ConfigError } from "#src/config/config.ts";
import { sentencesOf } from "#src/core/fault.ts";
import { SecretKeyUnusable } from "#src/core/key-file.ts";
import { Problem } from "#src/core/problem.ts";
import { SecretUnreadable } from "#src/core/secret.ts";
import { showControls, visible } from "#src/core/shown-text.ts";
import { DriverUnusable, LibraryMissing } from "#src/db/driver.ts";
import { isBusy, isStorageFailure, StorageUnavailable } from "#src/db/failure.ts";
import { LockHeld } from "#src/db/lock.ts";
import { NewerSchema, UnknownSchema } from "#src/db/migrate.ts";
import { describeForbidden, describeReadOnly, describeUnwritable } from "./unwritable.ts";

/** The command is valid but cannot be carried out. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly code: string;
  /** What to do about it; null if the message already says so. */
  readonly next: string | null;

  constructor(code: string, message: string, next: string | null = null) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

/** An error of this kind fails a command with this code; `says` may say more than its message does. */
export type FailureRule = readonly [
  kind: abstract new (...values: never[]) => Error,
  code: string,
  next: string | null,
  says?: (message: string) => string,
];

/** A file was to be made that exists. */
export function isFileThere(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

/** The first rule that fits counts. */
export async function failingAs<T>(rules: readonly FailureRule[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureBy(rules, error) ?? error;
  }
}

function failureBy(rules: readonly FailureRule[], error: unknown): CommandFailure | null {
  const [, code, next, says] = rules.find(([kind]) => error instanceof kind) ?? [];
  if (code === undefined || !(error instanceof Error)) return null;
  return new CommandFailure(code, says?.(error.message) ?? error.message, next ?? null);
}

/** The command that lists the existing items, by the noun in "There is no such …". */
const LIST_COMMANDS: Readonly<Record<string, string>> = {
  workspace: "waxwing workspace list",
  key: "waxwing key list",
  number: "waxwing number list",
  template: "waxwing template list --workspace ID",
  delivery: "waxwing delivery list --workspace ID",
};

const RULES: readonly FailureRule[] = [
  [ConfigError, "invalid_config", null],
  [SecretKeyUnusable, "secret_key_unusable", null],
  [SecretUnreadable, "secret_unreadable", "put back the key file that belongs to this database"],
  [LibraryMissing, "driver_unusable", "install it: libstdc++.so.6 is in the package libstdc++6 (Debian) or libstdc++"],
  [
    DriverUnusable,
    "driver_unusable",
    "set TMPDIR to a directory with free space whose file system allows programs to run (no noexec)",
  ],
  [MoveInterrupted, "move_interrupted", "run the same waxwing move in again, or delete that file"],
  [
    MovedOut,
    "moved_out",
    "if it runs there, keep this one from starting: systemctl disable --now waxwing; to reopen it as a copy, with its broadcasts held: waxwing move cancel",
  ],
  [NewerSchema, "newer_schema", null],
  [UnknownSchema, "unknown_schema", null],
  [LockHeld, "locked", "wait until that process has ended, then try again"],
];

/** Describes any error except `UsageError`. `bug`: one of ours, whose stack is worth a report. */
export function describeError(error: unknown) {
  const failure = asFailure(error);
  if (failure !== null) {
    const fields = error instanceof Problem ? error.details.fields : undefined;
    const { code, message, next } = failure;
    return { code, message, next, fields: fields === undefined ? null : sentencesOf(fields), bug: null };
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  const message = `internal error: ${bug.message}`;
  return { code: "internal_error", message, next: "report it with the lines below", fields: null, bug };
}

/** Null: a bug of ours. */
function asFailure(error: unknown): CommandFailure | null {
  if (error instanceof CommandFailure) return error;
  if (error instanceof Problem) return new CommandFailure(error.code, error.message, hintFor(error));
  const failure = failureBy(RULES, error);
  if (failure !== null) return failure;
  const unavailable = describeStorageError(error) ?? describeSystemError(error);
  return unavailable === null ? null : new CommandFailure("unavailable", unavailable.message, unavailable.next);
}

/** Null if the error is not a storage error. */
function describeStorageError(error: unknown): { message: string; next: string } | null {
  const cause = causeOf(error);
  if (!(error instanceof StorageUnavailable) && !isStorageFailure(error) && !isBusy(error)) return null;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `the database cannot be used: ${reason}`;
  const advice = "free space on the disk; nothing was changed";
  if (code.startsWith("SQLITE_FULL")) return { message, next: advice };
  // SQLite does not say so itself when the index of the log (32 KB) finds no room.
  if (code === "SQLITE_IOERR_SHMSIZE") return { message: `${message}: the disk is full`, next: advice };
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(code)) {
    const path = pathOf(cause);
    const advice = path === null ? null : describeUnwritable(path);
    if (advice !== null) return advice;
    return {
      message,
      next: "run this as the owner of the data directory (or as root), and check that the disk is writable",
    };
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { message, next: "restore a backup, or name another file" };
  if (isBusy(cause)) {
    return { message, next: "another process holds its lock: try again in a moment" };
  }
  return { message, next: "check the disk; nothing was changed" };
}

/** The driver's own error, which others may wrap. */
function causeOf(error: unknown): unknown {
  if (!(error instanceof Error) || "code" in error || error.cause === undefined) return error;
  return causeOf(error.cause);
}

function pathOf(error: unknown): string | null {
  const path = typeof error === "object" && error !== null && "path" in error ? error.path : null;
  return typeof path === "string" ? path : null;
}

/** Describes an error of the operating system, such as a file that may not be read. Null for any other error. */
function describeSystemError(error: unknown): { message: string; next: string } | null {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return null;
  const path = pathOf(error);
  switch (error.code) {
    case "EACCES":
    case "EPERM":
      if (path !== null) return describeForbidden(path, error.message);
      return { message: error.message, next: "run this as the owner of that file or directory, or as root" };
    case "ENOSPC":
    case "EDQUOT":
      return { message: error.message, next: "free space on the disk" };
    case "EROFS":
      if (path !== null) return describeReadOnly(path);
      return { message: error.message, next: "that disk is mounted read-only: make it writable again" };
    case "ENOENT":
    case "ENOTDIR":
    case "EISDIR":
      return { message: error.message, next: "correct the path, or create the missing directory" };
    default:
      return { message: error.message, next: "the operating system refused it; its error code comes first" };
  }
}

function hintFor({ message }: Problem): string | null {
  const noun = /^There is no such (\w+)\.$/.exec(message)?.[1];
  const command = noun === undefined ? undefined : LIST_COMMANDS[noun];
  return command === undefined ? null : `${command} shows the existing ones`;
}

/**
 * The lines to print, without the last line end. A field that matches one of `flags` is shown as that flag; any other
 * field is a path inside an input file.
 */
export function formatFailure(
  { code, message, next, fields, bug }: ReturnType<typeof describeError>,
  flags: readonly string[],
): string {
  // Only mistakes in the configuration have a line each; any other message may repeat a customer's text.
  const shown = code === "invalid_config" ? message.split("\n").map(visible).join("\n") : visible(message);
  const lines = [`waxwing: ${shown}`];
  for (const [path, problems] of Object.entries(fields ?? {})) {
    const flag = flags.find((known) => known === `--${path.replaceAll("_", "-")}`);
    // The sentence about a single wrong option names the option; one about a path inside a file does not.
    for (const problem of problems) {
      if (problem !== message || flag === undefined) lines.push(`  ${visible(flag ?? path)}: ${visible(problem)}`);
    }
  }
  if (next !== null) lines.push(`  next: ${visible(next)}`);
  if (bug?.stack !== undefined) lines.push(bug.stack);
  return showControls(lines.join("\n"));
}
