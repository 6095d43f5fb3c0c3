/** Backups are made online, verified and never block writes; the server prunes only the scheduled ones. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackupJobs } from "#src/backup/jobs.ts";
import { backupName, removeOldBackups } from "#src/backup/rotation.ts";
import { createLog } from "#src/core/log.ts";
import { openClient } from "#src/db/driver.ts";
import { readInstance } from "#src/db/instance.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { TestClock } from "#test/support/clock.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";
import { until } from "#test/support/whatsapp-process.ts";
import { CallingWorkshop, Workshop } from "../cli/spawn.ts";

test("a backup beside a running server holds everything committed before it, has backup metadata, is private and verified", async () => {
  using workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  await busyShop(app);
  const file = workshop.path("copies/one.db");
  const report = await workshop.json(["backup", file]);
  expect(report).toMatchObject({ file, verified: true, counts: { workspaces: 1, messages: 5 } });
  expect(report.key_file).toBe(workshop.path("data/waxwing.key"));
  expect(readdirSync(workshop.path("copies"))).toEqual(["one.db", "one.db.sha256"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const copy = openClient(file, { readonly: true });
  expect(readInstance(copy)?.backupMetadata).toMatchObject({ kind: "backup", hasGap: false });
  copy.close();
  expect(readInstance(app.store.client)?.backupMetadata).toBeNull();
  expect(await workshop.refusal(["backup", file])).toMatchObject({ code: "file_exists" });
});

test("a broken invariant of the database is reported with exit 1, and the backup is kept: it is as good as the database", async () => {
  using workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data"), mayBreak: true });
  await busyShop(app);
  app.store.client.exec("UPDATE billing_accounts SET held = held + 1");
  const { code, stdout } = await workshop.run(["backup", workshop.path("flawed.db"), "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    expect.objectContaining({
      verified: false,
      broken: [expect.objectContaining({ name: "held_equals_open_messages" })],
    }),
  ]);
  expect(statSync(workshop.path("flawed.db")).size).toBeGreaterThan(0);
});

test("writes proceed while a backup is made, and the backup holds none of them in part", async () => {
  using workshop = new Workshop();
  await using app = await startTestServer({
    directory: workshop.path("data"),
    // The command uses real time, by which it tells a message that has been open for an hour from one in flight.
    clock: TestClock.atPresent(),
  });
  const shop = await busyShop(app);
  const made = workshop.json(["backup", workshop.path("busy.db")]);
  let isDone = false;
  void made.finally(() => {
    isDone = true;
  });
  let sent = 0;
  while (!isDone) {
    const { status } = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
    if (status === 201) sent += 1;
  }
  expect(await made).toMatchObject({ verified: true });
  expect(sent).toBeGreaterThan(0);
});

test("a backup that cannot be written is refused and leaves no file", async () => {
  using workshop = new CallingWorkshop();
  await workshop.json(["workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "UTC"]);
  expect(await workshop.refusal(["backup", "/proc/waxwing.db"])).toHaveProperty("code");
  expect(readdirSync(workshop.path("data")).filter((name) => name.includes("unfinished"))).toEqual([]);
});

test("only scheduled backups are pruned, the oldest first, and none while the newest is not sound", () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-keep-"));
  try {
    const at = (hour: number): number => Date.parse("2026-11-21T00:00:00Z") + hour * 3_600_000;
    const make = (hour: number): string => {
      const name = backupName(directory, at(hour));
      writeFileSync(name, "");
      return name;
    };
    writeFileSync(join(directory, "by-hand.db"), "");
    for (const hour of [1, 2, 3, 4]) make(hour);
    const newest = { file: make(5), bytes: 0, schema: 3, counts: {}, at: at(5), findings: [] };
    const flaw = { name: "x", sentence: "", count: 1, of: "", ids: [1], next: "" };
    expect(removeOldBackups(directory, { ...newest, findings: [flaw] }, 1)).toEqual([]);
    expect(removeOldBackups(directory, newest, 2)).toEqual([
      "waxwing-20261121T010000Z.db",
      "waxwing-20261121T020000Z.db",
      "waxwing-20261121T030000Z.db",
    ]);
    expect(readdirSync(directory).toSorted()).toEqual([
      "by-hand.db",
      "waxwing-20261121T040000Z.db",
      "waxwing-20261121T050000Z.db",
    ]);
    // Made while the clock was set back: the newest all the same.
    const back = { ...newest, file: make(0), at: at(0) };
    expect(removeOldBackups(directory, back, 1)).toHaveLength(2);
    expect(readdirSync(directory).toSorted()).toEqual(["by-hand.db", "waxwing-20261121T000000Z.db"]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** From 8 o'clock to 8 o'clock. Only around 3 o'clock does each of upkeep's runs come at its time. */
