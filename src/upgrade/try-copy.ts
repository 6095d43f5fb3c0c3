/**
 * Tries this executable on a copy of the database, beside the running server, which only reads: migrates the copy as a
 * start would, checks it, and deletes it.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { copyDatabase, isDamage } from "#src/backup/backup.ts";
import { removeDatabase, requireFreeSpace, UNFINISHED } from "#src/backup/files.ts";
import { openClient } from "#src/db/driver.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { checkDatabase } from "#src/health/check.ts";
import { readSchema } from "./put-back.ts";

/** Throws what a start on the database would, `InsufficientSpace`, and `LockHeld` if another trial is running. */
export function tryOnCopy(database: string, now: number): { from: number; to: number } {
  const to = migrations.at(-1)?.version ?? 0;
  const from = readSchema(database);
  if (from > to) throw new NewerSchema(from, to);
  const copy = `${database}${UNFINISHED}-try`;
  const lock = lockExclusively(`${database}.try-lock`);
  try {
    removeDatabase(copy);
    // The copy, and what its migration writes.
    requireFreeSpace(dirname(database), 2 * statSync(database).size, "trying the new executable on a copy");
    copyDatabase(database, copy, null);
    const client = openClient(copy, { fileMustExist: true, timeout: 5_000 });
    try {
      client.pragma("foreign_keys = ON");
      migrate(client);
      const damage = checkDatabase(client, { now, isExclusive: true }).findings.filter(({ name }) => isDamage(name));
      if (damage.length > 0)
        throw new Error(`the migrated copy is damaged: ${damage.flatMap(({ ids }) => ids).join("; ")}`);
      return { from, to: schemaVersion(client) };
    } finally {
      client.close();
    }
  } finally {
    removeDatabase(copy);
    lock.release();
  }
}
