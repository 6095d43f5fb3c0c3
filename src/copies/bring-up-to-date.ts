/** What a server does before it opens its database: an older one is brought up to date, and the log says so. */
import type { Log } from "#src/log.ts";
import type { DatabaseFiles } from "#src/storage/files.ts";
import { type UpgradeOptions, upgradeDatabase } from "./upgrade.ts";

/** An older database is brought up to date in a copy; where that fails, the old one is as it was and the lock is free. */
export function bringUpToDate(
  files: DatabaseFiles,
  options: Omit<UpgradeOptions, "onStep">,
  log: Log,
  lock: { release: () => void },
): void {
  try {
    const upgrade = upgradeDatabase(files, { ...options, onStep: (step) => log.info(step) });
    if (upgrade === null) return;
    const { from, to, kept } = upgrade;
    log.info("the database is up to date; as it was before, it is kept", { from, to, kept });
  } catch (error) {
    lock.release();
    throw error;
  }
}
