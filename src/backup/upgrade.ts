/**
 * Migrates an existing database: copies it, migrates and checks the copy, then swaps it in. If any step fails, the old
 * file stays in use, unchanged. The caller must hold the server's lock.
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "#src/core/log.ts";
import type { Client } from "#src/db/driver.ts";
import type { FileIdentity } from "#src/db/file-identity.ts";
import type { DatabaseFiles } from "#src/db/files.ts";
import { readOrCreateInstanceId, writeBackupMetadata, writeFileIdentity } from "#src/db/instance.ts";
import { LockHeld, lockExclusively } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { type Migration, migrations } from "#src/db/migrations.ts";
import { checkDatabase } from "#src/health/check.ts";
import { copyDatabase } from "./backup.ts";
import { isDamage, writing } from "./database-file.ts";
import {
  findFreeName,
  InsufficientSpace,
  removeDatabase,
  removeUnfinished,
  requireFreeSpace,
  swapDatabase,
  UNFINISHED,
} from "./files.ts";

/** The upgrade failed. The database is unchanged, and the previous executable still runs on it. */
export class UpgradeFailed extends Error {
  override readonly name = "UpgradeFailed";
}

interface Upgrade {
  from: number;
  to: number;
  applied: Migration[];
  /** Path of the database before the upgrade. */
  kept: string;
}

export interface UpgradeOptions {
  now: number;
  newInstanceId: () => string;
  readFileIdentity: (path: string) => FileIdentity;
  onStep: (step: string) => void;
  /** Called before the swap with the path at which the database before it will be. */
  onKept?: ((kept: string) => void) | undefined;
  /** The known migrations; tests replace the executable's own. */
  known?: readonly Migration[] | undefined;
}

/** Returns null if there is nothing to migrate. Throws `UpgradeFailed`, and `NewerSchema` as `migrate` does. */
export function upgradeDatabase({ database, commandLock }: DatabaseFiles, options: UpgradeOptions): Upgrade | null {
  const { now, newInstanceId, readFileIdentity, onStep, known = migrations } = options;
  if (!existsSync(database) || statSync(database).size === 0) return null;
  removeUnfinished(database);
  const from = readSchemaVersion(database);
  const to = known.at(-1)?.version ?? 0;
  if (from > to) throw new NewerSchema(from, to);
  if (from === 0 || from === to) return null;

  const fresh = `${database}${UNFINISHED}-upgrade`;
  const kept = findFreeName(database, `before-schema-${to}`, now);
  try {
    const lock = lockExclusively(commandLock);
    try {
      onStep(`copying the database of schema ${from}`);
      // Space for the copy, and again for what its migration writes.
      requireFreeSpace(dirname(database), 2 * sizeWithLog(database), "migrating the database");
      checkpointLog(database);
      copyDatabase(database, fresh, null);
      onStep(`migrating the copy to schema ${to}`);
      const applied = writing(fresh, (copy) => {
        const done = migrate(copy, known);
        readOrCreateInstanceId(copy, now, newInstanceId);
        // This is the same database in a new file, not a copy to be held: give it the new file's identity.
        writeFileIdentity(copy, readFileIdentity(fresh));
        return done;
      });
      onStep("checking the copy");
      writing(fresh, (copy) => requireUndamaged(copy, now));
      options.onKept?.(kept);
      swapDatabase(database, fresh, kept);
      writeKeptMetadata(kept, now);
      return { from, to, applied, kept };
    } finally {
      lock.release();
    }
  } catch (error) {
    removeDatabase(fresh);
    throw failure(error, from, to);
  }
}

function failure(cause: unknown, from: number, to: number): UpgradeFailed {
  const reason =
    cause instanceof LockHeld
      ? "a command is still writing to it; wait until it has ended, then start again"
      : cause instanceof Error
        ? `${cause.message}${cause.cause instanceof Error ? ` (${cause.cause.message})` : ""}`
        : String(cause);
  const advice =
    cause instanceof InsufficientSpace
      ? "Free some space and start again"
      : "Start again, or use the previous version of Waxwing";
  return new UpgradeFailed(
    `the database was not migrated from schema ${from} to ${to}: ${reason}. Nothing was changed. ${advice}.`,
    { cause },
  );
}

function readSchemaVersion(database: string): number {
  return writing(database, schemaVersion);
}

function sizeWithLog(database: string): number {
  const log = `${database}-wal`;
  return statSync(database).size + (existsSync(log) ? statSync(log).size : 0);
}

/** The last connection to close a database checkpoints its WAL and removes it; the file alone is then complete. */
function checkpointLog(database: string): void {
  writing(database, (client) => client.pragma("wal_checkpoint(TRUNCATE)"));
}

/** Broken invariants do not prevent an upgrade, because the database had them before; damage does. */
export function requireUndamaged(copy: Client, now: number): void {
  const { findings } = checkDatabase(copy, { now, isExclusive: true });
  const damage = findings.filter(({ name }) => isDamage(name));
  if (damage.length > 0)
    throw new Error(`the migrated copy is damaged: ${damage.map(({ ids }) => ids.join("; ")).join("; ")}`);
}

/** Marks the kept file as a copy, so that a server started on it holds its broadcasts. */
function writeKeptMetadata(kept: string, at: number): void {
  writing(kept, (client) => writeBackupMetadata(client, { kind: "upgrade", at, hasGap: false }));
}

/**
 * Upgrades an older database at the start of the server. If that fails, the database is unchanged and the lock is
 * released.
 */
export function upgradeIfOlder(
  files: DatabaseFiles,
  options: Omit<UpgradeOptions, "onStep">,
  log: Log,
  lock: { release: () => void },
): void {
  try {
    const upgrade = upgradeDatabase(files, { ...options, onStep: (step) => log.info("database.migrating", step) });
    if (upgrade === null) return;
    const { from, to, kept } = upgrade;
    log.info("database.migrated", "Database migrated; the previous file is kept", { from, to, kept });
  } catch (error) {
    lock.release();
    throw error;
  }
}
