/**
 * Locks between processes, each a small SQLite file whose own locking does the work: the kernel frees it whatever
 * happens to the holder, and no stale file ever blocks a start.
 */
import { openClient } from "./driver.ts";
import { isBusy } from "./failure.ts";
import { createPrivateFile, makePrivate } from "./files.ts";

export interface Lock {
  release(): void;
}

/** Somebody else holds the lock. */
export class LockHeld extends Error {
  override readonly name = "LockHeld";
}

/** Takes the lock for this process alone, or throws `LockHeld` at once. */
export function lockExclusively(path: string): Lock {
  return acquire(path, "BEGIN EXCLUSIVE");
}

/** Takes the lock together with others who share it, or throws `LockHeld` when one process has it alone. */
export function lockShared(path: string): Lock {
  return acquire(path, "BEGIN; SELECT count(*) FROM sqlite_master");
}

function acquire(path: string, begin: string): Lock {
  createPrivateFile(path);
  const client = openClient(path, { timeout: 0 });
  try {
    client.exec(begin);
  } catch (error) {
    client.close();
    if (isBusy(error)) throw new LockHeld(`another process holds ${path}`);
    throw error;
  }
  makePrivate(path);
  return { release: () => client.close() };
}
