/**
 * Evaluates what needs an operator's attention in the server and its workspaces: since when, who is affected, and the
 * next step. Pure.
 */
import { resumesAutomatically } from "#src/domain/broadcasts/broadcast.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { ServerStatus } from "./status.ts";

export interface HealthCondition {
  level: "warning" | "problem";
  /** What was checked: `disk`, `outbox`, `backup` … */
  check: string;
  message: string;
  /** Milliseconds; null if unknown. */
  since: number | null;
  /** Who is affected; null if no one is yet. */
  hits: string | null;
  next: string;
  /** A command to copy; null if none helps. */
  command: string | null;
  /** Set for a condition of a workspace: its id, and the id of the number or broadcast. */
  workspaceId?: number;
  subjectId?: number;
}

/** The part of the workspaces' state that is evaluated. */
export interface WorkspaceState {
  workspaces: readonly Workspace[];
  numbers: readonly SendingNumber[];
  /** The paused broadcasts. */
  paused: readonly Broadcast[];
}

const MEGABYTE = 1e6;
const FREE_BYTES_MIN = 250 * MEGABYTE;
const FREE_BYTES_RECOMMENDED = 1_000 * MEGABYTE;
const WAL_BYTES_MAX = 1_000 * MEGABYTE;
const COMMIT_SECONDS_MAX = 0.25;
/** Below this many commits, the percentile is not meaningful: one slow moment could be one in a hundred. */
const COMMITS_MIN = 1_000;
const WORK_LATENESS_MAX_SECONDS = 300;
const CALLBACKS_MAX = 10_000;
/** Per kind (numbers, broadcasts); further conditions appear once these are resolved. */
const CONDITIONS_PER_KIND_MAX = 10;
const BACKUP_AGE_MAX_MS = 8 * 24 * 60 * 60_000;

/** Longest-standing first; conditions without a start time come last. */
export function evaluateHealth(status: ServerStatus, workspaceState: WorkspaceState): HealthCondition[] {
  const found = [
    ...evaluateDisk(status),
    ...evaluateOutbox(status),
    ...evaluateBackups(status),
    ...workspaceState.workspaces.flatMap(evaluateWorkspace),
    ...evaluateNumbers(workspaceState),
    ...evaluateBroadcasts(workspaceState),
  ];
  return found.toSorted((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity) || 0);
}

function evaluateDisk({ isWritable, disk, database, commits }: ServerStatus): HealthCondition[] {
  const found: HealthCondition[] = [];
  const diskCommand = `df -h ${database.path}`;
  if (!isWritable) {
    found.push({
      level: "problem",
      check: "write",
      message: "The database cannot be written.",
      since: null,
      hits: "Everybody: nothing is accepted and nothing is sent.",
      next: "See whether the disk is full or read-only. The server goes on by itself as soon as it can write.",
      command: diskCommand,
    });
  }
  if (disk !== null && disk.freeBytes < FREE_BYTES_MIN) {
    found.push({
      level: "problem",
      check: "disk",
      message: `The disk has ${megabytes(disk.freeBytes)} MB free.`,
      since: null,
      hits: "Everybody, once it is full: nothing is accepted and nothing is sent then.",
      next: "Make room, or give the server a larger disk.",
      command: diskCommand,
    });
  } else if (disk !== null && disk.freeBytes < Math.max(FREE_BYTES_RECOMMENDED, 2 * database.bytes)) {
    found.push({
      level: "warning",
      check: "disk",
      message: `The disk has ${megabytes(disk.freeBytes)} MB free; an upgrade or a rehearsed restore takes twice the database's size.`,
      since: null,
      hits: null,
      next: "Make room before the next upgrade.",
      command: diskCommand,
    });
  }
  if (commits.failures > 0) {
    found.push({
      level: "warning",
      check: "commit",
      message: `The disk refused ${commits.failures} commits since the server was started.`,
      since: null,
      hits: "Whoever asked at those moments was told so; nothing was half done.",
      next: "Look for the disk in the machine's log.",
      command: "journalctl -k --since today",
    });
  }
  if (commits.count >= COMMITS_MIN && commits.p99 !== null && commits.p99 > COMMIT_SECONDS_MAX) {
    found.push({
      level: "warning",
      check: "commit",
      message: `One commit in a hundred takes over ${Math.round(commits.p99 * 1000)} ms.`,
      since: null,
      hits: "Everybody: each send waits for the disk twice.",
      next: "See what else uses the disk; a local SSD takes a few milliseconds.",
      command: "iostat -x 5 3",
    });
  }
  if (database.walBytes > WAL_BYTES_MAX) {
    found.push({
      level: "warning",
      check: "log",
      message: `The database's log has grown to ${megabytes(database.walBytes)} MB.`,
      since: null,
      hits: null,
      next: "It shrinks when nobody reads for long: see whether a backup or a check hangs, and restart the server if nothing else helps.",
      command: null,
    });
  }
  return found;
}

