/** Each table of the schema says what happens to its rows, and what it says fits its columns. */
import { afterAll, expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import { tableNames, tablePolicies, tablesWith } from "#src/db/table-policies.ts";
import { tablesOf, workspaceTables } from "#src/db/workspace-rows.ts";

const client = openClient(":memory:", {});
migrate(client);
afterAll(() => client.close());

const columnsOf = (table: string): string[] =>
  client.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];

test("every table of the schema has a policy, and every policy a table", () => {
  expect([...tableNames].sort() as string[]).toEqual(tablesOf(client).sort());
});

test("what a restore follows, an erasure deletes by and housekeeping compares are columns of the table", () => {
  const missing = tableNames.flatMap((name) => {
    const { restore, person, kept } = tablePolicies[name];
    const named = [
      ...(typeof restore === "object" && restore.follows !== "all" ? restore.follows : []),
      ...(person === "deleted" ? ["contact_id"] : []),
      ...(typeof kept === "object" && "column" in kept ? [kept.column] : []),
    ];
    return named.filter((column) => !columnsOf(name).includes(column)).map((column) => `${name}.${column}`);
  });
  expect(missing).toEqual([]);
});

test("a reset of a workspace finds the rows of every table but the server's", () => {
  const found = workspaceTables(client, 1).map(({ name }) => name);
  const server: readonly string[] = tablesWith("reset", "server");
  expect(found.sort()).toEqual(
    tablesOf(client)
      .filter((name) => !server.includes(name))
      .sort(),
  );
  const own = tablesWith("reset", "server").filter((name) => columnsOf(name).includes("workspace_id"));
  expect(own).toEqual([]);
});

test("a table that names contacts says what an erasure does with it", () => {
  // An index of messages, which stay without the person: it holds ids alone.
  const silent = tablesWith("person", "nobody").filter(
    (name) => columnsOf(name).includes("contact_id") && name !== "contact_messages",
  );
  expect(silent).toEqual([]);
});
