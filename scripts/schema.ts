/**
 * Writes `migrations/schema.sql`: the whole schema after every migration, for people to read. No code runs it; a test
 * compares it with the migrations' result.
 */
import { join, resolve } from "node:path";
import { type Client, openClient } from "#src/db/driver.ts";
import { migrate, schemaVersion } from "#src/db/migrate.ts";

const checkout = resolve(import.meta.dir, "..");

export const schemaFile = join(checkout, "migrations", "schema.sql");

/** The schema of an open database: each table with its indexes, in the order of their names. */
export function schemaText(client: Client): string {
  const tables = client
    .prepare(
      `SELECT name, sql FROM sqlite_master JOIN (SELECT name FROM pragma_table_list WHERE type <> 'shadow') USING (name)
       WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all() as { name: string; sql: string }[];
  const objectsOfTable = client
    .prepare(
      "SELECT sql FROM sqlite_master WHERE type <> 'table' AND tbl_name = ? AND sql IS NOT NULL ORDER BY type, name",
    )
    .pluck();
  const parts = tables.map(({ name, sql }) => [sql, ...objectsOfTable.all(name)].map((text) => `${text};`).join("\n"));
  const head = `-- Made by \`bun scripts/schema.ts\` from the migrations; schema ${schemaVersion(client)}. Do not edit.`;
  return `${[head, ...parts].join("\n\n")}\n`;
}

if (import.meta.main) {
  const client = openClient(":memory:", {});
  migrate(client);
  await Bun.write(schemaFile, schemaText(client));
  client.close();
}
