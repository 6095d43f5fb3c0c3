/**
 * Saves the database and brings it back later, in the same process and on the same connection: for test control. The
 * restore is one transaction, so that readers and other processes see either state and nothing between.
 */
import { rmSync } from "node:fs";
import { makePrivate } from "./files.ts";
import type { Store } from "./store.ts";

/** Writes a copy of the database to `path`, replacing an earlier one. */
export function saveSeed(store: Store, path: string): void {
  rmSync(path, { force: true });
  // Ends the read transaction of this turn, in which VACUUM cannot run.
  store.dataVersion();
  store.client.prepare("VACUUM INTO ?").run(path);
  makePrivate(path);
}

/** Makes every table what it was. Call it while nothing else uses the store. */
export async function restoreSeed(store: Store, path: string): Promise<void> {
  const { client } = store;
  await store.waitForOtherWriters();
  // Rows come back table by table, so references are checked when all are there: they fitted when they were saved.
  client.pragma("foreign_keys = OFF");
  client.prepare("ATTACH ? AS seed").run(path);
  try {
    client.exec("BEGIN IMMEDIATE");
    try {
      copyTables(store);
      client.exec("COMMIT");
    } catch (error) {
      if (client.inTransaction) client.exec("ROLLBACK");
      throw error;
    }
  } finally {
    client.exec("DETACH seed");
    client.pragma("foreign_keys = ON");
  }
}

/** Without its triggers a table is emptied at once, however many rows it has, and counters are copied like the rest. */
function copyTables({ client }: Store): void {
  const listed = client
    .prepare("SELECT type, name, sql FROM main.sqlite_master WHERE type IN ('table', 'trigger')")
    .all() as { type: string; name: string; sql: string | null }[];
  const triggers = listed.filter(({ type }) => type === "trigger");
  for (const { name } of triggers) client.exec(`DROP TRIGGER main."${name}"`);
  for (const { type, name } of listed) {
    if (type !== "table" || name.startsWith("sqlite_stat")) continue;
    client.exec(`DELETE FROM main."${name}"; INSERT INTO main."${name}" SELECT * FROM seed."${name}"`);
  }
  for (const { sql } of triggers) if (sql !== null) client.exec(sql);
}
