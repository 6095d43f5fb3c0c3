/** A start or a command that fails while it creates the database, on a full disk for example, leaves none behind. */
import { existsSync, statSync } from "node:fs";
import { openClient } from "#src/db/driver.ts";
import { type Lock, lockExclusively } from "#src/db/lock.ts";
import { removeDatabase } from "./files.ts";

/** Removes a database without any table. `locks`: those that the caller does not hold; while another does, it stays. */
export function removeIfEmpty(database: string, locks: readonly string[]): void {
  const held: Lock[] = [];
  try {
    for (const path of locks) held.push(lockExclusively(path));
    if (existsSync(database) && isEmpty(database)) removeDatabase(database);
  } catch {
    // Another process uses it, or it cannot be read: what made the caller fail is what is reported.
  } finally {
    for (const lock of held) lock.release();
  }
}

function isEmpty(database: string): boolean {
  if (statSync(database).size === 0) return true;
  const client = openClient(database, { fileMustExist: true, timeout: 0 });
  try {
    return client.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
  } finally {
    client.close();
  }
}
