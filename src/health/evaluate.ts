/**
 * Evaluates what needs a person's attention in the server: its disk, queues, backups and certificate. Pure;
 * `evaluate-workspaces.ts` does the same for what belongs to a workspace.
 */
import { alarmsOff } from "./alarm-channels.ts";
import { type Condition, condition } from "./conditions.ts";
import { evaluateBackups } from "./evaluate-backups.ts";
import { evaluateCertificate } from "./evaluate-certificate.ts";
import { evaluateWorkspaces } from "./evaluate-workspaces.ts";
import type { HealthFacts } from "./facts.ts";
import type { WorkspaceState } from "./workspace-state.ts";

const MEGABYTE = 1e6;
const FREE_BYTES_MIN = 250 * MEGABYTE;
const FREE_BYTES_RECOMMENDED = 1_000 * MEGABYTE;
const WAL_BYTES_MAX = 1_000 * MEGABYTE;
const COMMIT_SECONDS_MAX = 0.25;
/** Below this many commits, the percentile is not meaningful: one slow moment could be one in a hundred. */
const COMMITS_MIN = 1_000;
const MINUTE_MS = 60_000;
/** A failed commit counts as "not writable" for this long, because a test write may succeed where a larger one fails. */
const FAILURE_LASTS_MS = MINUTE_MS;
const FAILURE_REMEMBERED_MS = 60 * MINUTE_MS;
const WORK_LATENESS_MAX_SECONDS = 300;
const CALLBACKS_MAX = 10_000;

/** `workspaces` is null if they could not be read. */
export function evaluateHealth(facts: HealthFacts, workspaces: WorkspaceState | null): Condition[] {
  return [
    ...evaluateDatabase(facts),
    ...evaluateDisk(facts),
    ...evaluateCommits(facts),
    ...evaluateQueues(facts),
    ...evaluateBackups(facts.at, facts.backup),
    ...evaluateCertificate(facts.at, facts.certificate),
    ...evaluateVersion(facts),
    ...(facts.lacksAlarms ? [condition("alarms_off", alarmsOff)] : []),
    ...(workspaces === null ? [] : evaluateWorkspaces(workspaces)),
  ];
}

function evaluateVersion({ process }: HealthFacts): Condition[] {
  const newer = process?.newerVersion ?? null;
  if (newer === null) return [];
  return [
    condition("newer_version", {
      says: `Waxwing ${newer} is available.`,
      next: "Read what changed, and upgrade.",
      command: "sudo waxwing upgrade",
    }),
  ];
}

const FILE_STATES: Readonly<Record<Exclude<HealthFacts["databaseFile"], "same">, (path: string) => string>> = {
  gone: (path) => `The database file ${path} is gone.`,
  replaced: (path) => `The database file ${path} was replaced while the server runs.`,
  log_gone: (path) => `The write-ahead log ${path}-wal is gone.`,
  log_replaced: (path) => `The write-ahead log ${path}-wal was replaced while the server runs.`,
};

export function databaseFileCondition(state: HealthFacts["databaseFile"], path: string): Condition[] {
  if (state === "same") return [];
  return [
    condition("database_file", {
      says: FILE_STATES[state](path),
      hits: "Everyone: the server does not accept or send messages, because what it wrote would be lost.",
      next: "Move the very file back, and the server continues. Otherwise stop it, restore the newest backup, and start it again.",
      command: `ls -l ${path}*`,
    }),
  ];
}

function evaluateDatabase({ at, process, database, databaseFile }: HealthFacts): Condition[] {
  const found = databaseFileCondition(databaseFile, database.path);
  // The missing file is the reason.
  if (process === null || found.length > 0) return found;
  const hasFailed = process.lastFailureAt !== null && at - process.lastFailureAt < FAILURE_LASTS_MS;
  if (process.isWritable && !hasFailed) return found;
  found.push(
    condition("database_not_writable", {
      says: "The database is not writable.",
      hits: "Everyone: the server does not accept or send messages.",
      next: "Check whether the disk is full or read-only. The server continues automatically when it can write again.",
      command: `df -h ${database.path}`,
    }),
  );
  return found;
}

