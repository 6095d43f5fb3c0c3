/**
 * Every kind of condition that there is, with what is the same for each of its kind. The id of a condition begins with its
 * kind, so none can exist that is not listed here: the page about operating repeats this list, and a test provokes each
 * critical kind.
 */

/** What was checked. */
export type Check =
  | "write"
  | "file"
  | "disk"
  | "commit"
  | "log"
  | "queue"
  | "callbacks"
  | "backup"
  | "certificate"
  | "workspace"
  | "number"
  | "balance"
  | "broadcast"
  | "connection"
  | "version"
  | "alarm"
  | "configuration";

interface Kind {
  /** `either`: a warning or critical. Of a connection: critical if a number cannot send, or Meta accepts nothing for it. */
  severity: "critical" | "warning" | "either";
  check: Check;
  /** What it is about, in words. Absent: it differs from one to the next. */
  subject?: string;
  /** What the id has after a colon. */
  of?: "ID" | "KIND";
  when: string;
}

export const conditionKinds = {
  database_not_writable: {
    severity: "critical",
    check: "write",
    subject: "database",
    when: "a test write or a commit of the last minute failed",
  },
  database_unreadable: {
    severity: "critical",
    check: "write",
    subject: "database",
    when: "the database cannot be read",
  },
  database_file: {
    severity: "critical",
    check: "file",
    subject: "database",
    when: "the database file or its log is gone or was replaced while the server runs",
  },
  queue_stuck: {
    severity: "critical",
    check: "queue",
    of: "KIND",
    when: "the oldest job of a kind, or the oldest callback, has been due for five minutes",
  },
  number_not_ready: { severity: "critical", check: "number", of: "ID", when: "a number cannot send" },
  number_restricted: { severity: "critical", check: "connection", of: "ID", when: "WhatsApp restricts a number" },
  backup_failed: {
    severity: "critical",
    check: "backup",
    subject: "backup",
    when: "the last backup failed, or copied a database that fails its check",
  },
  backup_old: {
    severity: "critical",
    check: "backup",
    subject: "backup",
    when: "the newest verified backup is older than twice the longest interval of the schedule",
  },
  remote_backup_failed: {
    severity: "either",
    check: "backup",
    subject: "off-site backup",
    when: "the newest backup could not be sent off-site; critical from the fourth attempt on",
  },
  remote_backup_old: {
    severity: "critical",
    check: "backup",
    subject: "off-site backup",
    when: "the newest backup off-site is older than twice the longest interval of the schedule",
  },
  disk_full: {
    severity: "critical",
    check: "disk",
    subject: "disk",
    when: "less than 250 MB are free where the database is",
  },
  certificate_ends: {
    severity: "critical",
    check: "certificate",
    subject: "certificate",
    when: "the server's certificate ends within seven days",
  },
  certificate_unreadable: {
    severity: "critical",
    check: "certificate",
    subject: "certificate",
    when: "the files of `tls_cert` and `tls_key` cannot be used",
  },
  certificate_missing: {
    severity: "critical",
    check: "certificate",
    when: "there is no valid certificate, and none could be fetched",
  },
  callbacks_refused: {
    severity: "critical",
    check: "connection",
    of: "ID",
    when: "callbacks of the last day have a wrong signature, and none was accepted since; or Meta does not accept the app secret",
  },
  balance_low: {
    severity: "critical",
    check: "balance",
    of: "ID",
    when: "a workspace's balance is below a day's use: the mean of the last seven days",
  },
  broadcast_paused: {
    severity: "critical",
    check: "broadcast",
    of: "ID",
    when: "a broadcast is paused and resumes only when a person decides; not if it was paused by hand",
  },
  connection: {
    severity: "either",
    check: "connection",
    of: "KIND",
    when: "what is wrong with the connection to WhatsApp, or of one number (`connection:KIND:ID`): see below",
  },
  certificate_not_renewed: {
    severity: "warning",
    check: "certificate",
    when: "the certificate could not be renewed; it is still valid",
  },
  backup_directory: {
    severity: "warning",
    check: "backup",
    subject: "backup",
    when: "backups could not be written to their directory now",
  },
  disk_low: {
    severity: "warning",
    check: "disk",
    subject: "disk",
    when: "less than 1 GB, or less than twice the size of the database, is free",
  },
  media_full: {
    severity: "warning",
    check: "disk",
    subject: "media",
    when: "received files wait for room: the quota of the media directory is used up",
  },
  newer_version: {
    severity: "warning",
    check: "version",
    subject: "server",
    when: "`[upgrade] notice` is on, and there is a newer release",
  },
  log_large: {
    severity: "warning",
    check: "log",
    subject: "database",
    when: "the write-ahead log is larger than 1 GB",
  },
  commits_failed: {
    severity: "warning",
    check: "commit",
    subject: "database",
    when: "a commit of the last hour failed",
  },
  commits_slow: {
    severity: "warning",
    check: "commit",
    subject: "database",
    when: "1% of the commits of the last hour take longer than 250 ms",
  },
  callbacks_waiting: {
    severity: "warning",
    check: "callbacks",
    subject: "queue callbacks",
    when: "more than 10,000 callbacks are not applied yet",
  },
  unlisted_refusals: {
    severity: "warning",
    check: "number",
    of: "ID",
    when: "the network refused a number's messages to ten consecutive people with a code that this version does not know",
  },
  service_allowance: {
    severity: "warning",
    check: "number",
    of: "ID",
    when: "a number has used 80% of the replies that Meta delivers free of charge in a month",
  },
  backup_off: {
    severity: "warning",
    check: "backup",
    subject: "backup",
    when: "scheduled backups are off, and no verified backup is younger than eight days",
  },
  workspace_suspended: { severity: "warning", check: "workspace", of: "ID", when: "a workspace is suspended" },
  alarms_off: {
    severity: "warning",
    check: "configuration",
    subject: "alarms",
    when: "`[alerts]` has neither `webhook` nor `email_to`, and does not say `none = true`",
  },
  alarm_undelivered: {
    severity: "warning",
    check: "alarm",
    of: "KIND",
    when: "an address of `[alerts]` does not answer",
  },
} as const satisfies Record<string, Kind>;

type ConditionKind = keyof typeof conditionKinds;

type KindsWith<Part> = {
  [Name in ConditionKind]: (typeof conditionKinds)[Name] extends Part ? Name : never;
}[ConditionKind];

/** Kinds of which there may be several carry what they are about behind a colon. */
export type ConditionId =
  | Exclude<ConditionKind, KindsWith<{ of: string }>>
  | `${KindsWith<{ of: string }>}:${string | number}`;

/** The kinds that may be critical. */
export type CriticalKind = KindsWith<{ severity: "critical" | "either" }>;

export const criticalKinds = (Object.keys(conditionKinds) as ConditionKind[]).filter(
  (kind): kind is CriticalKind => conditionKinds[kind].severity !== "warning",
);

export function kindOf(id: ConditionId): Kind {
  const [kind] = id.split(":");
  return conditionKinds[kind as ConditionKind];
}
