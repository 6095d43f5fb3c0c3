/** Files of whole databases: made under another name, synced, and put in their place in one step. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivate } from "#src/db/files.ts";

/** What SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Marks a copy that is not finished; whatever carries it is left over from a process that was killed. */
export const UNFINISHED = ".unfinished";

/** The disk has not the room that a copy needs. */
export class InsufficientSpace extends Error {
  override readonly name = "InsufficientSpace";
}

/** Throws `NoRoom` unless the directory's disk has `bytes` free. */
export function requireFreeSpace(directory: string, bytes: number, what: string): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new InsufficientSpace(
    `${what} needs ${megabytes(bytes)} MB free in ${directory}, and there are ${megabytes(free)} MB`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** On the disk, also after a power cut. The file must not be open in SQLite here: closing it would drop its locks. */
export function syncFile(path: string): void {
  syncHandle(path, "r+");
}

export function syncDirectory(path: string): void {
  syncHandle(path, "r");
}

function syncHandle(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives a finished file its name. There is either nothing under it, or all of it. */
export function moveIntoPlace(unfinished: string, path: string): void {
  makePrivate(unfinished);
  syncFile(unfinished);
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

/**
 * Puts `fresh` in the place of the database and keeps the replaced file, with what SQLite keeps beside it, as `kept`. At
 * no moment is there no database under its name, and frames of the old log never meet the new file.
 */
export function swapDatabase(database: string, fresh: string, kept: string): void {
  makePrivate(fresh);
  syncFile(fresh);
  const directory = dirname(database);
  if (existsSync(database)) {
    for (const companion of COMPANIONS) {
      if (existsSync(database + companion)) renameSync(database + companion, kept + companion);
    }
    linkOrRename(database, kept);
    syncDirectory(directory);
  }
  renameSync(fresh, database);
  syncDirectory(directory);
}

function linkOrRename(database: string, kept: string): void {
  try {
    // A second name for the same file: the first one then changes hands in a single step.
    linkSync(database, kept);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST") throw error;
    // A file system without such names.
    renameSync(database, kept);
  }
}

/** A database and what lies beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", ...COMPANIONS]) rmSync(path + suffix, { force: true });
}

/**
 * Removes what killed processes left unfinished beside `path`, but for a copy that is still wanted. Only for whoever
 * holds the lock that keeps others out.
 */
export function removeUnfinished(path: string, wanted: string | null = null): void {
  const name = basename(path);
  for (const left of readdirSync(dirname(path))) {
    if (wanted !== null && left.startsWith(basename(wanted))) continue;
    if (left.startsWith(name) && left.includes(UNFINISHED)) rmSync(join(dirname(path), left), { force: true });
  }
}

/** A name beside `path` that nobody has: with the time, and a number where that is taken. */
export function findFreeName(path: string, label: string, now: number): string {
  const base = `${path}.${label}-${formatFileTime(now)}`;
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!existsSync(name)) return name;
  }
}

/** `20261121T080000Z`: sorts by time, and every file system takes it. */
export function formatFileTime(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
}
