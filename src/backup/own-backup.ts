/** Makes one of the server's own backups: in its directory, under a name with the time, with its verification report. */
import { basename } from "node:path";
import { makeBackup } from "./backup.ts";
import { backupName, removeOldBackups } from "./rotation.ts";
import { saveVerificationReport, type VerificationReport } from "./verification-reports.ts";

interface OwnBackup {
  name: string;
  bytes: number;
  verificationReport: VerificationReport;
  removed: string[];
}

interface OwnBackupOptions {
  database: string;
  directory: string;
  /** Milliseconds. */
  now: number;
  /** How many of the server's own backups to keep; null keeps all. */
  retention: number | null;
  onStep: (step: string) => void;
}

export function makeOwnBackup({ database, directory, now, retention, onStep }: OwnBackupOptions): OwnBackup {
  const { file, bytes, ...verification } = makeBackup(database, backupName(directory, now), now, onStep);
  const removed = retention === null ? [] : removeOldBackups(directory, { file, ...verification }, retention);
  const name = basename(file);
  const verificationReport = { ...verification, verifiedAt: now, restoreDrill: null };
  // The backup is complete and verified even if its report cannot be saved.
  try {
    saveVerificationReport(directory, name, verificationReport);
  } catch {}
  return { name, bytes, verificationReport, removed };
}
