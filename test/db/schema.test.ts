/** Drizzle's tables match the migrations, and the migrations keep the project's own rules about tables. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Client, openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import { checkout, readSources } from "../support/source.ts";

/**
 * Tables of the migrations that have no `table.ts`: storage reads them by plain SQL, and storage imports no domain
 * module.
 */
const WITHOUT_DRIZZLE = [
  "number_days",
  "contact_update_mutes",
  "instance",
  "kept_keys",
  "acme_accounts",
  "certificates",
  "search_cursors",
];

/**
 * Foreign keys without an index: the rows that they refer to are never deleted, so SQLite never looks them up
 * backwards.
 */
const WITHOUT_INDEX: Record<string, string> = {
  "consent_log.workspace_id": "the log is read by contact; workspaces are never deleted",
  "broadcasts.number_id": "numbers are marked as removed, never deleted",
  "broadcast_counters.workspace_id": "a row for each broadcast, read by its id; workspaces are never deleted",
  "messages.number_id": "numbers are marked as removed, never deleted",
  "media.number_id": "numbers are marked as removed, never deleted",
  "network_uploads.number_id": "numbers are marked as removed, never deleted",
  "uploads.workspace_id": "read by id or file; workspaces are never deleted",
  "echoes.number_id": "numbers are marked as removed, never deleted",
  "phone_contacts.number_id": "numbers are marked as removed, never deleted",
  "conversations.changed_by_id": "users are never deleted",
  "conversations.number_id": "numbers are marked as removed, never deleted",
  "thread_calls.number_id": "numbers are marked as removed, never deleted",
  "thread_calls.workspace_id": "read by id or contact; workspaces are never deleted",
  "blocks.number_id": "numbers are marked as removed, never deleted",
  "blocks.workspace_id": "read by id or contact; workspaces are never deleted",
  "simulated_blocks.workspace_id": "read by contact or number; workspaces are never deleted",
  "simulated_profiles.workspace_id": "a row for each number, read by its id; workspaces are never deleted",
  "note_mentions.number_id": "numbers are marked as removed, never deleted",
  "note_mentions.workspace_id": "read by user; workspaces are never deleted",
  "conversation_notes.number_id": "numbers are marked as removed, never deleted",
  "conversation_notes.user_id": "users are never deleted",
  "inbounds.number_id": "numbers are marked as removed, never deleted",
  "bursts.number_id": "numbers are marked as removed, never deleted",
  "parked_statuses.number_id": "it leads no index, and has no foreign key",
  "portfolio_recipients.workspace_id": "rows live a day, and are found by portfolio",
};

interface TableInfo {
  name: string;
  notnull: 0 | 1;
  type: string;
  pk: number;
}

const modules = readSources()
  .map(({ path }) => path)
  .filter((path) => /^src\/(jobs|transfer|domain\/[^/]+)\/table\.ts$/.test(path));

const tables = (
  await Promise.all(modules.map(async (path) => Object.values((await import(join(checkout, path))) as object)))
)
  .flat()
  .filter((value): value is SQLiteTable => is(value, SQLiteTable));

const client = openClient(":memory:", {});
migrate(client);
afterAll(() => void client.close());

describe("each Drizzle table matches the table in the file", () => {
  // Named after the property: the same rule as Drizzle's `casing: "snake_case"`.
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  for (const table of tables) {
    const { name, columns, primaryKeys } = getTableConfig(table);
    test(name, () => {
      const inCode = columns.map((column) => ({
        name: column.keyAsName ? snakeCase(column.name) : column.name,
        type: column.getSQLType().toUpperCase(),
        isNullable: !column.notNull,
        isKey: column.primary || primaryKeys.some((key) => key.columns.some((part) => part.name === column.name)),
      }));
      const inFile = columnsOf(client, name).map((column) => ({
        name: column.name,
        type: column.type,
        isNullable: column.notnull === 0 && column.pk === 0,
        isKey: column.pk > 0,
      }));
      const byName = (one: { name: string }, other: { name: string }): number => one.name.localeCompare(other.name);
      expect(inCode.sort(byName)).toEqual(inFile.sort(byName));
    });
  }

  test("every table of the migrations has exactly one Drizzle table", () => {
    const inFile = tablesOf(client).map(({ name }) => name);
    const inCode = [...WITHOUT_DRIZZLE, ...tables.map((table) => getTableConfig(table).name)];
    expect(inCode.sort()).toEqual(inFile.sort());
  });
});

test("every table is STRICT", () => {
  expect(tablesOf(client).filter(({ strict }) => strict !== 1)).toEqual([]);
});

test("every foreign key leads an index, or is listed here as one that needs none", () => {
  const missing = tablesOf(client).flatMap(({ name }) => {
    const led = leadingColumns(client, name);
    return foreignKeysOf(client, name)
      .filter((column) => !led.includes(column))
      .map((column) => `${name}.${column}`);
  });
  expect(missing.filter((column) => WITHOUT_INDEX[column] === undefined)).toEqual([]);
  expect(Object.keys(WITHOUT_INDEX).filter((column) => !missing.includes(column))).toEqual([]);
});

test("every foreign key refers to a unique column", () => {
  expect(client.pragma("foreign_key_check")).toEqual([]);
});

test("every column for an instant or an amount is an INTEGER", () => {
  const offences = tablesOf(client).flatMap(({ name }) =>
    columnsOf(client, name)
      .filter((column) => /(^|_)(at|rate|amount|held|charged|credited)$/.test(column.name) && column.type !== "INTEGER")
      .map((column) => `${name}.${column.name} is ${column.type}`),
  );
  expect(offences).toEqual([]);
});

function tablesOf(from: Client): { name: string; strict: number }[] {
  const found = from.pragma("table_list") as { name: string; schema: string; type: string; strict: number }[];
  return found.filter(({ schema, type, name }) => schema === "main" && type === "table" && !name.startsWith("sqlite_"));
}

function columnsOf(from: Client, table: string): TableInfo[] {
  return from.pragma(`table_info(${table})`) as TableInfo[];
}

function foreignKeysOf(from: Client, table: string): string[] {
  return (from.pragma(`foreign_key_list(${table})`) as { from: string }[]).map((key) => key.from);
}

/** The leading columns of an index or of the primary key. */
function leadingColumns(from: Client, table: string): (string | undefined)[] {
  const key = columnsOf(from, table).find(({ pk }) => pk === 1)?.name;
  const indexes = (from.pragma(`index_list(${table})`) as { name: string }[]).map(({ name }) => {
    const columns = from.pragma(`index_info(${name})`) as { seqno: number; name: string }[];
    return columns.find(({ seqno }) => seqno === 0)?.name;
  });
  return [key, ...indexes];
}