async function nightOf({ clock }: TestServer): Promise<void> {
  await clock.pass(18.5 * 3_600_000);
  await clock.advance(3_600_000);
  await clock.pass(4.5 * 3_600_000);
}

test("the server makes backups at the configured time in the configured directory, keeps the configured number, and logs each", async () => {
  using workshop = new CallingWorkshop();
  const directory = workshop.path("nightly");
  const backup = { schedule: "0 3 * * *", directory, retention: 2 };
  await using app = await startTestServer({ directory: workshop.path("data"), config: { backup } });
  await busyShop(app);
  const made = (): string[] =>
    readdirSync(directory)
      .filter((name) => name.endsWith(".db"))
      .toSorted();
  for (let night = 0; night < 3; night++) await nightOf(app);
  const completed = () => app.logged.filter((line) => line.includes("event=backup.completed "));
  // On a slow machine the last one is still being verified when its night is over.
  await until("three backups are logged", () => completed().length >= 3);
  expect(completed()).toHaveLength(3);
  expect(made()).toHaveLength(2);
  expect(readdirSync(directory).filter((name) => name.endsWith(".sha256"))).toHaveLength(2);
  expect(made().every((name) => /^waxwing-\d{8}T030000Z\.db$/.test(name))).toBe(true);
  expect(await workshop.json(["check", join(directory, made()[0] ?? "")])).toMatchObject({ ok: true });
  expect((await app.call("GET", "/metrics", { key: METRICS_TOKEN })).text).toContain(
    "waxwing_backup_last_success_seconds",
  );
});

test("a scheduled backup that fails is logged as an error, and earlier backups stay", async () => {
  using workshop = new CallingWorkshop();
  const backup = { schedule: "0 3 * * *", directory: workshop.write("a-file", "in the way"), retention: 2 };
  await using app = await startTestServer({
    directory: workshop.path("data"),
    config: { backup },
    expectedErrors: /event=backup\.failed /,
  });
  await nightOf(app);
  expect(app.logged.join("")).toContain("event=backup.failed ");
});

test("work on the database runs one at a time; a backup that comes due meanwhile runs after it", async () => {
  using workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  let failures = 0;
  const jobs = new BackupJobs({
    clock: app.clock,
    log: createLog({ level: "error", format: "text", now: () => 0, write: () => undefined }),
    database: workshop.path("data/waxwing.db"),
    directory: workshop.path("own"),
    onFailure: () => {
      failures += 1;
    },
  });
  expect([jobs.start({ kind: "check" }), jobs.start({ kind: "backup", retention: null })]).toEqual([true, false]);
  jobs.startNext({ kind: "backup", retention: null });
  expect(jobs.current?.request.kind).toBe("check");
  while (jobs.isActive) await new Promise((resolve) => setImmediate(resolve));
  expect([jobs.findLast("check")?.error, jobs.findLast("backup")?.error, failures]).toEqual([null, null, 0]);
  expect(jobs.lastSoundAt()).toBe(app.clock.now());
  expect(jobs.list()).toHaveLength(1);
});
