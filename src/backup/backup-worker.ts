/**
 * The worker thread in which a running server makes, verifies, test-restores and sends backups and checks its database,
 * so that no request waits. It takes one request, posts a message before each step, and posts one outcome or error.
 */
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { newInstanceId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";
import { type CheckResult, checkDatabase } from "#src/health/check.ts";
import { verifyBackup } from "./backup.ts";
import { reading } from "./database-file.ts";
import { makeOwnBackup } from "./own-backup.ts";
import { type SendRequest, type SentBackup, sendBackup } from "./remote/send.ts";
import { runRestoreDrill } from "./restore.ts";
import { removeLeftovers } from "./rotation.ts";
import { faultsOf, listBackups, saveVerificationReport, type VerificationReport } from "./verification-reports.ts";

export type BackupJobRequest =
  /** `retention`: how many of the server's own backups to keep; null keeps all. */
  | { kind: "backup"; retention: number | null }
  | { kind: "verify"; name: string }
  | { kind: "drill"; name: string }
  | { kind: "check" }
  /** Sends a backup off-site. */
  | ({ kind: "send" } & Omit<SendRequest, "directory">);

export type WorkerRequest = BackupJobRequest & { database: string; directory: string; now: number };

export type BackupJobOutcome =
  | { kind: "backup"; name: string; bytes: number; verificationReport: VerificationReport; removed: string[] }
  | { kind: "verify"; name: string; verificationReport: VerificationReport }
  | { kind: "drill"; name: string; verificationReport: VerificationReport }
  | { kind: "check"; result: CheckResult }
  | { kind: "send"; name: string; sent: SentBackup };

export type WorkerResponse = { step: string } | { outcome: BackupJobOutcome } | { error: string };

declare const self: {
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
  postMessage(response: WorkerResponse): void;
};

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ outcome: await runJob(data) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};

const onStep = (step: string): void => self.postMessage({ step });

async function runJob(request: WorkerRequest): Promise<BackupJobOutcome> {
  const { kind, database, directory, now } = request;
  switch (kind) {
    case "backup": {
      removeLeftovers(directory);
      return { kind, ...makeOwnBackup({ database, directory, now, retention: request.retention, onStep }) };
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
    case "send": {
      // Waits of real sockets, beside a wall time that a test may have set.
      const startedAt = systemClock.monotonic();
      const clock = { ...systemClock, now: () => now + Math.round(systemClock.monotonic() - startedAt) };
      return { kind, name: request.name, sent: await sendBackup(request, { clock, onStep }) };
    }
  }
}

/** Checks the live database in slices, so that the WAL can be checkpointed in between. */
function check(database: string, now: number): CheckResult {
  const onPart = (part: string): void => onStep(`checking ${part}`);
  return reading(database, (client) => checkDatabase(client, { now, isExclusive: false, onStep: onPart }));
}
