/** What may be wrong with the server itself: its database, disk, commits, queues and configuration. */
import type { HealthFacts } from "./facts.ts";
import type { Found, Rule } from "./rule.ts";

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

const FILE_STATES: Readonly<Record<Exclude<HealthFacts["databaseFile"], "same">, (path: string) => string>> = {
  gone: (path) => `The database file ${path} is gone.`,
  replaced: (path) => `The database file ${path} was replaced while the server runs.`,
  log_gone: (path) => `The write-ahead log ${path}-wal is gone.`,
  log_replaced: (path) => `The write-ahead log ${path}-wal was replaced while the server runs.`,
};

const WORK_LABELS: Readonly<Record<string, string>> = {
  deliver_webhook: "Webhooks",
  end_deliveries: "Webhook deliveries to end",
  expire_message: "Messages to expire",
  end_snooze: "Snoozed conversations to open",
  resolve_block: "Blocks of people to check",
  start_broadcast: "Broadcasts to start",
  review_broadcast: "Broadcasts to finish",
  sync_account: "Syncs with WhatsApp",
  callbacks: "Callbacks of the network",
};

/** Scheduled messages wait for the pace of their number, or for a network in trouble, which is a condition of its own. */
const WAITING: readonly string[] = ["send_message"];

const LATE_WORK = {
  next: "See in Metrics whether it shrinks. If it does not, the server's log says why.",
  command: "journalctl -u waxwing --since -1h",
} as const;

