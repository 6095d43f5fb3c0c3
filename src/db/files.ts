/**
 * Where the database and its companions lie, and who may read them: directories 0700, files 0600. Root
 * becomes the owner of the data directory before it comes here (`cli/become-owner.ts`); what it makes in another
 * directory that is not its own is handed to that one's owner.
 */
import { chmodSync, closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface DatabaseFiles {
  /** The database itself; SQLite keeps `-wal` and `-shm` beside it. */
  database: string;
  /** Held exclusively by the running server. */
  serverLock: string;
  /** Held shared by commands that write, so that nobody swaps the file under them. */
  commandLock: string;
}

export function databaseFiles(database: string): DatabaseFiles {
  return { database, serverLock: `${database}.server-lock`, commandLock: `${database}.command-lock` };
}

/** Makes the directory (and its parents) if it is missing; the directory itself only for its owner. */
export function createPrivateDirectory(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  inheritOwner(dirname(path), path);
}

/**
 * Makes an empty file for its owner alone where there is none, so that SQLite never makes one that others may read for
 * a moment; its companions take their mode from it. A file that is there is not opened: closing it would drop SQLite's
 * locks. Where none can be made, whoever opens it next says why. True where this call made it.
 */
export function createPrivateFile(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    return false;
  }
  inheritOwner(dirname(path), path);
  return true;
}

/** Takes every right from everybody but the owner. Files that do not exist (yet) are left out. */
export function makePrivate(...paths: string[]): void {
  for (const path of paths) {
    if (!existsSync(path)) continue;
    chmodSync(path, 0o600);
    inheritOwner(dirname(path), path);
  }
}

function inheritOwner(directory: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(directory);
  // The name itself, never what a link under it leads to.
  if (owner.uid !== 0) lchownSync(path, owner.uid, owner.gid);
}
