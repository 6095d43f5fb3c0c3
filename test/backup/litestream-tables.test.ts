/** A database that Litestream replicates has two tables of Litestream's: whatever compares or copies the schema knows them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { upgradeDatabase } from "#src/backup/upgrade.ts";
import { openClient } from "#src/db/driver.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { databaseFiles } from "#src/db/files.ts";
import { migrations } from "#src/db/migrations.ts";
import { restoreSeed, restoreWorkspace, saveSeed, saveWorkspaceSeed } from "#src/db/seed.ts";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop, SHOP } from "../cli/spawn.ts";

const MINUTE_MS = 60_000;
/** As Litestream 0.3 to 0.5 run them. */
const LITESTREAM = `CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);
  INSERT INTO _litestream_seq (id, seq) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1;`;

function execute(database: string, statements: string): void {
  const client = openClient(database, {});
  client.exec(statements);
  client.close();
}

let workshop: CallingWorkshop;
let database: string;
beforeAll(async () => {
  workshop = new CallingWorkshop();
  database = join(workshop.data, "waxwing.db");
  await workshop.json(["workspace", "create", ...SHOP]);
  execute(database, LITESTREAM);
});
afterAll(() => workshop[Symbol.dispose]());

test("check, backup, the check of a backup and status find nothing", async () => {
  const backup = workshop.path("backup.db");
  expect(await workshop.json(["check"])).toMatchObject({ ok: true });
  await workshop.json(["backup", backup]);
  expect(await workshop.json(["check", backup])).toMatchObject({ ok: true });
  const { conditions } = (await workshop.json(["status"])) as { conditions: { id: string }[] };
  expect(conditions.filter(({ id }) => /database|check|backup_(failed|broken)/.test(id))).toEqual([]);
});

test("a backup passes its restore drill and is restored over a database that has the tables too", async () => {
  const backup = workshop.path("restored.db");
  await workshop.json(["backup", backup]);
  expect((await workshop.run(["restore", backup, "--rehearse"])).code).toBe(0);
  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null });
  expect(await workshop.json(["check"])).toMatchObject({ ok: true });
  execute(database, LITESTREAM);
});

test("a scheduled backup is made, verified and drilled", async () => {
  const clock = new TestClock("2026-11-21T02:29:00Z");
  const directory = workshop.path("scheduled");
  const config = { backup: { schedule: "30 2 * * *", directory, retention: 7, remote: null } };
  await using app = await startTestServer({ directory: workshop.path("served"), clock, config });
  await app.workspace();
  execute(workshop.path("served/waxwing.db"), LITESTREAM);
  for (let minute = 0; minute < 5; minute++) {
    await clock.advance(MINUTE_MS);
    while (app.server.isActive()) await new Promise((resolve) => setImmediate(resolve));
  }
  const made = [...new Bun.Glob("*.db").scanSync(directory)];
  expect(made).toHaveLength(1);
  expect(await workshop.json(["check", join(directory, made[0] ?? "")])).toMatchObject({ ok: true });
});

test("an upgrade migrates the database", () => {
  const files = databaseFiles(database);
  const latest = migrations.length;
  const next = { version: latest + 1, name: "next", sql: "CREATE TABLE next (id INTEGER) STRICT" };
  const copy = workshop.path("upgraded.db");
  Bun.spawnSync(["cp", files.database, copy]);
  const options = { now: Date.now(), newInstanceId: () => "newname0", readFileIdentity, onStep: () => undefined };
  const upgrade = upgradeDatabase(databaseFiles(copy), { ...options, known: [...migrations, next] });
  expect(upgrade).toMatchObject({ from: latest, to: latest + 1 });
});

test("a planned move takes the database along", async () => {
  using here = new CallingWorkshop();
  using there = new CallingWorkshop();
  await here.json(["workspace", "create", ...SHOP]);
  execute(join(here.data, "waxwing.db"), LITESTREAM);
  const file = here.path("move.tar");
  const { code } = (await here.json(["move", "out", file])) as { code: string };
  await there.json(["move", "in", file, "--code", code]);
  expect(await there.json(["check"])).toMatchObject({ ok: true });
});

test("a reset of all and of one workspace leaves the tables as they are, made before the seed or after it", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const [before, one, after] = ["before.db", "one.db", "after.db"].map((name) => workshop.path(name)) as [
    string,
    string,
    string,
  ];
  saveSeed(app.store, before);
  app.store.client.exec(LITESTREAM);
  await saveWorkspaceSeed(app.store, one, shop.id);
  saveSeed(app.store, after);
  app.store.client.exec(LITESTREAM);
  for (const path of [before, after]) await restoreSeed(app.store, path);
  await restoreWorkspace(app.store, one, shop.id, null);
  expect(app.store.client.prepare("SELECT seq FROM _litestream_seq").pluck().get()).toBe(2);
});

test("a table of that name with another text is foreign", async () => {
  using other = new CallingWorkshop();
  await other.json(["workspace", "create", ...SHOP]);
  execute(join(other.data, "waxwing.db"), "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq TEXT)");
  const { code, stdout } = await other.run(["check", "--json"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("table _litestream_seq (foreign)")]);
});