export const serverRules = {
  database_file: {
    severity: "critical",
    check: "file",
    subject: "database",
    when: "the database file or its log is gone or was replaced while the server runs",
    hits: "Everyone: the server does not accept or send messages, because what it wrote would be lost.",
    next: "Move the very file back, and the server continues. Otherwise stop it, restore the newest backup, and start it again.",
    evaluate: ({ databaseFile, database: { path } }: FileFacts): Found | null =>
      databaseFile === "same" ? null : { says: FILE_STATES[databaseFile](path), command: `ls -l ${path}*` },
  },
  database_unreadable: {
    severity: "critical",
    check: "write",
    subject: "database",
    when: "the database cannot be read",
    hits: "Everyone.",
    next: "Check the disk and the server's log.",
    command: "journalctl -u waxwing --since -1h",
  },
  database_not_writable: {
    severity: "critical",
    check: "write",
    subject: "database",
    when: "a test write or a commit of the last minute failed",
    hits: "Everyone: the server does not accept or send messages.",
    next: "Check whether the disk is full or read-only. The server continues automatically when it can write again.",
    evaluate({ at, process, database, databaseFile }) {
      // A missing file is the reason.
      if (process === null || databaseFile !== "same") return null;
      const hasFailed = process.lastFailureAt !== null && at - process.lastFailureAt < FAILURE_LASTS_MS;
      if (process.isWritable && !hasFailed) return null;
      return { says: "The database is not writable.", command: `df -h ${database.path}` };
    },
  },
  disk_full: {
    severity: "critical",
    check: "disk",
    subject: "disk",
    when: "less than 250 MB are free where the database is",
    hits: "Everyone, when the disk is full: the server will not accept or send messages.",
    next: "Free up space or add a larger disk.",
    evaluate({ disk, database }) {
      if (disk === null || disk.freeBytes >= FREE_BYTES_MIN) return null;
      return { says: `The disk has ${megabytes(disk.freeBytes)} MB free.`, command: `df -h ${database.path}` };
    },
  },
  disk_low: {
    severity: "warning",
    check: "disk",
    subject: "disk",
    when: "less than 1 GB, or less than twice the size of the database, is free",
    next: "Free up space before the next upgrade.",
    evaluate({ disk, database }) {
      const recommended = Math.max(FREE_BYTES_RECOMMENDED, 2 * database.bytes);
      if (disk === null || disk.freeBytes < FREE_BYTES_MIN || disk.freeBytes >= recommended) return null;
      return {
        says: `The disk has ${megabytes(disk.freeBytes)} MB free. An upgrade or a restore drill needs twice the size of the database.`,
        command: `df -h ${database.path}`,
      };
    },
  },
  media_full: {
    severity: "warning",
    check: "disk",
    subject: "media",
    when: "received files wait for room: the quota of the media directory is used up",
    hits: "Everyone who is sent files: WhatsApp keeps a file for 7 days, then it is lost.",
    next: "Raise [media] quota_bytes, or set [retention] media so that old files are deleted.",
    evaluate({ mediaWaiting: { files, since } }) {
      if (since === null) return null;
      const says = `${files} received ${files === 1 ? "file waits" : "files wait"} for room: the quota of the media directory is used up.`;
      return { says, since };
    },
  },
  log_large: {
    severity: "warning",
    check: "log",
    subject: "database",
    when: "the write-ahead log is larger than 1 GB",
    next: "A long-running reader keeps the log from shrinking. Check whether a backup or a database check hangs; otherwise restart the server.",
    evaluate: ({ database: { walBytes } }) =>
      walBytes > WAL_BYTES_MAX ? `The database's write-ahead log has grown to ${megabytes(walBytes)} MB.` : null,
  },
  commits_failed: {
    severity: "warning",
    check: "commit",
    subject: "database",
    when: "a commit of the last hour failed",
    hits: "Requests at those times, which received an error. No partial changes were stored.",
    next: "Check the system log for disk errors.",
    command: "journalctl -k --since today",
    evaluate({ at, process }) {
      const failedAt = process?.lastFailureAt ?? null;
      if (process === null || failedAt === null || at - failedAt >= FAILURE_REMEMBERED_MS) return null;
      return `${process.commits.failures} commits failed since the server started, the last within the last hour.`;
    },
  },
  commits_slow: {
    severity: "warning",
    check: "commit",
    subject: "database",
    when: "1% of the commits of the last hour take longer than 250 ms",
    hits: "Everyone: each send waits for two commits.",
    next: "Check what else uses the disk. A commit on a local SSD takes a few milliseconds.",
    command: "iostat -x 5 3",
    evaluate({ process }) {
      const { count = 0, p99 = null } = process?.commits ?? {};
      if (count < COMMITS_MIN || p99 === null || p99 <= COMMIT_SECONDS_MAX) return null;
      return `1% of commits take longer than ${Math.round(p99 * 1000)} ms.`;
    },
  },
  queue_stuck: {
    severity: "critical",
    check: "queue",
    of: "KIND",
    when: "the oldest job of a kind, or the oldest callback, has been due for five minutes",
    hits: "Workspaces with pending work. The work is late, not lost.",
    ...LATE_WORK,
    evaluate: ({ at, outbox, callbacksWaiting, callbacksAgeSeconds }) =>
      [...outbox, { kind: "callbacks", rows: callbacksWaiting, ageSeconds: callbacksAgeSeconds }]
        .filter(({ kind, ageSeconds }) => ageSeconds >= WORK_LATENESS_MAX_SECONDS && !WAITING.includes(kind))
        .map(({ kind, rows, ageSeconds }) => ({
          of: kind,
          subject: `queue ${kind}`,
          says: `${WORK_LABELS[kind] ?? kind}: the oldest has been due for ${Math.round(ageSeconds / 60)} minutes; ${rows} are waiting.`,
          since: Math.round(at - ageSeconds * 1000),
        })),
  },
  callbacks_waiting: {
    severity: "warning",
    check: "callbacks",
    subject: "queue callbacks",
    when: "more than 10,000 callbacks are not applied yet",
    hits: "Everyone: statuses and incoming messages appear late.",
    ...LATE_WORK,
    evaluate: ({ callbacksWaiting, callbacksAgeSeconds }) =>
      callbacksWaiting > CALLBACKS_MAX && callbacksAgeSeconds < WORK_LATENESS_MAX_SECONDS
        ? `${callbacksWaiting} callbacks of the network are stored but not applied yet.`
        : null,
  },
  newer_version: {
    severity: "warning",
    check: "version",
    subject: "server",
    when: "`[upgrade] notice` is on, and there is a newer release",
    next: "Read what changed, and upgrade.",
    command: "sudo waxwing upgrade",
    evaluate({ process }) {
      const newer = process?.newerVersion ?? null;
      return newer === null ? null : `Waxwing ${newer} is available.`;
    },
  },
  alarms_off: {
    severity: "warning",
    check: "configuration",
    subject: "alarms",
    when: "`[alerts]` has neither `webhook` nor `email_to`, and does not say `none = true`",
    hits: "Everyone, when something fails at night.",
    next: "Set webhook or email_to in the [alerts] section of the configuration, or none = true if no alarm is wanted, and restart the server.",
    command: "waxwing alarm test",
    evaluate: ({ lacksAlarms }: Pick<HealthFacts, "lacksAlarms">): string | null =>
      lacksAlarms ? "No alarm is configured: no operator is told when something fails." : null,
  },
  alarm_undelivered: {
    severity: "warning",
    check: "alarm",
    of: "KIND",
    when: "an address of `[alerts]` does not answer",
    hits: "Everyone who relies on being told.",
    next: "Correct the address in the [alerts] section of the configuration, and restart the server.",
    command: "waxwing config check",
  },
} as const satisfies Record<string, Rule>;

interface FileFacts extends Pick<HealthFacts, "databaseFile"> {
  database: Pick<HealthFacts["database"], "path">;
}

function megabytes(bytes: number): string {
  return Math.round(bytes / MEGABYTE).toLocaleString("en");
}
