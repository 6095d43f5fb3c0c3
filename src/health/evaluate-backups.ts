/** Evaluates the server's backups: on this machine, and off-site. Pure. */
import { type Condition, condition } from "./conditions.ts";
import type { BackupFacts } from "./facts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BACKUP_AGE_MAX_MS = 8 * DAY_MS;
/** From this failure on, a store that cannot be used is critical: some twenty minutes after the first. */
const REMOTE_ATTEMPTS = 4;

function unwritableDirectory({ schedule, directory, unwritable }: BackupFacts): Condition[] {
  if (schedule === null || unwritable === null) return [];
  return [
    condition("backup_directory", {
      says: `Backups cannot be written to ${directory}: ${unwritable}.`,
      hits: "Everyone, if this disk fails.",
      next: "Make the directory writable for the service (ReadWritePaths= in a drop-in), or set [backup] directory.",
      command: "waxwing config check",
    }),
  ];
}

export function evaluateBackups(at: number, backup: BackupFacts): Condition[] {
  return [...evaluateLocal(at, backup), ...evaluateRemote(at, backup)];
}

function evaluateLocal(at: number, backup: BackupFacts): Condition[] {
  const { schedule, intervalMs, awaitedSince, verifiedAt, failedAt } = backup;
  const found: Condition[] = [];
  if (failedAt !== null) {
    found.push(
      condition("backup_failed", {
        says: `The last backup failed${verifiedAt === null ? ", and there is no verified backup" : ""}.`,
        since: failedAt,
        hits: "Everyone, if this disk fails.",
        next: "Check the server's log for the cause, then create a backup in Backups.",
        command: "journalctl -u waxwing --since -1d | grep -i backup",
      }),
    );
  }
  found.push(...unwritableDirectory(backup));
  if (schedule === null) {
    if (found.length > 0 || (verifiedAt !== null && verifiedAt > at - BACKUP_AGE_MAX_MS)) return found;
    found.push(
      condition("backup_off", {
        says:
          verifiedAt === null
            ? "Scheduled backups are off, and there is no verified backup."
            : "Scheduled backups are off, and the newest verified backup is older than a week.",
        since: verifiedAt,
        hits: "Everyone, if this disk fails.",
        next: 'Create a backup in Backups, or set a schedule in the [backup] section of the configuration: schedule = "30 2 * * *".',
      }),
    );
    return found;
  }
  const from = verifiedAt ?? awaitedSince;
  if (intervalMs !== null && from !== null && at - from > 2 * intervalMs) {
    found.push(
      condition("backup_old", {
        says:
          verifiedAt === null
            ? "There is no verified backup, although two should have been made."
            : `The newest verified backup is ${Math.round((at - from) / (60 * MINUTE_MS))} hours old, more than twice the interval of the schedule.`,
        since: from + 2 * intervalMs,
        hits: "Everyone, if this disk fails.",
        next: "Create a backup in Backups. If that fails, the server's log says why.",
        command: "journalctl -u waxwing --since -2d | grep -i backup",
      }),
    );
  }
  return found;
}

function evaluateRemote(at: number, { remote, intervalMs }: BackupFacts): Condition[] {
  if (remote === null) return [];
  const { place, provedAt, awaitedSince, failure } = remote;
  const found: Condition[] = [];
  if (failure !== null) {
    const { since, attempts, reason } = failure;
    found.push(
      condition("remote_backup_failed", {
        // The first attempts are a few minutes apart: a store that was away for a moment is a warning.
        severity: attempts >= REMOTE_ATTEMPTS ? "critical" : "warning",
        says: `The newest backup could not be sent to ${place}: ${reason}.`,
        since,
        hits: "Everyone, if this machine is lost.",
        next: "The server tries again. Check what the [backup.remote] section names, then send one now.",
        command: "waxwing config check",
      }),
    );
  }
  const from = provedAt ?? awaitedSince;
  if (intervalMs !== null && from !== null && at - from > 2 * intervalMs) {
    found.push(
      condition("remote_backup_old", {
        says:
          provedAt === null
            ? `There is no backup in ${place}, although two should have been sent.`
            : `The newest backup in ${place} is ${Math.round((at - from) / (60 * MINUTE_MS))} hours old, more than twice the interval of the schedule.`,
        since: from + 2 * intervalMs,
        hits: "Everyone, if this machine is lost.",
        next: "Send one now. If that fails, the command says why.",
        command: "waxwing backup send",
      }),
    );
  }
  return found;
}