const WORK_LABELS: Readonly<Record<string, string>> = {
  deliver_webhook: "Webhooks",
  expire_message: "Costs of messages",
  start_broadcast: "Starts of broadcasts",
  review_broadcast: "Ends of broadcasts",
  sync_account: "Comparisons with WhatsApp",
};

function evaluateOutbox({ at, outbox, callbacksWaiting }: ServerStatus): HealthCondition[] {
  const found: HealthCondition[] = [];
  for (const { kind, rows, ageSeconds } of outbox) {
    if (ageSeconds < WORK_LATENESS_MAX_SECONDS) continue;
    found.push({
      level: "warning",
      check: "outbox",
      message: `${WORK_LABELS[kind] ?? kind}: the oldest has been due for ${Math.round(ageSeconds / 60)} minutes; ${rows} are waiting.`,
      since: Math.round(at - ageSeconds * 1000),
      hits: "Those whose work it is; nothing is lost, it is late.",
      next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
      command: "journalctl -u waxwing --since -1h",
    });
  }
  if (callbacksWaiting > CALLBACKS_MAX) {
    found.push({
      level: "warning",
      check: "callbacks",
      message: `${callbacksWaiting} callbacks of the network are stored and not applied yet.`,
      since: null,
      hits: "Everybody: deliveries and what people write show up late.",
      next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
      command: "journalctl -u waxwing --since -1h",
    });
  }
  return found;
}

function evaluateBackups({ at, backup }: ServerStatus): HealthCondition[] {
  const { schedule, verifiedAt, failedAt } = backup;
  if (failedAt !== null) {
    return [
      {
        level: "problem",
        check: "backup",
        message: `The last backup failed${verifiedAt === null ? ", and there is no sound one" : ""}.`,
        since: failedAt,
        hits: "Everybody, the day this disk breaks.",
        next: "The server's log says why it failed; then make one in Backups.",
        command: "journalctl -u waxwing --since -1d | grep -i backup",
      },
    ];
  }
  if (verifiedAt !== null && verifiedAt > at - BACKUP_AGE_MAX_MS) return [];
  return [
    {
      level: "warning",
      check: "backup",
      message:
        verifiedAt === null ? "There is no backup that is known to be sound." : "The newest sound backup is old.",
      since: verifiedAt,
      hits: "Everybody, the day this disk breaks.",
      next:
        schedule === null
          ? 'Make one in Backups, and let the server make them by itself: schedule = "0 3 * * *" below [backup] in its configuration.'
          : "Make one in Backups; the server makes the next by itself.",
      command: null,
    },
  ];
}

function evaluateWorkspace({ id, name, suspendedAt, suspendedReason }: Workspace): HealthCondition[] {
  if (suspendedAt === null) return [];
  return [
    {
      level: "warning",
      check: "workspace",
      message: `${name} is suspended: ${suspendedReason ?? ""}`,
      since: suspendedAt,
      hits: `${name}: it sends nothing.`,
      next: "Resume it in Workspaces when the reason is gone.",
      command: `waxwing workspace resume ${id}`,
      workspaceId: id,
    },
  ];
}

function evaluateNumbers({ numbers, workspaces }: WorkspaceState): HealthCondition[] {
  return numbers
    .filter(({ ready }) => !ready)
    .slice(0, CONDITIONS_PER_KIND_MAX)
    .map(({ id, phone, workspaceId, unreadyBy, unreadyReason }) => ({
      level: unreadyBy === "person" ? "warning" : "problem",
      check: "number",
      message: `${phone} cannot send: ${unreadyReason ?? ""}`,
      since: null,
      hits: `${workspaceName(workspaceId, workspaces)}: sends from it are refused, its broadcasts rest.`,
      next:
        unreadyBy === "person"
          ? "Somebody stopped it here. Make it ready when the reason is gone."
          : "The set-up below says what the network wants.",
      command: unreadyBy === "person" ? `waxwing number ready ${id}` : "waxwing doctor",
      workspaceId,
      subjectId: id,
    }));
}

/** Skips broadcasts that resume automatically, and those paused by hand, whose operator knows about them. */
function evaluateBroadcasts({ paused, workspaces }: WorkspaceState): HealthCondition[] {
  return paused
    .filter(({ pauseCause }) => !resumesAutomatically(pauseCause) && pauseCause !== "manual")
    .slice(0, CONDITIONS_PER_KIND_MAX)
    .map(({ id, name, workspaceId, statusReason }) => ({
      level: "warning",
      check: "broadcast",
      message: `“${name}” rests: ${statusReason ?? ""}`,
      since: null,
      hits: `${workspaceName(workspaceId, workspaces)}: whoever it has not reached yet.`,
      next: "Look at it, then resume or cancel it: it does not go on by itself.",
      command: `waxwing broadcast show ${id}`,
      workspaceId,
      subjectId: id,
    }));
}

function workspaceName(id: number, workspaces: readonly Workspace[]): string {
  return workspaces.find((workspace) => workspace.id === id)?.name ?? String(id);
}

function megabytes(bytes: number): string {
  return Math.round(bytes / MEGABYTE).toLocaleString("en");
}
