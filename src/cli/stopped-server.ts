/** For commands that need the database for themselves: no server runs on it, and no command writes to it. */
import type { DatabaseFiles } from "#src/db/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { CommandFailure } from "./failure.ts";

/** `change`: what is to be done with the database, as in "cannot be replaced". Returns what releases the locks. */
export function lockStopped({ serverLock, commandLock }: DatabaseFiles, change: string): () => void {
  const acquire = (path: string, holder: string, next: string): Lock => {
    try {
      return lockExclusively(path);
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
      throw new CommandFailure("locked", `${holder}, so it cannot be ${change}`, next);
    }
  };
  const server = acquire(serverLock, "a server runs on this database", "stop it first: systemctl stop waxwing");
  try {
    const commands = acquire(commandLock, "a command is writing to this database", "wait until it has ended");
    return () => {
      commands.release();
      server.release();
    };
  } catch (error) {
    server.release();
    throw error;
  }
}
