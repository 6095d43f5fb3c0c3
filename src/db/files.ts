/**
 * The paths of the database and its companion files, and their permissions: directories 0700, files 0600. When it runs
 * as root, the process switches to the owner of the data directory before it calls this module (`cli/become-owner.ts`);
 * files it creates as root in another user's directory are given to that user.
 */
import { chmodSync, closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface DatabaseFiles {
  /** The database itself. SQLite keeps `-wal` and `-shm` next to it. */
  database: string;
  /** Held exclusively by the running server. */
  serverLock: string;
  /** Held shared by commands that write, so that the file is not replaced while they run. */
  commandLock: string;
}

export function databaseFiles(database: string): DatabaseFiles {
  return { database, serverLock: `${database}.server-lock`, commandLock: `${database}.command-lock` };
}

/** Creates the directory, mode 0700, and any missing parents. Does nothing if it exists. */
export function createPrivateDirectory(path: string): void {
  if (existsSync(path)) {
    // Throws for a file.
    statSync(`${path}/.`);
    return;
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  inheritOwner(dirname(path), path);
}

/**
 * Creates an empty file, mode 0600, if none exists, so that SQLite never creates one that is briefly readable by
 * others. SQLite's companion files inherit its mode. An existing file is not opened, because closing it would drop
 * SQLite's locks. Returns true if this call created the file; if creation fails, the error is reported when the file is
 * opened next.
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

/** Sets the files' mode to 0600; as root, also gives them to their directory's owner. Skips files that do not exist. */
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
  // Changes the owner of the entry itself; never follows a symbolic link.
  if (owner.uid !== 0) lchownSync(path, owner.uid, owner.gid);
}

/** The token of the test control; the file exists while it is on. */
export function controlTokenFile(data: string): string {
  return join(data, "control.token");
}
