/** Database files as a whole: written under a temporary name, synced, and moved into place in one step. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createPrivateFile, makePrivate } from "#src/db/files.ts";

/** Suffixes of the files that SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Part of the name of every unfinished file; a file with it was left behind by a killed process. */
export const UNFINISHED = ".unfinished";

/** The disk does not have the space that a copy needs. */
export class InsufficientSpace extends Error {
  override readonly name = "InsufficientSpace";
}

/** Throws `InsufficientSpace` unless the directory's disk has `bytes` free. */
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

/**
 * Syncs a file to disk. The file must not be open in SQLite in this process: closing the handle here would release
 * SQLite's locks.
 */
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

export function writeWhole(handle: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, at + done);
}

/** Replaces the file by one with this text, or makes it; after a crash it is the old one or the new one. */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}${UNFINISHED}`;
  rmSync(unfinished, { force: true });
  createPrivateFile(unfinished);
  writeFileSync(unfinished, text);
  moveIntoPlace(unfinished, path);
}

/** Gives a finished file its name, atomically: after a crash the name refers to the complete file or to none. */
export function moveIntoPlace(unfinished: string, path: string): void {
  makePrivate(unfinished);
  syncFile(unfinished);
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

/**
 * Replaces the database by `fresh` and keeps the old file, with its WAL, as `kept`. With hard links the database's name
 * exists at every moment. Frames of the old WAL are never applied to the new file, because the WAL is moved first.
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
    // A second name for the same file lets the rename that follows replace the first one atomically.
    linkSync(database, kept);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST") throw error;
    // The file system has no hard links.
    renameSync(database, kept);
  }
}

/** Deletes a database and the files that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", ...COMPANIONS]) rmSync(path + suffix, { force: true });
}

/**
 * Deletes unfinished files that killed processes left beside `path`, except the one that starts with the name of
 * `wanted`. The caller must hold the lock that excludes other processes.
 */
export function removeUnfinished(path: string, wanted: string | null = null): void {
  const name = basename(path);
  for (const left of readdirSync(dirname(path))) {
    if (wanted !== null && left.startsWith(basename(wanted))) continue;
    if (left.startsWith(name) && left.includes(UNFINISHED)) rmSync(join(dirname(path), left), { force: true });
  }
}

/** An unused name beside `path`, with the time and, if necessary, a number. */
export function findFreeName(path: string, label: string, now: number): string {
  const base = `${path}.${label}-${formatFileTime(now)}`;
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!existsSync(name)) return name;
  }
}

/** Why a file cannot be made in the directory, or the directory itself, as the end of a sentence; null: it can be. */
export function whyUnwritable(directory: string): string | null {
  let existing = resolve(directory);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) return `${existing} is not a directory`;
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EROFS") return `${existing} is read-only for this process`;
    return `this user may not write to ${existing}`;
  }
}

/** Milliseconds; null: the text does not hold a time as `formatFileTime` writes it. */
export function readFileTime(text: string): number | null {
  const [, date, time] = /(\d{8})T(\d{6})Z/.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const inWords = `${date.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`;
  return Date.parse(inWords);
}

/** `20261121T080000Z`: sorts by time and is valid on every file system. */
export function formatFileTime(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
}
