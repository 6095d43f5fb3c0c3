/** Each table of the schema says what happens to its rows, and what it says fits its columns. */
import { afterAll, expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import { tableNames, tablePolicies, tablesWith } from "#src/db/table-policies.ts";
import { tablesOf, workspaceTables } from "#src/db/workspace-rows.ts";
import { profileNames } from "#src/domain/contacts/profile-fields.ts";
import { type PersonTable, personColumns } from "#src/domain/erasure/person-columns.ts";

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

const personTables = Object.keys(personColumns) as PersonTable[];

function goneOf(table: PersonTable): string[] {
  const columns = personColumns[table];
  return [...Object.keys(columns.emptied), ...("rewritten" in columns ? columns.rewritten : [])];
}

test("every column of a table whose rows outlive an erased person is kept by name or emptied, and never both", () => {
  expect(personTables.sort() as string[]).toEqual(
    [...tablesWith("person", "emptied"), ...tablesWith("person", "mentions")].sort(),
  );
  for (const table of personTables)
    expect([table, ...[...personColumns[table].kept, ...goneOf(table)].sort()]).toEqual([
      table,
      ...columnsOf(table).sort(),
    ]);
});

test("a restore brings back none of the columns that an erasure since the backup has emptied", () => {
  const back = personTables.flatMap((table) => {
    const { restore } = tablePolicies[table];
    if (restore === "newer" || restore === "merged" || restore.follows === "all") return [];
    const follows: readonly string[] = restore.follows;
    return goneOf(table).filter((column) => !follows.includes(column));
  });
  expect(back).toEqual([]);
  // The merge has statements of its own for these two: all of a message's columns, and the profile of the erased.
  expect(personTables.filter((table) => tablePolicies[table].restore === "merged").sort()).toEqual([
    "contacts",
    "messages",
  ]);
  expect(goneOf("contacts")).toEqual(expect.arrayContaining(profileNames));
});
