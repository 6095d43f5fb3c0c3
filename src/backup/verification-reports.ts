/**
 * What is known of the backups in a directory: which there are, and what each was proven to hold. Proofs lie in a file
 * beside the backups, so that they are there for whoever finds these; one counts only for the very file that it was made
 * for.
 */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFile } from "#src/db/files.ts";
import type { CheckFinding } from "#src/health/check.ts";
import type { VerificationResult } from "./backup.ts";
import { syncFile, UNFINISHED } from "./files.ts";
import type { PreparedRestore } from "./restore.ts";

/** A restore that was rehearsed. */
export interface RestoreDrill extends PreparedRestore {
  /** When, milliseconds. */
  at: number;
  durationMs: number;
}

export interface VerificationReport extends VerificationResult {
  /** When it was looked over, milliseconds. */
  verifiedAt: number;
  restoreDrill: RestoreDrill | null;
}

export interface ListedBackup {
  name: string;
  bytes: number;
  /** When the file was finished, milliseconds. */
  createdAt: number;
  /** Null: nobody has looked it over, or it is another file by now. */
  verificationReport: VerificationReport | null;
}

const REPORTS_FILE = "proofs.json";
const NAME = /^[\w-][\w.-]*\.db$/;

interface StoredReport {
  bytes: number;
  createdAt: number;
  verificationReport: VerificationReport;
}

/** A name that may be in a backups' directory: nothing that leads out of it, and nothing unfinished. */
export function isBackupName(name: string): boolean {
  return NAME.test(name) && !name.includes(UNFINISHED);
}

/** The newest first. A directory that is not there, or cannot be read, holds none. */
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

/** Keeps what was found out about a file; what is kept of files that are gone goes. */
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
  const path = join(directory, REPORTS_FILE);
  const unfinished = `${path}${UNFINISHED}`;
  createPrivateFile(unfinished);
  writeFileSync(unfinished, JSON.stringify(stored));
  syncFile(unfinished);
  renameSync(unfinished, path);
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** One that cannot be read proves nothing. */
function readVerificationReports(directory: string): Readonly<Record<string, StoredReport>> {
  try {
    return JSON.parse(readFileSync(join(directory, REPORTS_FILE), "utf8")) as Record<string, StoredReport>;
  } catch {
    return {};
  }
}

/** Not right as it is: of an older schema it is right, for a restore brings it up to date. */
export function faultsOf({ findings }: Pick<VerificationReport, "findings">): CheckFinding[] {
  return findings.filter(({ name }) => name !== "schema");
}
