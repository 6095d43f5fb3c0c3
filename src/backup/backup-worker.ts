/**
 * The worker thread in which a running server makes, verifies and test-restores backups and checks its database, so
 * that no request waits. It takes one request, posts a message before each step, and posts one outcome or error.
 */
import { basename, join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { newInstanceId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";
import { openClient } from "#src/db/driver.ts";
import { type CheckResult, checkDatabase } from "#src/health/check.ts";
import { makeBackup, verifyBackup } from "./backup.ts";
import { runRestoreDrill } from "./restore.ts";
import { backupName, removeLeftovers, removeOldBackups } from "./rotation.ts";
import { faultsOf, listBackups, saveVerificationReport, type VerificationReport } from "./verification-reports.ts";

export type BackupJobRequest =
  /** `retention`: how many of the server's own backups to keep; null keeps all. */
  | { kind: "backup"; retention: number | null }
  | { kind: "verify"; name: string }
  | { kind: "drill"; name: string }
  | { kind: "check" };

export type WorkerRequest = BackupJobRequest & { database: string; directory: string; now: number };

export type BackupJobOutcome =
  | { kind: "backup"; name: string; bytes: number; verificationReport: VerificationReport; removed: string[] }
  | { kind: "verify"; name: string; verificationReport: VerificationReport }
  | { kind: "drill"; name: string; verificationReport: VerificationReport }
  | { kind: "check"; result: CheckResult };

export type WorkerResponse = { step: string } | { outcome: BackupJobOutcome } | { error: string };

declare const self: {
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
  postMessage(response: WorkerResponse): void;
};

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ outcome: runJob(data) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};

const onStep = (step: string): void => self.postMessage({ step });

function runJob(request: WorkerRequest): BackupJobOutcome {
  const { kind, database, directory, now } = request;
  switch (kind) {
    case "backup": {
      removeLeftovers(directory);
      const { file, bytes, ...verification } = makeBackup(database, backupName(directory, now), now, onStep);
      const removed =
        request.retention === null ? [] : removeOldBackups(directory, { file, ...verification }, request.retention);
      const name = basename(file);
      const verificationReport = { ...verification, verifiedAt: now, restoreDrill: null };
      // The backup is complete and verified even if its report cannot be saved.
      try {
        saveVerificationReport(directory, name, verificationReport);
      } catch {}
      return { kind, name, bytes, verificationReport, removed };
    }
    case "verify": {
      const { name } = request;
      const verification = verifyBackup(join(directory, name), now, onStep);
      const restoreDrill =
        listBackups(directory).find((one) => one.name === name)?.verificationReport?.restoreDrill ?? null;
      const verificationReport = { ...verification, verifiedAt: now, restoreDrill };
      saveVerificationReport(directory, name, verificationReport);
      return { kind, name, verificationReport };
    }
    case "drill": {
      const { name } = request;
      const file = join(directory, name);
      const startedAt = systemClock.monotonic();
      const verification = verifyBackup(file, now, onStep);
      const verificationReport: VerificationReport = { ...verification, verifiedAt: now, restoreDrill: null };
      // Do not restore a damaged backup: finding the damage is the result of the drill.
      if (faultsOf(verificationReport).length === 0) {
        const prepared = runRestoreDrill(file, database, {
          now,
          onStep,
          newInstanceId: () => newInstanceId(systemRandom),
        });
        verificationReport.restoreDrill = {
          ...prepared,
          at: now,
          durationMs: Math.round(systemClock.monotonic() - startedAt),
        };
      }
      saveVerificationReport(directory, name, verificationReport);
      return { kind, name, verificationReport };
    }
    case "check":
      return { kind, result: check(database, now) };
  }
}

/** Checks the live database in slices, so that the WAL can be checkpointed in between. */
function check(database: string, now: number): CheckResult {
  const client = openClient(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    return checkDatabase(client, { now, isExclusive: false, onStep: (part) => onStep(`checking ${part}`) });
  } finally {
    client.close();
  }
}