function evaluateDisk({ disk, database, mediaWaiting }: HealthFacts): Condition[] {
  const found: Condition[] = [];
  const command = `df -h ${database.path}`;
  if (disk !== null && disk.freeBytes < FREE_BYTES_MIN) {
    found.push(
      condition("disk_full", {
        says: `The disk has ${megabytes(disk.freeBytes)} MB free.`,
        hits: "Everyone, when the disk is full: the server will not accept or send messages.",
        next: "Free up space or add a larger disk.",
        command,
      }),
    );
  } else if (disk !== null && disk.freeBytes < Math.max(FREE_BYTES_RECOMMENDED, 2 * database.bytes)) {
    found.push(
      condition("disk_low", {
        says: `The disk has ${megabytes(disk.freeBytes)} MB free. An upgrade or a restore drill needs twice the size of the database.`,
        next: "Free up space before the next upgrade.",
        command,
      }),
    );
  }
  if (mediaWaiting.since !== null) {
    const { files, since } = mediaWaiting;
    found.push(
      condition("media_full", {
        says: `${files} received ${files === 1 ? "file waits" : "files wait"} for room: the quota of the media directory is used up.`,
        since,
        hits: "Everyone who is sent files: WhatsApp keeps a file for 7 days, then it is lost.",
        next: "Raise [media] quota_bytes, or set [retention] media so that old files are deleted.",
      }),
    );
  }
  if (database.walBytes > WAL_BYTES_MAX) {
    found.push(
      condition("log_large", {
        says: `The database's write-ahead log has grown to ${megabytes(database.walBytes)} MB.`,
        next: "A long-running reader keeps the log from shrinking. Check whether a backup or a database check hangs; otherwise restart the server.",
      }),
    );
  }
  return found;
}

function evaluateCommits({ at, process }: HealthFacts): Condition[] {
  if (process === null) return [];
  const found: Condition[] = [];
  const { commits, lastFailureAt } = process;
  if (lastFailureAt !== null && at - lastFailureAt < FAILURE_REMEMBERED_MS) {
    found.push(
      condition("commits_failed", {
        says: `${commits.failures} commits failed since the server started, the last within the last hour.`,
        hits: "Requests at those times, which received an error. No partial changes were stored.",
        next: "Check the system log for disk errors.",
        command: "journalctl -k --since today",
      }),
    );
  }
  if (commits.count >= COMMITS_MIN && commits.p99 !== null && commits.p99 > COMMIT_SECONDS_MAX) {
    found.push(
      condition("commits_slow", {
        says: `1% of commits take longer than ${Math.round(commits.p99 * 1000)} ms.`,
        hits: "Everyone: each send waits for two commits.",
        next: "Check what else uses the disk. A commit on a local SSD takes a few milliseconds.",
        command: "iostat -x 5 3",
      }),
    );
  }
  return found;
}

const WORK_LABELS: Readonly<Record<string, string>> = {
  deliver_webhook: "Webhooks",
  end_deliveries: "Webhook deliveries to end",
  expire_message: "Messages to expire",
  start_broadcast: "Broadcasts to start",
  review_broadcast: "Broadcasts to finish",
  sync_account: "Syncs with WhatsApp",
  callbacks: "Callbacks of the network",
};

function evaluateQueues({ at, outbox, callbacksWaiting, callbacksAgeSeconds }: HealthFacts): Condition[] {
  const queues = [...outbox, { kind: "callbacks", rows: callbacksWaiting, ageSeconds: callbacksAgeSeconds }];
  const found = queues
    .filter(({ ageSeconds }) => ageSeconds >= WORK_LATENESS_MAX_SECONDS)
    .map(
      ({ kind, rows, ageSeconds }): Condition =>
        condition(`queue_stuck:${kind}`, {
          subject: `queue ${kind}`,
          says: `${WORK_LABELS[kind] ?? kind}: the oldest has been due for ${Math.round(ageSeconds / 60)} minutes; ${rows} are waiting.`,
          since: Math.round(at - ageSeconds * 1000),
          hits: "Workspaces with pending work. The work is late, not lost.",
          next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
          command: "journalctl -u waxwing --since -1h",
        }),
    );
  if (callbacksWaiting <= CALLBACKS_MAX || callbacksAgeSeconds >= WORK_LATENESS_MAX_SECONDS) return found;
  return [
    ...found,
    condition("callbacks_waiting", {
      says: `${callbacksWaiting} callbacks of the network are stored but not applied yet.`,
      hits: "Everyone: statuses and incoming messages appear late.",
      next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
      command: "journalctl -u waxwing --since -1h",
    }),
  ];
}

function megabytes(bytes: number): string {
  return Math.round(bytes / MEGABYTE).toLocaleString("en");
}
