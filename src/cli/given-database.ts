/**
 * Databases named on a command line. A file that only root could open is read from a copy, because the process has
 * become another user.
 */
import { closeSync, fstatSync, openSync, rmSync } from "node:fs";
import { DIGEST } from "#src/backup/digest.ts";
import { removeDatabase, UNFINISHED } from "#src/backup/files.ts";
import { copyFromOpened } from "#src/backup/opened.ts";
import type { Context } from "./context.ts";
import { fileExists } from "./database.ts";
import type { FileUse } from "./named-files.ts";

const LOG = "-wal";

/** For declaring an option or positional that names a database file. */
export const databaseFile: FileUse = { as: "read", beside: { [LOG]: "read", [DIGEST]: "read" } };

export function isGivenThere({ files }: Context, path: string): boolean {
  return files.isThere(path) ?? fileExists(path);
}

/** Calls `work` with a path that this process may read: `path` itself, or a temporary copy. */
export async function withGivenDatabase<T>(
  context: Context,
  path: string,
  work: (path: string) => T | Promise<T>,
): Promise<T> {
  const { files } = context;
  const handle = files.handleOf(path);
  if (handle === null || isWithinReach(path, handle)) return work(path);
  // Next to the database: the next start of the server removes a copy left by a killed process.
  const copy = `${context.loadConfig().storage.path}${UNFINISHED}-given-${process.pid}`;
  try {
    copyFromOpened(handle, copy);
    const log = files.handleOf(path + LOG);
    if (log !== null) copyFromOpened(log, copy + LOG);
    const digest = files.handleOf(path + DIGEST);
    if (digest !== null) copyFromOpened(digest, copy + DIGEST);
    return await work(copy);
  } finally {
    removeDatabase(copy);
    rmSync(copy + DIGEST, { force: true });
  }
}

function isWithinReach(path: string, handle: number): boolean {
  try {
    const again = openSync(path, "r");
    const [one, other] = [fstatSync(again), fstatSync(handle)];
    closeSync(again);
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}
