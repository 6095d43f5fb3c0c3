/**
 * Saves the database, or the rows of one workspace, and brings them back later, in the same process and on the same
 * connection: for test control. A restore is one transaction, so that readers and other processes see either state and
 * nothing between.
 */
import { rmSync } from "node:fs";
import { makePrivate } from "./files.ts";
import { isReplicationTable } from "./schema-objects.ts";
import { emptySearchIndex } from "./search-index.ts";
import type { Store } from "./store.ts";
import { callbacksSince, type WorkspaceTable, workspaceTables } from "./workspace-rows.ts";

/** Writes a copy of the database to `path`, replacing an earlier one. */
export function saveSeed(store: Store, path: string): void {
  rmSync(path, { force: true });
  // Ends the read transaction of this turn, in which VACUUM cannot run.
  store.dataVersion();
  store.client.prepare("VACUUM INTO ?").run(path);
  makePrivate(path);
}

/** Writes the rows of one workspace to `path`, replacing an earlier copy. Call it while nothing else uses the store. */
export async function saveWorkspaceSeed(store: Store, path: string, workspaceId: number): Promise<void> {
  rmSync(path, { force: true });
  await withSeed(store, path, () => {
    // Every table, because the conditions read those of the same database.
    for (const { name, where } of workspaceTables(store.client, workspaceId)) {
      store.client.exec(`CREATE TABLE seed."${name}" AS SELECT * FROM main."${name}" WHERE ${where("main")}`);
    }
  });
  makePrivate(path);
}

/**
 * Makes every table what it was, or what it would be had the seed been saved earlier or later: `from` and `to` are that
 * time as it was and as it is wanted, in milliseconds. Call it while nothing else uses the store.
 */
export async function restoreSeed(store: Store, path: string, moved?: { from: number; to: number }): Promise<void> {
  await withSeed(store, path, () =>
    withoutTriggers(store, () => {
      copyTables(store);
      emptySearchIndex(store.client);
      if (moved !== undefined) moveTimes(store, moved.from - START_MAX_MS, moved.to - moved.from);
    }),
  );
}

/** Times that are older than this were in the seed as such. */
const START_MAX_MS = 86_400_000;

/** Moves every time that is not before `from`: when rows were made, and when what they wait for is due. */
function moveTimes({ client }: Store, from: number, byMs: number): void {
  const columns = client
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM main.sqlite_master t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND (substr(c.name, -3) = '_at' OR c.name IN ('at', 'since', 'until'))
         AND upper(c.type) = 'INTEGER'`,
    )
    .all() as { table: string; column: string }[];
  for (const { table, column } of columns) {
    client.prepare(`UPDATE main."${table}" SET "${column}" = "${column}" + ? WHERE "${column}" >= ?`).run(byMs, from);
  }
}

/**
 * Makes the rows of one workspace what they were; all others stay. Call it while nothing works on these rows. Throws the
 * driver's error if another workspace has taken what has to be unique. `since` is what the last restore of this workspace
 * returned, null after a save or a restore of everything: bodies of callbacks that are older are not searched again, however many
 * other workspaces have.
 */
export async function restoreWorkspace(
  store: Store,
  path: string,
  workspaceId: number,
  since: number | null,
): Promise<number> {
  const callbacks = callbacksSince(since);
  let last = 0;
  await withSeed(store, path, () => {
    withoutTriggers(store, () => copyRows(store, workspaceTables(store.client, workspaceId, callbacks)));
    emptySearchIndex(store.client);
    last = store.client
      .prepare("SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'callbacks'")
      .pluck()
      .get() as number;
  });
  return last;
}

/** `work` runs in one transaction, with the seed attached as `seed`. */
async function withSeed(store: Store, path: string, work: () => void): Promise<void> {
  const { client } = store;
  await store.waitForOtherWriters();
  // Rows come back table by table, so references are checked when all are there: they fitted when they were saved.
  client.pragma("foreign_keys = OFF");
  client.prepare("ATTACH ? AS seed").run(path);
  try {
    // What a seed holds is lost with the server anyway.
    client.pragma("seed.synchronous = OFF");
    client.exec("BEGIN IMMEDIATE");
    try {
      work();
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
function withoutTriggers({ client }: Store, work: () => void): void {
  const triggers = client.prepare("SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) client.exec(`DROP TRIGGER main."${name}"`);
  work();
  for (const { sql } of triggers) client.exec(sql);
}

function copyTables({ client }: Store): void {
  const tables = client
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema'")
    .pluck()
    .all() as string[];
  for (const name of tables) {
    if (name.startsWith("sqlite_stat") || isReplicationTable(name)) continue;
    client.exec(`DELETE FROM main."${name}"; INSERT INTO main."${name}" SELECT * FROM seed."${name}"`);
  }
}

function copyRows({ client }: Store, tables: readonly WorkspaceTable[]): void {
  for (const { name, where } of tables) client.exec(`DELETE FROM main."${name}" WHERE ${where("main")}`);
  for (const { name, where, columns } of tables) {
    const names = columns === null ? "" : columns.map((column) => `"${column}"`).join(", ");
    const into = names === "" ? `main."${name}"` : `main."${name}" (${names})`;
    client.exec(`INSERT INTO ${into} SELECT ${names || "*"} FROM seed."${name}" WHERE ${where("seed")}`);
  }
}
