/** Migrations run forward only, each wholly or not at all, and never on a database that a newer Waxwing has opened. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOrCreateInstanceId } from "#src/db/instance.ts";
import { APPLICATION_ID, migrate, NewerSchema, schemaVersion, UnknownSchema } from "#src/db/migrate.ts";
import { type Migration, migrations } from "#src/db/migrations.ts";
import { schemaFile, schemaText } from "../../scripts/schema.ts";
import { column, openTestDatabase, single } from "../support/database.ts";
import { checkout } from "../support/source.ts";

const latest = migrations.at(-1)?.version ?? 0;

test("an empty file gets every migration, a second start none", async () => {
  await using database = openTestDatabase();
  const { client } = database.store;
  expect(schemaVersion(client)).toBe(0);
  expect(migrate(client)).toEqual([...migrations]);
  expect(schemaVersion(client)).toBe(latest);
  expect(single(client, "PRAGMA integrity_check")).toBe("ok");
  expect(column(client, "PRAGMA foreign_key_check")).toEqual([]);
  const before = schemaText(client);
  expect(migrate(client)).toEqual([]);
  const reopened = database.reopen().client;
  expect(migrate(reopened)).toEqual([]);
  expect(schemaText(reopened)).toBe(before);
});

test("every file of migrations/ is embedded once, in the order of its number", () => {
  const files = readdirSync(join(checkout, "migrations"))
    .filter((name) => name !== "schema.sql")
    .sort();
  expect(migrations.map(({ version, name }) => `${String(version).padStart(4, "0")}_${name}.sql`)).toEqual(files);
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

test("a database of a newer Waxwing is refused with advice, and not changed", async () => {
  await using database = openTestDatabase({ schema: true });
  const { client } = database.store;
  client.pragma(`user_version = ${latest + 3}`);
  const before = schemaText(client);
  const dataVersion = database.store.dataVersion();
  expect(() => migrate(client)).toThrow(NewerSchema);
  expect(() => migrate(client)).toThrow(
    `the database has schema ${latest + 3}, and this executable supports up to ${latest}: a newer Waxwing has opened it. ` +
      "Install that version again, or restore a backup made before the upgrade.",
  );
  expect(schemaText(client)).toBe(before);
  expect(database.store.dataVersion()).toBe(dataVersion);
  expect(client.inTransaction).toBe(false);
});

test("keys of 0.1 keep its endpoints: without scopes all of them, with scopes those, and no other column changes", async () => {
  await using database = openTestDatabase();
  const { client } = database.store;
  migrate(client, migrations.slice(0, 1));
  client.exec(`
    INSERT INTO workspaces (id, name, country, timezone, stop_words, start_words, api_enabled, created_at, updated_at)
    VALUES (1, 'Shop', 'IN', 'Asia/Kolkata', '[]', '[]', 1, 0, 0);
    INSERT INTO api_keys (workspace_id, name, prefix, hash, scopes, expires_at, daily_people, created_at, last_used_at)
    VALUES (1, 'all', 'wx_1', x'01', NULL, 5, 6, 7, 8), (1, 'reader', 'wx_2', x'02', '["read","send"]', NULL, NULL, 7, NULL);
  `);
  const kept =
    "SELECT name || prefix || hex(hash) || coalesce(expires_at, '') || coalesce(daily_people, '') || created_at FROM api_keys";
  const before = column(client, kept);
  migrate(client);
  expect(column(client, kept)).toEqual(before);
  expect(column(client, "SELECT scopes FROM api_keys ORDER BY id")).toEqual([
    '["read","send","broadcast","contacts","templates"]',
    '["read","send"]',
  ]);
  expect(column(client, "SELECT is_of_first_version FROM api_keys")).toEqual([1, 1]);
  client.exec(
    "INSERT INTO api_keys (workspace_id, name, prefix, hash, created_at) VALUES (1, 'new', 'wx_3', x'03', 9)",
  );
  expect(column(client, "SELECT scopes || is_of_first_version FROM api_keys WHERE id = 3")).toEqual(["[]0"]);
});

test("members stay members, invitations keep their links, and owners of a workspace with members have news", async () => {
  await using database = openTestDatabase();
  const { client } = database.store;
  migrate(client, migrations.slice(0, 2));
  client.exec(`
    INSERT INTO workspaces (id, name, country, timezone, stop_words, start_words, api_enabled, created_at, updated_at)
    VALUES (1, 'Shop', 'IN', 'Asia/Kolkata', '[]', '[]', 1, 0, 0), (2, 'Alone', 'IN', 'Asia/Kolkata', '[]', '[]', 1, 0, 0);
    INSERT INTO users (id, email, email_key, is_operator, created_at, updated_at)
    VALUES (1, 'a@x.test', 'a@x.test', 0, 0, 0), (2, 'b@x.test', 'b@x.test', 0, 0, 0);
    INSERT INTO memberships (user_id, workspace_id, role, created_at) VALUES (1, 1, 'owner', 5), (2, 1, 'member', 6), (1, 2, 'owner', 7);
    INSERT INTO user_links (id, kind, user_id, hash, created_at, expires_at, workspace_id, role)
    VALUES (7, 'join', 2, x'01', 1, 2, 2, 'member'), (8, 'reset', 1, x'02', 3, 4, NULL, NULL);
  `);
  const links =
    "SELECT id || kind || user_id || hex(hash) || created_at || expires_at || coalesce(role, '') FROM user_links";
  const before = column(client, links);
  migrate(client);
  expect(column(client, links)).toEqual(before);
  expect(
    column(
      client,
      "SELECT user_id || ' ' || workspace_id || ' ' || role || ' ' || has_news FROM memberships ORDER BY created_at",
    ),
  ).toEqual(["1 1 owner 1", "2 1 member 0", "1 2 owner 0"]);
  expect(() => client.exec("UPDATE memberships SET role = 'nobody'")).toThrow("CHECK");
});

describe("a migration that fails", () => {
  const steps: Migration[] = [
    { version: 1, name: "first", sql: "CREATE TABLE one (id INTEGER) STRICT; INSERT INTO one VALUES (1);" },
    {
      version: 2,
      name: "second",
      sql: "CREATE TABLE two (id INTEGER) STRICT; DELETE FROM one; INSERT INTO nowhere VALUES (1);",
    },
    { version: 3, name: "third", sql: "CREATE TABLE three (id INTEGER) STRICT;" },
  ];

  test("is rolled back whole; earlier migrations stay, later ones are not run", async () => {
    await using database = openTestDatabase();
    const { client } = database.store;
    migrate(client, steps.slice(0, 1));
    const failure = (): unknown => {
      try {
        return migrate(client, steps);
      } catch (error) {
        return error;
      }
    };
    expect(failure()).toMatchObject({
      message: "migration 2 (second) failed; the database is unchanged",
      cause: { message: "no such table: nowhere" },
    });
    expect(client.inTransaction).toBe(false);
    const reopened = database.reopen().client;
    expect(schemaVersion(reopened)).toBe(1);
    expect(column(reopened, "SELECT name FROM sqlite_master")).toEqual(["one"]);
    expect(column(reopened, "SELECT id FROM one")).toEqual([1]);

    const repaired = steps.map((step) =>
      step.version === 2 ? { ...step, sql: "CREATE TABLE two (id INTEGER) STRICT;" } : step,
    );
    expect(migrate(reopened, repaired).map(({ version }) => version)).toEqual([2, 3]);
    expect(schemaVersion(reopened)).toBe(3);
  });

  test("leaves a new database empty, so that a half-made one is never opened", async () => {
    await using database = openTestDatabase();
    expect(() => migrate(database.store.client, steps)).toThrow("migration 2 (second) failed");
    expect(schemaVersion(database.store.client)).toBe(0);
    expect(column(database.store.client, "SELECT name FROM sqlite_master")).toEqual([]);
  });

  test("leaves the old schema when the disk has no room for it", async () => {
    await using database = openTestDatabase({ schema: steps[0]?.sql ?? "" });
    const { client } = database.store;
    client.pragma(`application_id = ${APPLICATION_ID}`);
    client.pragma("user_version = 1");
    client.pragma(`max_page_count = ${Number(client.pragma("page_count", { simple: true })) + 1}`);
    const greedy = {
      version: 2,
      name: "greedy",
      sql: "CREATE TABLE two (body BLOB); INSERT INTO two VALUES (zeroblob(100000));",
    };
    expect(() => migrate(client, [...steps.slice(0, 1), greedy])).toThrow("migration 2 (greedy) failed");
    expect(client.inTransaction).toBe(false);
    expect(schemaVersion(client)).toBe(1);
    expect(column(client, "SELECT name FROM sqlite_master")).toEqual(["one"]);
  });
});

test("two processes that start at once apply each migration once", async () => {
  await using database = openTestDatabase();
  const other = database.connect();
  const steps: Migration[] = [{ version: 1, name: "first", sql: "CREATE TABLE one (id INTEGER) STRICT;" }];
  // The second process read the version before the first one had migrated, and got the lock after it.
  const late = new Proxy(other, {
    get(target, property) {
      if (property === "pragma") {
        return (...given: Parameters<typeof target.pragma>) => {
          const found = target.pragma(...given);
          if (given[0] === "user_version" && !target.inTransaction) migrate(database.store.client, steps);
          return found;
        };
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  migrate(late, steps);
  expect(schemaVersion(other)).toBe(1);
  expect(column(other, "SELECT name FROM sqlite_master")).toEqual(["one"]);
});

test("a database keeps the instance id that it was created with", async () => {
  await using database = openTestDatabase({ schema: true });
  expect(readOrCreateInstanceId(database.store.client, 1, () => "first000")).toBe("first000");
  expect(readOrCreateInstanceId(database.connect(), 2, () => "second00")).toBe("first000");
  expect(readOrCreateInstanceId(database.reopen().client, 3, () => "third000")).toBe("first000");
});

test("migrations/schema.sql is what the migrations produce (run `bun scripts/schema.ts` after adding one)", async () => {
  await using database = openTestDatabase({ schema: true });
  expect(readFileSync(schemaFile, "utf8")).toBe(schemaText(database.store.client));
});

test("a database of another program, or of a build from before the first release, is refused and not changed", async () => {
  for (const maker of [0, 0x1234]) {
    await using database = openTestDatabase({ schema: "CREATE TABLE one (id INTEGER) STRICT;" });
    const { client } = database.store;
    client.pragma("user_version = 1");
    client.pragma(`application_id = ${maker}`);
    expect(() => migrate(client)).toThrow(UnknownSchema);
    expect(() => migrate(client)).toThrow(
      "the database has schema 1 of another program, or of a build of Waxwing from before 0.1.0, which no release can open.",
    );
    expect(column(client, "SELECT name FROM sqlite_master")).toEqual(["one"]);
    expect(client.inTransaction).toBe(false);
  }
});
