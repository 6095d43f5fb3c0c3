/**
 * What a server reports about the upgrade that it is part of, in a file beside the database: the service's user can write
 * there, and not beside the executable. `live` is the point of no return: a database that was live is never put back.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { replaceFile } from "#src/backup/files.ts";

/** `restored`: the old executable runs again. `failed`: the new one gave up; `message` says why. */
export const serverStates = ["starting", "ready", "live", "restored", "holding", "failed"] as const;

export interface ServerReport {
  /** Of the upgrade. */
  nonce: string;
  state: (typeof serverStates)[number];
  pid: number;
  version: string;
  /** The database before it was migrated; null as long as it is not. */
  keptDatabase: string | null;
  message: string | null;
}

const BYTES_MAX = 16_384;

export function reportPath(database: string): string {
  return `${database}.upgrade`;
}

/** On disk when it returns. */
export function writeReport(database: string, report: ServerReport): void {
  replaceFile(reportPath(database), JSON.stringify(report));
}

/** Null: there is none of this upgrade. Root calls it too: it follows no link and reads a few bytes of a plain file. */
export function readReport(database: string, nonce: string): ServerReport | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const handle = openSync(reportPath(database), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (!fstatSync(handle).isFile()) return null;
      const bytes = Buffer.alloc(BYTES_MAX);
      const length = readSync(handle, bytes, 0, BYTES_MAX, 0);
      const report = JSON.parse(bytes.toString("utf8", 0, length)) as ServerReport;
      return report.nonce === nonce && serverStates.includes(report.state) ? report : null;
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}
