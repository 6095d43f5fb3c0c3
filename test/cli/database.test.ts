/**
 * The database as the commands see it: which command creates it, with which permissions, and which databases are
 * refused.
 */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { lockExclusively, lockShared } from "#src/db/lock.ts";
import { SHOP, Workshop } from "./spawn.ts";

describe("without a database", () => {
  test("a command without a database names the path that it tried, and creates nothing", async () => {
    using workshop = new Workshop();
    const words = await workshop.run(["workspace", "list"]);
    expect(words).toMatchObject({ code: 1, stdout: "" });
    expect(words.stderr).toContain(workshop.path("data/waxwing.db"));
    expect(words.stderr).toContain("waxwing workspace create");
    const commands = [
      ["key", "create", "--workspace", "1"],
      ["webhook", "test", "--workspace", "1"],
      ["simulate", "inbound", "--workspace", "1", "--from", "1", "--text", "x"],
      ["delivery", "replay", "1"],
    ];
    for (const error of await Promise.all(commands.map((args) => workshop.refusal([...args, "--data", "elsewhere"])))) {
      expect(error.code).toBe("no_database");
      expect(error.message).toContain(workshop.path("elsewhere/waxwing.db"));
    }
    expect(readdirSync(workshop.directory)).toEqual(["waxwing.toml"]);
  });

  test("workspace create makes a private directory, database and key; several started at once share one database", async () => {
    using workshop = new Workshop();
    const made = await Promise.all(
      ["A", "B", "C", "D"].map((name) =>
        workshop.json<{ id: number }>(["workspace", "create", "--name", name, ...SHOP.slice(2), "--data", "deep/data"]),
      ),
    );
    expect(made.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4]);
    expect(statSync(workshop.path("deep/data")).mode & 0o777).toBe(0o700);
    const files = readdirSync(workshop.path("deep/data"));
    expect(files).toContain("waxwing.key");
    for (const file of files) {
      expect([file, statSync(workshop.path(`deep/data/${file}`)).mode & 0o777]).toEqual([file, 0o600]);
    }
  });

  test("a refused workspace create leaves no row behind", async () => {
    using workshop = new Workshop();
    const error = await workshop.refusal(["workspace", "create", ...SHOP, "--currency", "dollars", "--rate", "1"]);
    expect(error).toMatchObject({ code: "invalid_request", fields: { currency: [expect.any(String)] } });
    expect(await workshop.json<unknown[]>(["workspace", "list"])).toEqual([]);
  });
});

describe("an unusable database", () => {
  test("a newer schema, an older schema and a file that is not a database are each refused with advice", async () => {
    using workshop = new Workshop();
    await workshop.json(["workspace", "create", ...SHOP]);
    const setVersion = (version: number): void => {
      using database = new Database(workshop.path("data/waxwing.db"));
      database.run(`PRAGMA user_version = ${version}`);
    };
    setVersion(9_999);
    expect(await workshop.refusal(["workspace", "list"])).toMatchObject({ code: "newer_schema" });
    setVersion(0);
    const older = await workshop.refusal(["key", "create", "--workspace", "1"]);
    expect(older).toMatchObject({ code: "older_schema", next: expect.stringContaining("start the server") });
    workshop.write("notes.db", "these are not pages of a database, but a long enough text".repeat(100));
    const env = { WAXWING_STORAGE_PATH: workshop.path("notes.db") };
    expect(await workshop.refusal(["workspace", "list"], { env })).toMatchObject({ code: "unavailable" });
  });

  test("without its key file, only commands that need the key are refused, and no new key is created", async () => {
    using workshop = new Workshop();
    await workshop.json(["workspace", "create", ...SHOP]);
    rmSync(workshop.path("data/waxwing.key"));
    await workshop.json(["workspace", "create", ...SHOP]);
    const error = await workshop.refusal(["webhook", "set", "--workspace", "1", "--url", "https://example.com/"]);
    expect(error).toMatchObject({ code: "secret_key_unusable" });
    expect(existsSync(workshop.path("data/waxwing.key"))).toBe(false);
  });
});

test("a mistake in the configuration stops every command and names file and line", async () => {
  using workshop = new Workshop("[server]\nlisten = 8080\n");
  const error = await workshop.refusal(["workspace", "list"]);
  expect(error.code).toBe("invalid_config");
  expect(error.message).toContain("waxwing.toml:2");
});

test("while the database file is being replaced, only reading commands work; otherwise commands do not block each other", async () => {
  using workshop = new Workshop();
  await workshop.json(["workspace", "create", ...SHOP]);
  const shared = lockShared(workshop.path("data/waxwing.db.command-lock"));
  await workshop.json(["key", "create", "--workspace", "1"]);
  shared.release();
  const alone = lockExclusively(workshop.path("data/waxwing.db.command-lock"));
  try {
    expect(await workshop.refusal(["key", "create", "--workspace", "1"])).toMatchObject({ code: "locked" });
    expect(await workshop.json<unknown[]>(["key", "list"])).toHaveLength(1);
  } finally {
    alone.release();
  }
});

test("check --schema tells whether this executable can run on a database, and changes nothing", async () => {
  using workshop = new Workshop();
  await workshop.json(["workspace", "create", ...SHOP]);
  const path = workshop.path("data/waxwing.db");
  const setSchema = (version: number): void => {
    const database = new Database(path);
    database.run(`PRAGMA user_version = ${version}`);
    database.close();
  };
  const { known } = await workshop.json<{ known: number }>(["check", "--schema"]);
  expect(await workshop.json(["check", "--schema", path])).toEqual({ ok: true, file: path, schema: known, known });
  setSchema(known - 1);
  const before = readFileSync(path);
  expect(await workshop.json(["check", "--schema"])).toMatchObject({ ok: true, schema: known - 1 });
  expect(readFileSync(path).equals(before)).toBe(true);
  setSchema(known + 1);
  expect(await workshop.refusal(["check", "--schema"])).toMatchObject({ code: "newer_schema" });
});
