/**
 * Evaluates what needs an operator's attention in the server and its workspaces: since when, who is affected, and the
 * next step. Pure.
 */
import { resumesAutomatically } from "#src/domain/broadcasts/broadcast.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { ServerStatus } from "./status.ts";

interface HealthCondition {
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
      message: "The database is not writable.",
      since: null,
      hits: "Everyone: the server does not accept or send messages.",
      next: "Check whether the disk is full or read-only. The server continues automatically when it can write again.",
      command: diskCommand,
    });
  }
  if (disk !== null && disk.freeBytes < FREE_BYTES_MIN) {
    found.push({
      level: "problem",
      check: "disk",
      message: `The disk has ${megabytes(disk.freeBytes)} MB free.`,
      since: null,
      hits: "Everyone, when the disk is full: the server will not accept or send messages.",
      next: "Free up space or add a larger disk.",
      command: diskCommand,
    });
  } else if (disk !== null && disk.freeBytes < Math.max(FREE_BYTES_RECOMMENDED, 2 * database.bytes)) {
    found.push({
      level: "warning",
      check: "disk",
      message: `The disk has ${megabytes(disk.freeBytes)} MB free. An upgrade or a restore drill needs twice the size of the database.`,
      since: null,
      hits: null,
      next: "Free up space before the next upgrade.",
      command: diskCommand,
    });
  }
  if (commits.failures > 0) {
    found.push({
      level: "warning",
      check: "commit",
      message: `${commits.failures} commits failed since the server started.`,
      since: null,
      hits: "Requests at those times, which received an error. No partial changes were stored.",
      next: "Check the system log for disk errors.",
      command: "journalctl -k --since today",
    });
  }
  if (commits.count >= COMMITS_MIN && commits.p99 !== null && commits.p99 > COMMIT_SECONDS_MAX) {
    found.push({
      level: "warning",
      check: "commit",
      message: `1% of commits take longer than ${Math.round(commits.p99 * 1000)} ms.`,
      since: null,
      hits: "Everyone: each send waits for two commits.",
      next: "Check what else uses the disk. A commit on a local SSD takes a few milliseconds.",
      command: "iostat -x 5 3",
    });
  }
  if (database.walBytes > WAL_BYTES_MAX) {
    found.push({
      level: "warning",
      check: "log",
      message: `The database's write-ahead log has grown to ${megabytes(database.walBytes)} MB.`,
      since: null,
      hits: null,
      next: "A long-running reader keeps the log from shrinking. Check whether a backup or a database check hangs; otherwise restart the server.",
      command: null,
    });
  }
  return found;
}

const WORK_LABELS: Readonly<Record<string, string>> = {
  deliver_webhook: "Webhooks",
  expire_message: "Messages to expire",
  start_broadcast: "Broadcasts to start",
  review_broadcast: "Broadcasts to finish",
  sync_account: "Syncs with WhatsApp",
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
      hits: "Workspaces with pending work. The work is late, not lost.",
      next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
      command: "journalctl -u waxwing --since -1h",
    });
  }
  if (callbacksWaiting > CALLBACKS_MAX) {
    found.push({
      level: "warning",
      check: "callbacks",
      message: `${callbacksWaiting} callbacks of the network are stored but not applied yet.`,
      since: null,
      hits: "Everyone: statuses and incoming messages appear late.",
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
        message: `The last backup failed${verifiedAt === null ? ", and there is no verified backup" : ""}.`,
        since: failedAt,
        hits: "Everyone, if this disk fails.",
        next: "Check the server's log for the cause, then create a backup in Backups.",
        command: "journalctl -u waxwing --since -1d | grep -i backup",
      },
    ];
  }
  if (verifiedAt !== null && verifiedAt > at - BACKUP_AGE_MAX_MS) return [];
  return [
    {
      level: "warning",
      check: "backup",
      message: verifiedAt === null ? "There is no verified backup." : "The newest verified backup is too old.",
      since: verifiedAt,
      hits: "Everyone, if this disk fails.",
      next:
        schedule === null
          ? 'Create a backup in Backups, and set a schedule in the [backup] section of the configuration: schedule = "0 3 * * *".'
          : "Create a backup in Backups. The server creates the next one on schedule.",
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
      hits: `${name}: it can't send messages.`,
      next: "Resume it in Workspaces when the reason is resolved.",
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
      message: `${phone} can't send: ${unreadyReason ?? ""}`,
      since: null,
      hits: `${workspaceName(workspaceId, workspaces)}: sends from this number are rejected and its broadcasts are paused.`,
      next:
        unreadyBy === "person"
          ? "A user stopped sending from it. Set it to ready when the reason is resolved."
          : "See the setup check below for what the network requires.",
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
      message: `“${name}” is paused: ${statusReason ?? ""}`,
      since: null,
      hits: `${workspaceName(workspaceId, workspaces)}: recipients who have not been sent the message yet.`,
      next: "Resume or cancel it. It does not resume automatically.",
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
