/**
 * Copies databases from and to files that are already open, because this process may be unable to open them by name.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { piecesFrom } from "#src/core/pieces.ts";
import { createPrivateFile } from "#src/db/files.ts";
import { requireFreeSpace, writeWhole } from "./files.ts";

/** The header that identifies a file as an SQLite database. */
const HEADER_BYTES = 100;

/** Copies the open file to a new file at `path`. Throws `InsufficientSpace`. */
export function copyFromOpened(handle: number, path: string): void {
  requireFreeSpace(dirname(path), fstatSync(handle).size, `a copy of the file`);
  createPrivateFile(path);
  const copy = openSync(path, "r+");
  try {
    copyBytes(handle, copy, 0);
  } finally {
    closeSync(copy);
  }
}

/**
 * Fills the open, empty file with the database at `path` and syncs it. The header is written last, so that an
 * incomplete file is not a valid database.
 */
export function fillOpened(handle: number, path: string): void {
  const database = openSync(path, "r");
  try {
    copyBytes(database, handle, HEADER_BYTES);
    fsyncSync(handle);
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(database, header, 0, HEADER_BYTES, 0);
    writeWhole(handle, header, 0);
    fsyncSync(handle);
  } catch (error) {
    ftruncateSync(handle, 0);
    throw error;
  } finally {
    closeSync(database);
  }
}

function copyBytes(from: number, to: number, start: number): void {
  let at = start;
  for (const piece of piecesFrom(from, start)) {
    writeWhole(to, piece, at);
    at += piece.length;
  }
}
