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

/** Applies what is missing and returns the migrations that ran. Throws `NewerSchema` before touching anything. */
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

export function schemaVersion(client: Client): number {
  return Number(client.pragma("user_version", { simple: true }));
}

function apply(client: Client, missing: readonly Migration[]): void {
  let at: Migration | undefined;
  client.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of missing) {
      at = migration;
      // Another process may have migrated while this one waited for the lock.
      if (schemaVersion(client) >= migration.version) continue;
      client.exec(migration.sql);
      client.pragma(`user_version = ${migration.version}`);
    }
    client.exec("COMMIT");
  } catch (cause) {
    if (client.inTransaction) client.exec("ROLLBACK");
    throw new Error(`migration ${at?.version} (${at?.name}) failed; the database is as it was`, { cause });
  }
}
