/**
 * Tries this executable on a copy of the database, beside the running server, which only reads: migrates the copy as a
 * start would, checks it, and deletes it.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { copyDatabase } from "#src/backup/backup.ts";
import { reading, writing } from "#src/backup/database-file.ts";
import { removeDatabase, requireFreeSpace, UNFINISHED } from "#src/backup/files.ts";
import { requireUndamaged } from "#src/backup/upgrade.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";

/** Throws what a start on the database would, `InsufficientSpace`, and `LockHeld` if another trial is running. */
export function tryOnCopy(database: string, now: number): { from: number; to: number } {
  const to = migrations.at(-1)?.version ?? 0;
  const from = reading(database, schemaVersion);
  if (from > to) throw new NewerSchema(from, to);
  const copy = `${database}${UNFINISHED}-try`;
  const lock = lockExclusively(`${database}.try-lock`);
  try {
    removeDatabase(copy);
    // The copy, and what its migration writes.
    requireFreeSpace(dirname(database), 2 * statSync(database).size, "trying the new executable on a copy");
    copyDatabase(database, copy, null);
    return writing(copy, (client) => {
      migrate(client);
      requireUndamaged(client, now);
      return { from, to: schemaVersion(client) };
    });
  } finally {
    removeDatabase(copy);
    lock.release();
  }
}
