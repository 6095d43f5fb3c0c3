/**
 * A file with a schema of another author is refused by `check`, `restore` and the restore drill, and nothing of that
 * schema runs: each file here would make an operator, or change what a statement of ours does.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { openClient } from "#src/db/driver.ts";
import { compareSchema } from "#src/db/schema-objects.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const OPERATOR = `INSERT INTO users (email, email_key, is_operator, created_at, updated_at)
  VALUES ('evil@example.com', 'evil@example.com', 1, 1, 1)`;

/** Statements that an attacker runs on a backup, by what they add or change. */
const ATTACKS: Readonly<Record<string, { statements: string[]; object: string }>> = {
  "a trigger": {
    statements: [`CREATE TRIGGER steal AFTER UPDATE ON instance BEGIN ${OPERATOR}; END`],
    object: "trigger steal (foreign)",
  },
  "a view": { statements: ["CREATE VIEW everybody AS SELECT * FROM users"], object: "view everybody (foreign)" },
  "a table": { statements: ["CREATE TABLE more (id INTEGER PRIMARY KEY)"], object: "table more (foreign)" },
  "a virtual table": {
    statements: ["CREATE VIRTUAL TABLE found USING fts5(text)"],
    object: "table found (foreign)",
  },
  "an index on an expression": {
    statements: ["CREATE INDEX slow ON users (hex(zeroblob(100)))"],
    object: "index slow (foreign)",
  },
  "a generated column": {
    statements: ["ALTER TABLE users ADD COLUMN evil TEXT GENERATED ALWAYS AS (upper(email))"],
    object: "table users (changed)",
  },
  "an altered default": {
    statements: [
      "PRAGMA writable_schema = ON",
      "UPDATE sqlite_schema SET sql = replace(sql, 'totp_step INTEGER NOT NULL DEFAULT 0', 'totp_step INTEGER NOT NULL DEFAULT 9') WHERE name = 'users'",
    ],
    object: "table users (changed)",
  },
  "a partial index with another condition": {
    statements: [
      "DROP INDEX users_operator",
      "CREATE INDEX users_operator ON users (is_operator) WHERE is_operator = 0",
    ],
    object: "index users_operator (changed)",
  },
  "a missing unique index": { statements: ["DROP INDEX users_email"], object: "index users_email (missing)" },
};

let workshop: CallingWorkshop;
let backup: string;

beforeAll(async () => {
  workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  await app.workspace();
  backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
});
afterAll(() => workshop[Symbol.dispose]());

const operators = (file: string): unknown => {
  const client = openClient(file, { readonly: true });
  const found = client.prepare("SELECT email FROM users WHERE is_operator = 1").pluck().all();
  client.close();
  return found;
};

describe.each(Object.entries(ATTACKS))("a backup with %s", (name, { statements, object }) => {
  test("is called broken by check, and refused by restore and its drill without a change", async () => {
    const file = workshop.path(`${name.replaceAll(" ", "-")}.db`);
    cpSync(backup, file);
    const client = openClient(file, {});
    client.unsafeMode(true);
    for (const statement of statements) client.exec(statement);
    client.close();

    const checked = await workshop.run(["check", file, "--json"]);
    expect(checked.code).toBe(1);
    const { broken } = JSON.parse(checked.stdout) as { broken: { name: string; ids: string[] }[] };
    expect(broken).toEqual([expect.objectContaining({ name: "objects", ids: expect.arrayContaining([object]) })]);

    const before = readdirSync(workshop.path("data"));
    for (const options of [[], ["--rehearse"], ["--accept-gap"]]) {
      const restored = await workshop.run(["restore", file, ...options]);
      expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(object.replace(/ \(.*/, ""))]);
    }
    expect(readdirSync(workshop.path("data")).filter((entry) => !entry.includes("lock"))).toEqual(
      before.filter((entry) => !entry.includes("lock")),
    );
    expect(operators(workshop.path("data/waxwing.db"))).toEqual([]);
  });
});

test("the backup itself passes, also with statistics that an operator gathered", async () => {
  const file = workshop.path("analyzed.db");
  cpSync(backup, file);
  const client = openClient(file, {});
  client.exec("ANALYZE");
  expect(compareSchema(client)).toEqual([]);
  client.close();
  expect((await workshop.run(["check", file])).code).toBe(0);
  expect(existsSync(file)).toBe(true);
});

test("a foreign object in the running database does not stop its backups, and the check names it", async () => {
  using other = new CallingWorkshop();
  await using app = await startTestServer({ directory: other.path("data"), mayBreak: true });
  expect(app.server.url).toStartWith("http");
  const client = openClient(other.path("data/waxwing.db"), {});
  client.exec("CREATE INDEX helpful ON users (created_at)");
  client.close();
  const made = await other.run(["backup", other.path("b.db"), "--json"]);
  expect(existsSync(other.path("b.db"))).toBe(true);
  expect(made.stdout).toContain("index helpful (foreign)");
});
