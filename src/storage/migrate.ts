/** Brings a database to this executable's schema, forward only, each migration in one transaction. */
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
  for (const migration of missing) apply(client, migration);
  return missing;
}

export function schemaVersion(client: Client): number {
  return Number(client.pragma("user_version", { simple: true }));
}

function apply(client: Client, migration: Migration): void {
  client.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock.
    if (schemaVersion(client) < migration.version) {
      client.exec(migration.sql);
      client.pragma(`user_version = ${migration.version}`);
    }
    client.exec("COMMIT");
  } catch (cause) {
    if (client.inTransaction) client.exec("ROLLBACK");
    throw new Error(`migration ${migration.version} (${migration.name}) failed; the database is as it was`, { cause });
  }
}
