/**
 * Migrates a database to this executable's schema, forward only. Each migration runs in its own transaction; a new
 * database is created in a single one.
 */
import type { Client } from "./driver.ts";
import { type Migration, migrations } from "./migrations.ts";

/** The database was written by a newer Waxwing. An older one could break the newer one's guarantees. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";
  constructor(found: number, known: number) {
    super(
      `the database has schema ${found}, and this executable supports up to ${known}: a newer Waxwing has opened it. ` +
        "Install that version again, or restore a backup made before the upgrade.",
    );
  }
}

/**
 * Written into the header of every database that Waxwing creates ("Waxw"). Builds before the first release did not
 * write it and numbered their schemas differently.
 */
export const APPLICATION_ID = 0x57617877;

/** No release of Waxwing made this file's schema; it may come from a build before the first release. */
export class UnknownSchema extends Error {
  override readonly name = "UnknownSchema";
  constructor(found: number) {
    super(
      `the database has schema ${found} of another program, or of a build of Waxwing from before 0.1.0, which no release ` +
        "can open. Move the file away and start with a new database, or use the build that created it.",
    );
  }
}

/**
 * Applies the missing migrations and returns them. Throws `NewerSchema` or `UnknownSchema` before it changes anything.
 */
export function migrate(client: Client, known: readonly Migration[] = migrations): Migration[] {
  const found = schemaVersion(client);
  const latest = known.at(-1)?.version ?? 0;
  if (found > latest) throw new NewerSchema(found, latest);
  const missing = known.filter((migration) => migration.version > found);
  // A new database is created in one transaction, so that no process ever sees it half created.
  if (found === 0) apply(client, missing);
  else for (const migration of missing) apply(client, [migration]);
  return missing;
}

/** 0 for a new file. Throws `UnknownSchema`. */
export function schemaVersion(client: Client): number {
  const version = Number(client.pragma("user_version", { simple: true }));
  const maker = Number(client.pragma("application_id", { simple: true }));
  if (version !== 0 && maker !== APPLICATION_ID) throw new UnknownSchema(version);
  return version;
}

function apply(client: Client, missing: readonly Migration[]): void {
  let current: Migration | undefined;
  client.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of missing) {
      current = migration;
      // Another process may have migrated the database while this one waited for the lock.
      if (schemaVersion(client) >= migration.version) continue;
      client.exec(migration.sql);
      client.pragma(`application_id = ${APPLICATION_ID}`);
      client.pragma(`user_version = ${migration.version}`);
    }
    client.exec("COMMIT");
  } catch (cause) {
    if (client.inTransaction) client.exec("ROLLBACK");
    throw new Error(`migration ${current?.version} (${current?.name}) failed; the database is unchanged`, { cause });
  }
}
