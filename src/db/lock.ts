/**
 * Locks between processes. Each is a small SQLite file, and SQLite's own locking does the work: the kernel releases the
 * lock however its holder ends, so a stale file never blocks a start.
 */
import { openClient } from "./driver.ts";
import { isBusy } from "./failure.ts";
import { createPrivateFile, makePrivate } from "./files.ts";

export interface Lock {
  release(): void;
}

/** Another process holds the lock. */
export class LockHeld extends Error {
  override readonly name = "LockHeld";
}

/** Acquires the lock for this process alone. Throws `LockHeld` immediately if another process holds it. */
export function lockExclusively(path: string): Lock {
  return acquire(path, "BEGIN EXCLUSIVE");
}

/**
 * Acquires the lock together with other sharers. Throws `LockHeld` immediately if another process holds it exclusively.
 */
export function lockShared(path: string): Lock {
  return acquire(path, "BEGIN; SELECT count(*) FROM sqlite_master");
}

function acquire(path: string, begin: string): Lock {
  createPrivateFile(path);
  const client = openClient(path, { timeout: 0 });
  try {
    // Nothing is ever written to a lock, so it needs no journal, for which a full disk has no room.
    client.pragma("journal_mode = MEMORY");
    client.exec(begin);
  } catch (error) {
    client.close();
    if (isBusy(error)) throw new LockHeld(`another process holds ${path}`);
    throw error;
  }
  makePrivate(path);
  return { release: () => client.close() };
}
