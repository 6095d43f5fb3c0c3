/**
 * Compares the tables, indexes, triggers and views of a database with those that the migrations make, by the text that
 * SQLite itself executes. A database file is a program: a trigger, a view, a generated column or a default of another
 * author would run inside our statements. Reading the list runs none of it.
 */
import { type Client, openClient } from "./driver.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";

interface SchemaDifference {
  /** Such as `trigger steal`. */
  object: string;
  kind: "foreign" | "missing" | "changed";
}

interface SchemaObject {
  type: string;
  name: string;
  table: string;
  sql: string | null;
}

/** Written by `ANALYZE`, which an operator may run. The planner reads them; nothing in them is executed. */
const STATISTICS = /^sqlite_stat[14]$/;

/** Litestream's own tables, by the text that SQLite executes: another text is another author's. */
const LITESTREAM: ReadonlyMap<string, string> = new Map([
  ["_litestream_seq", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"],
  ["_litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"],
]);

/** Whether a table of this name holds no rows of ours: a program that replicates the database made it. */
export function isReplicationTable(name: string): boolean {
  return LITESTREAM.has(name);
}

/** Every difference from the schema of the database's own version. */
export function compareSchema(client: Client): SchemaDifference[] {
  const version = schemaVersion(client);
  const known = migrations.filter((migration) => migration.version <= version);
  const expected = expectedOf(version, known);
  const found = new Map(objectsOf(client).map((object) => [nameOf(object), object]));
  const differences: SchemaDifference[] = [];
  for (const [object, { table, sql }] of found) {
    const own = expected.get(object);
    if (own === undefined) differences.push({ object, kind: "foreign" });
    else if (own.table !== table || own.sql !== sql) differences.push({ object, kind: "changed" });
  }
  for (const object of expected.keys()) if (!found.has(object)) differences.push({ object, kind: "missing" });
  return differences;
}

/** By version: a process that compares again, such as a server that verifies each backup, makes them once. */
const made = new Map<number, ReadonlyMap<string, SchemaObject>>();

function expectedOf(version: number, known: typeof migrations): ReadonlyMap<string, SchemaObject> {
  let expected = made.get(version);
  if (expected === undefined) {
    expected = new Map(expectedObjects(known).map((object) => [nameOf(object), object]));
    made.set(version, expected);
  }
  return expected;
}

function expectedObjects(known: typeof migrations): SchemaObject[] {
  const client = openClient(":memory:", {});
  try {
    migrate(client, known);
    return objectsOf(client);
  } finally {
    client.close();
  }
}

function objectsOf(client: Client): SchemaObject[] {
  const rows = client.prepare("SELECT type, name, tbl_name AS 'table', sql FROM sqlite_schema").all() as SchemaObject[];
  return rows.filter(
    ({ type, name, sql }) =>
      type !== "table" || !(STATISTICS.test(name) || (sql !== null && LITESTREAM.get(name) === sql)),
  );
}

function nameOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}
