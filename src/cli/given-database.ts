/** Databases that a command line names: one that root has opened, where its new owner may not, is read from a copy. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { removeDatabase, UNFINISHED } from "#src/backup/files.ts";
import { copyFromOpened } from "#src/backup/opened.ts";
import type { Context } from "./context.ts";
import { fileExists } from "./database.ts";
import type { FileUse } from "./named-files.ts";

const LOG = "-wal";

/** For the declaration of the value. */
export const databaseFile: FileUse = { as: "read", beside: { [LOG]: "read" } };

export function isGivenThere({ files }: Context, path: string): boolean {
  return files.isThere(path) ?? fileExists(path);
}

/** Calls `work` with a path where this process may read it: `path` itself, or a copy that is gone afterwards. */
export function withGivenDatabase<T>(context: Context, path: string, work: (path: string) => T): T {
  const { files } = context;
  const handle = files.handleOf(path);
  if (handle === null || isWithinReach(path, handle)) return work(path);
  // Beside the database: a copy that a killed process leaves goes at the next start of the server.
  const copy = `${context.loadConfig().storage.path}${UNFINISHED}-given-${process.pid}`;
  try {
    copyFromOpened(handle, copy);
    const log = files.handleOf(path + LOG);
    if (log !== null) copyFromOpened(log, copy + LOG);
    return work(copy);
  } finally {
    removeDatabase(copy);
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
