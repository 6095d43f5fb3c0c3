/** `waxwing status`, beside a running server and without one. */
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop, SHOP } from "./spawn.ts";

const MINUTE_MS = 60_000;

interface Told {
  id: string;
  severity: string;
  since: string;
}

/** What depends on the disk of this machine is left aside. */
async function status(workshop: CallingWorkshop): Promise<{ code: number; conditions: Told[]; running: boolean }> {
  const { code, stdout } = await workshop.run(["--json", "status"]);
  const { conditions, server } = JSON.parse(stdout);
  return { code, conditions: conditions.filter(({ id }: Told) => id !== "disk_low"), running: server.running };
}

test("without a server, status reads the database; without a database, it names the path", async () => {
  using workshop = new CallingWorkshop();
  expect(await workshop.run(["status"])).toMatchObject({ code: 1, stderr: expect.stringContaining("data/waxwing.db") });
  const { id } = await workshop.json(["workspace", "create", ...SHOP]);
  expect(await status(workshop)).toEqual({ code: 0, conditions: [], running: false });
  const phone = ["--phone", "+911244001100", "--name", "Shop", "--network", "simulator"];
  const number = await workshop.json(["number", "add", "--workspace", String(id), ...phone]);
  await workshop.run(["number", "unready", String(number.id), "--reason", "stocktaking"]);
  expect(await status(workshop)).toMatchObject({
    code: 1,
    conditions: [
      {
        id: `number_not_ready:${number.id}`,
        severity: "critical",
        subject: "number +911244001100",
        says: "+911244001100 can't send: “stocktaking”",
        next: expect.any(String),
        since: expect.any(String),
      },
    ],
  });
  const { stdout } = await workshop.run(["status"]);
  expect(stdout).toContain("CRITICAL  number +911244001100: +911244001100 can't send: “stocktaking”");
});

test("beside a server, status has what only the server knows, and the time since when a condition lasts", async () => {
  using workshop = new CallingWorkshop();
  // The command is a process of its own, which goes by the real time.
  const clock = TestClock.atPresent();
  await using app = await startTestServer({
    clock,
    healthTimers: clock,
    expectedErrors: / /,
    config: { backup: { schedule: "30 2 * * *" } },
  });
  workshop.data = app.directory;
  await app.workspace();
  await clock.advance(MINUTE_MS);
  expect(await status(workshop)).toEqual({ code: 0, conditions: [], running: true });
  app.store.client.pragma("query_only = ON");
  await clock.advance(MINUTE_MS);
  const first = await status(workshop);
  expect(first).toMatchObject({
    code: 1,
    conditions: [{ id: "database_not_writable", severity: "critical" }, { id: "commits_failed" }],
  });
  await clock.advance(MINUTE_MS);
  expect((await status(workshop)).conditions.map(({ since }) => since)).toEqual(
    first.conditions.map(({ since }) => since),
  );
  app.store.client.pragma("query_only = OFF");
  await clock.advance(2 * MINUTE_MS);
  const database = `${app.directory}/waxwing.db`;
  renameSync(database, `${database}.away`);
  await clock.advance(2 * MINUTE_MS);
  const away = await status(workshop);
  renameSync(`${database}.away`, database);
  expect(away).toMatchObject({ code: 1, running: true });
  expect(away.conditions.map(({ id }) => id)).toContain("database_file");
  await app.stop();
  expect((await status(workshop)).conditions.map(({ id }) => id)).not.toContain("database_file");
});
