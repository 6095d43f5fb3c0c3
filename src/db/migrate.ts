/** Brings a database to this executable's schema, forward only, each migration in one transaction, a new database in a single one. */
import type { Client } from "./driver.ts";
import { type Migration, migrations } from "./migrations.ts";

/** The database was written by a newer Waxwing: running on it could break what that one promised. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";
  constructor(found: number, known: number) {
    super(
      `the database has schema ${found}, this executable knows up to ${known}: it was opened by a newer Waxwing. ` +
        "Install that version again, or restore a backup made before the upgrade.",
    );
  }
}

/**
 * In the header of every database that Waxwing makes ("Waxw"). Builds from before the first release did not write it, and
 * numbered their schemas on their own.
 */
export const APPLICATION_ID = 0x57617877;

/** The file has a schema that no release of Waxwing made, such as one of a build from before the first release. */
export class UnknownSchema extends Error {
  override readonly name = "UnknownSchema";
  constructor(found: number) {
    super(
      `the database has schema ${found} of another program, or of a build of Waxwing from before 0.1.0, which no release ` +
        "can open. Move the file away and start with a new database, or go on with the build that made it.",
    );
  }
}

/** Applies what is missing and returns the migrations that ran. Throws `NewerSchema` or `UnknownSchema` before touching anything. */
export function migrate(client: Client, known: readonly Migration[] = migrations): Migration[] {
  const found = schemaVersion(client);
  const latest = known.at(-1)?.version ?? 0;
  if (found > latest) throw new NewerSchema(found, latest);
  const missing = known.filter((migration) => migration.version > found);
  // A new database is made whole or not at all: nobody ever sees one that is half made.
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
      // Another process may have migrated while this one waited for the lock.
      if (schemaVersion(client) >= migration.version) continue;
      client.exec(migration.sql);
      client.pragma(`application_id = ${APPLICATION_ID}`);
      client.pragma(`user_version = ${migration.version}`);
    }
    client.exec("COMMIT");
  } catch (cause) {
    if (client.inTransaction) client.exec("ROLLBACK");
    throw new Error(`migration ${current?.version} (${current?.name}) failed; the database is as it was`, { cause });
  }
}
