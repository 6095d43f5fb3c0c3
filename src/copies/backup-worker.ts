/** The thread in which the server backs itself up, so that no request waits for it: one order, one answer. */
import { type Backup, makeBackup } from "./backup.ts";
import { backupName, removeLeftovers, removeOldBackups } from "./keep.ts";

export interface BackupOrder {
  database: string;
  directory: string;
  keep: number;
  /** Milliseconds. */
  now: number;
}

export type BackupAnswer = { backup: Backup; removed: string[] } | { error: string };

declare const self: {
  onmessage: ((event: { data: BackupOrder }) => void) | null;
  postMessage(answer: BackupAnswer): void;
};

self.onmessage = ({ data: { database, directory, keep, now } }) => {
  try {
    removeLeftovers(directory);
    const backup = makeBackup(database, backupName(directory, now), now);
    self.postMessage({ backup, removed: removeOldBackups(directory, backup, keep) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
