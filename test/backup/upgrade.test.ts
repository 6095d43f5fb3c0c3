/** Upgrades run on a copy first: the database is either the new one, whole, or the old one, unchanged. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { UpgradeFailed, type UpgradeOptions, upgradeDatabase } from "#src/backup/upgrade.ts";
import { openClient } from "#src/db/driver.ts";
import { isSameFile, readFileIdentity } from "#src/db/file-identity.ts";
import { databaseFiles } from "#src/db/files.ts";
import { readInstance } from "#src/db/instance.ts";
import { lockShared } from "#src/db/lock.ts";
import { NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { type Migration, migrations } from "#src/db/migrations.ts";
import { CallingWorkshop, SHOP } from "../cli/spawn.ts";

const latest = migrations.length;
const next: Migration = { version: latest + 1, name: "next", sql: "CREATE TABLE next (id INTEGER) STRICT" };
const failing: Migration = {
  version: latest + 1,
  name: "failing",
  sql: "DELETE FROM workspaces; INSERT INTO nowhere VALUES (1)",
};
const orphaning: Migration = {
  version: latest + 1,
  name: "orphaning",
  sql: "PRAGMA defer_foreign_keys = ON; INSERT INTO group_members (group_id, contact_id) VALUES (99, 99)",
};

const options = (known: Migration[]): UpgradeOptions => ({
  now: Date.parse("2026-11-21T08:00:00Z"),
  newInstanceId: () => "newname0",
  readFileIdentity,
  onStep: () => undefined,
  known: [...migrations, ...known],
});

async function shop(): Promise<{ workshop: CallingWorkshop; files: ReturnType<typeof databaseFiles> }> {
  const workshop = new CallingWorkshop();
  await workshop.json(["workspace", "create", ...SHOP]);
  return { workshop, files: databaseFiles(workshop.path("data/waxwing.db")) };
}

test("the migrated and checked copy replaces the database, the old one is kept, and the new one does not count as restored", async () => {
  const { workshop, files } = await shop();
  using _ = workshop;
  const upgrade = upgradeDatabase(files, options([next]));
  expect(upgrade).toMatchObject({ from: latest, to: latest + 1 });
  expect(look(files.database, schemaVersion)).toBe(latest + 1);
  expect(look(files.database, (client) => client.prepare("SELECT name FROM workspaces").pluck().all())).toEqual([
    "Shop",
  ]);
  const live = look(files.database, readInstance);
  expect(live?.backupMetadata).toBeNull();
  expect(
    live?.fileIdentity !== null &&
      live?.fileIdentity !== undefined &&
      isSameFile(live.fileIdentity, readFileIdentity(files.database)),
  ).toBe(true);
  expect(look(upgrade?.kept ?? "", schemaVersion)).toBe(latest);
  expect(look(upgrade?.kept ?? "", readInstance)?.backupMetadata).toMatchObject({ kind: "upgrade" });
  expect(upgradeDatabase(files, options([next]))).toBeNull();
});

test("a migration that fails, or breaks a reference, leaves every byte of the old database and no file of its own", async () => {
  for (const bad of [failing, orphaning]) {
    const { workshop, files } = await shop();
    using _ = workshop;
    const before = readFileSync(files.database);
    const names = readdirSync(workshop.path("data"));
    let said = "";
    try {
      upgradeDatabase(files, options([bad]));
    } catch (error) {
      expect(error).toBeInstanceOf(UpgradeFailed);
      said = String(error);
    }
    expect(said).toContain("Nothing was changed");
    expect(readFileSync(files.database).equals(before)).toBe(true);
    expect(
      readdirSync(workshop.path("data")).filter((name) => !names.includes(name) && !/-(lock|wal|shm)$/.test(name)),
    ).toEqual([]);
  }
});

test("an upgrade is refused while a command writes, and runs once it has ended", async () => {
  const { workshop, files } = await shop();
  using _ = workshop;
  const command = lockShared(files.commandLock);
  expect(() => upgradeDatabase(files, options([next]))).toThrow("a command is still writing");
  command.release();
  expect(upgradeDatabase(files, options([next]))).not.toBeNull();
});

test("a new database, a current one and a newer one are not changed", async () => {
  const { workshop, files } = await shop();
  using _ = workshop;
  expect(upgradeDatabase(files, options([]))).toBeNull();
  expect(upgradeDatabase(databaseFiles(workshop.path("data/none.db")), options([next]))).toBeNull();
  look(files.database, (client) => client.pragma(`user_version = ${latest + 5}`));
  expect(() => upgradeDatabase(files, options([next]))).toThrow(NewerSchema);
});

test("a database of a build from before the first release does not open, and every command says so", async () => {
  const workshop = new CallingWorkshop();
  using _ = workshop;
  await workshop.json(["workspace", "create", ...SHOP]);
  const database = workshop.path("data/waxwing.db");
  look(database, (client) => {
    client.pragma("user_version = 7");
    client.pragma("application_id = 0");
    client.pragma("wal_checkpoint(TRUNCATE)");
  });
  const before = await Bun.file(database).bytes();
  for (const words of [["serve", "--listen", "127.0.0.1:0"], ["workspace", "list"], ["check"], ["check", database]]) {
    const { code, stdout, stderr } = await workshop.run(["--json", ...words]);
    expect({ words, code }).toEqual({ words, code: 1 });
    expect(`${stdout}${stderr}`).toContain("of a build of Waxwing from before 0.1.0, which no release can open");
  }
  expect(await Bun.file(database).bytes()).toEqual(before);
});

function look<T>(path: string, read: (client: ReturnType<typeof openClient>) => T): T {
  const client = openClient(path, {});
  try {
    return read(client);
  } finally {
    client.close();
  }
}
