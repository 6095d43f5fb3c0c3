/** For commands that need the database for themselves: no server runs on it, and no command writes to it. */
import type { DatabaseFiles } from "#src/db/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { CommandFailure } from "./failure.ts";

/** Runs `work` while neither a server nor a command uses the database. `change`: as in "cannot be replaced". */
export async function whileStopped<T>(
  { serverLock, commandLock }: DatabaseFiles,
  change: string,
  work: () => T | Promise<T>,
): Promise<T> {
  const acquire = (path: string, holder: string, next: string): Lock => {
    try {
      return lockExclusively(path);
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
      throw new CommandFailure("locked", `${holder}, so it cannot be ${change}`, next);
    }
  };
  using locks = new DisposableStack();
  const stop = "stop it first: systemctl stop waxwing";
  locks.adopt(acquire(serverLock, "a server runs on this database", stop), (lock) => lock.release());
  const wait = "wait until it has ended";
  locks.adopt(acquire(commandLock, "a command is writing to this database", wait), (lock) => lock.release());
  return await work();
}
