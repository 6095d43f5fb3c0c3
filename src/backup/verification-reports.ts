/**
 * Lists the backups in a directory, each with its verification report. Reports are stored in a file in the same
 * directory, so that they stay with the backups. A report is valid only for the exact file that it was made for.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CheckFinding } from "#src/health/check.ts";
import type { VerificationResult } from "./backup.ts";
import { replaceFile, UNFINISHED } from "./files.ts";
import type { PreparedRestore } from "./restore.ts";

/** A completed restore drill. */
interface RestoreDrill extends PreparedRestore {
  /** When it ran, in milliseconds. */
  at: number;
  durationMs: number;
}

export interface VerificationReport extends VerificationResult {
  /** When it was verified, in milliseconds. */
  verifiedAt: number;
  restoreDrill: RestoreDrill | null;
}

export interface ListedBackup {
  name: string;
  bytes: number;
  /** When the file was finished, in milliseconds. */
  createdAt: number;
  /** Null: not verified, or the file has changed since. */
  verificationReport: VerificationReport | null;
}

const REPORTS_FILE = "verifications.json";
const NAME = /^[\w-][\w.-]*\.db$/;

interface StoredReport {
  bytes: number;
  createdAt: number;
  verificationReport: VerificationReport;
}

/** Whether a name may be a backup: it contains no path and does not mark an unfinished file. */
export function isBackupName(name: string): boolean {
  return NAME.test(name) && !name.includes(UNFINISHED);
}

/** The backups, newest first. Empty if the directory is missing or unreadable. */
export function listBackups(directory: string): ListedBackup[] {
  const stored = readVerificationReports(directory);
  return listNames(directory)
    .filter(isBackupName)
    .flatMap((name) => {
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      if (found === undefined || !found.isFile()) return [];
      const [bytes, createdAt] = [found.size, Math.round(found.mtimeMs)];
      const known = stored[name];
      const isSame = known !== undefined && known.bytes === bytes && known.createdAt === createdAt;
      return [{ name, bytes, createdAt, verificationReport: isSame ? known.verificationReport : null }];
    })
    .toSorted((a, b) => b.createdAt - a.createdAt || b.name.localeCompare(a.name));
}

/** Saves the report of a backup and drops the reports of files that are gone. */
export function saveVerificationReport(directory: string, name: string, verificationReport: VerificationReport): void {
  const listed = listBackups(directory);
  const stored = Object.fromEntries(
    listed.flatMap((one) => {
      const found = one.name === name ? verificationReport : one.verificationReport;
      return found === null
        ? []
        : [
            [
              one.name,
              { bytes: one.bytes, createdAt: one.createdAt, verificationReport: found } satisfies StoredReport,
            ],
          ];
    }),
  );
  replaceFile(join(directory, REPORTS_FILE), JSON.stringify(stored));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** An unreadable reports file counts as empty. */
function readVerificationReports(directory: string): Readonly<Record<string, StoredReport>> {
  try {
    return JSON.parse(readFileSync(join(directory, REPORTS_FILE), "utf8")) as Record<string, StoredReport>;
  } catch {
    return {};
  }
}

/** The findings that make a backup unsound. An older schema is not one of them, because a restore migrates it. */
export function faultsOf({ findings }: Pick<VerificationReport, "findings">): CheckFinding[] {
  return findings.filter(({ name }) => name !== "schema");
}

/** The time of the state in the newest sound backup of a directory, in milliseconds; null if there is none. */
export function lastSoundAt(directory: string): number | null {
  const times = listBackups(directory).flatMap(({ createdAt, verificationReport }) =>
    verificationReport === null || faultsOf(verificationReport).length > 0 ? [] : (verificationReport.at ?? createdAt),
  );
  return times.length === 0 ? null : Math.max(...times);
}
