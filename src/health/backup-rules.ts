/** What may be wrong with the server's backups: on this machine, and off-site. */
import type { BackupFacts } from "./facts.ts";
import type { Rule } from "./rule.ts";

const HOUR_MS = 60 * 60_000;
const BACKUP_AGE_MAX_MS = 8 * 24 * HOUR_MS;
/** From this failure on, a store that cannot be used is critical: some twenty minutes after the first. */
const REMOTE_ATTEMPTS = 4;

const ON_DISK = { check: "backup", subject: "backup", hits: "Everyone, if this disk fails." } as const;
const OFF_SITE = { check: "backup", subject: "off-site backup", hits: "Everyone, if this machine is lost." } as const;

export const backupRules = {
  backup_failed: {
    ...ON_DISK,
    severity: "critical",
    when: "the last backup failed, or copied a database that fails its check",
    next: "Check the server's log for the cause, then create a backup in Backups.",
    command: "journalctl -u waxwing --since -1d | grep -i backup",
    evaluate({ backup: { failedAt, verifiedAt } }) {
      if (failedAt === null) return null;
      const says = `The last backup failed${verifiedAt === null ? ", and there is no verified backup" : ""}.`;
      return { says, since: failedAt };
    },
  },
  backup_directory: {
    ...ON_DISK,
    severity: "warning",
    when: "backups could not be written to their directory now",
    next: "Make the directory writable for the service (ReadWritePaths= in a drop-in), or set [backup] directory.",
    command: "waxwing config check",
    evaluate: ({ backup: { schedule, directory, unwritable } }) =>
      schedule === null || unwritable === null ? null : `Backups cannot be written to ${directory}: ${unwritable}.`,
  },
  backup_off: {
    ...ON_DISK,
    severity: "warning",
    when: "scheduled backups are off, and no verified backup is younger than eight days",
    next: 'Create a backup in Backups, or set a schedule in the [backup] section of the configuration: schedule = "30 2 * * *".',
    evaluate({ at, backup: { schedule, failedAt, verifiedAt } }) {
      if (schedule !== null || failedAt !== null) return null;
      if (verifiedAt !== null && verifiedAt > at - BACKUP_AGE_MAX_MS) return null;
      const what =
        verifiedAt === null ? "there is no verified backup" : "the newest verified backup is older than a week";
      return { says: `Scheduled backups are off, and ${what}.`, since: verifiedAt };
    },
  },
  backup_old: {
    ...ON_DISK,
    severity: "critical",
    when: "the newest verified backup is older than twice the longest interval of the schedule",
    next: "Create a backup in Backups. If that fails, the server's log says why.",
    command: "journalctl -u waxwing --since -2d | grep -i backup",
    evaluate({ at, backup: { schedule, intervalMs, verifiedAt, awaitedSince } }) {
      const since = schedule === null ? null : lateSince(at, intervalMs, verifiedAt ?? awaitedSince);
      if (since === null) return null;
      const says =
        verifiedAt === null
          ? "There is no verified backup, although two should have been made."
          : `The newest verified backup is ${hoursSince(at, verifiedAt)} hours old, more than twice the interval of the schedule.`;
      return { says, since };
    },
  },
  remote_backup_failed: {
    ...OFF_SITE,
    severity: "either",
    when: "the newest backup could not be sent off-site; critical from the fourth attempt on",
    next: "The server tries again. Check what the [backup.remote] section names, then send one now.",
    command: "waxwing config check",
    evaluate({ backup: { remote } }) {
      if (remote === null || remote.failure === null) return null;
      const { since, attempts, reason } = remote.failure;
      return {
        // The first attempts are a few minutes apart: a store that was away for a moment is a warning.
        severity: attempts >= REMOTE_ATTEMPTS ? "critical" : "warning",
        says: `The newest backup could not be sent to ${remote.place}: ${reason}.`,
        since,
      };
    },
  },
  remote_backup_old: {
    ...OFF_SITE,
    severity: "critical",
    when: "the newest backup off-site is older than twice the longest interval of the schedule",
    next: "Send one now. If that fails, the command says why.",
    command: "waxwing backup send",
    evaluate({ at, backup: { remote, intervalMs } }) {
      const { place = "", provedAt = null, awaitedSince = null } = remote ?? {};
      const since = lateSince(at, intervalMs, provedAt ?? awaitedSince);
      if (since === null) return null;
      const says =
        provedAt === null
          ? `There is no backup in ${place}, although two should have been sent.`
          : `The newest backup in ${place} is ${hoursSince(at, provedAt)} hours old, more than twice the interval of the schedule.`;
      return { says, since };
    },
  },
} as const satisfies Record<string, Rule>;

/** Since when the next backup after one of `from` is late; null: it is not. */
function lateSince(at: number, intervalMs: BackupFacts["intervalMs"], from: number | null): number | null {
  if (intervalMs === null || from === null || at - from <= 2 * intervalMs) return null;
  return from + 2 * intervalMs;
}

function hoursSince(at: number, from: number): number {
  return Math.round((at - from) / HOUR_MS);
}
