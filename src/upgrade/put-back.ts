/**
 * Puts the database back that an upgrade kept, under the server's lock. The caller has made sure that the new executable
 * never went live on the migrated one: it accepted and sent nothing, so nothing is lost with it.
 */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { reading, writing } from "#src/backup/database-file.ts";
import { removeDatabase, removeUnfinished, swapDatabase, UNFINISHED } from "#src/backup/files.ts";
import type { DatabaseFiles } from "#src/db/files.ts";
import { clearBackupMetadata } from "#src/db/instance.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { forgetUnknownMarkers } from "#src/db/run-marker.ts";

/** Part of the name of every database that a migration kept. */
const KEPT = ".before-schema-";

export function isKeptDatabase(path: string, database: string): boolean {
  return dirname(resolve(path)) === dirname(resolve(database)) && basename(path).startsWith(basename(database) + KEPT);
}

/** Throws if `kept` is not a database that a migration of this one kept. */
export function putBackDatabase({ database, commandLock }: DatabaseFiles, kept: string, known: number): void {
  if (!isKeptDatabase(kept, database) || !existsSync(kept)) {
    throw new Error(`${kept} is not a database that was kept before a migration`);
  }
  if (reading(kept, schemaVersion) > known) throw new Error(`${kept} has a newer schema than this executable supports`);
  const lock = lockExclusively(commandLock);
  try {
    removeUnfinished(database);
    writing(kept, (client) => {
      // It is this very database again, not a copy to be held.
      clearBackupMetadata(client);
      forgetUnknownMarkers(client, database);
    });
    const undone = `${database}${UNFINISHED}-undone`;
    swapDatabase(database, kept, undone);
    removeDatabase(undone);
  } finally {
    lock.release();
  }
}
