/** Conditions and alarms of a running server: each condition is provoked, told once, repeated, and told to be over. */
import { expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credit } from "#src/domain/billing/account.ts";
import { addRefused } from "#src/domain/inbound/refused-callbacks.ts";
import { fillDisk, freezeDisk, mendDisk } from "#test/support/broken-disk.ts";
import { TestClock } from "#test/support/clock.ts";
import { type Received, startReceiver } from "#test/support/receiver.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";
import { until } from "#test/support/whatsapp-process.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ERRORS = /event=(backup\.failed|alarm\.|health\.|health|broadcast\.|delivery\.|database\.)/;

const PLAIN = {
  name: "plain",
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Hello." }],
};

/** Health's timers on the clock of the test, at least `minMs` apart: a day has not to be 17,000 steps. */
function timersOf(clock: TestClock, minMs = 5 * SECOND_MS) {
  return {
    minMs,
    monotonic: () => clock.monotonic(),
    setTimer(ms: number, fire: () => void) {
      return clock.setTimer(Math.max(ms, this.minMs), fire);
    },
  };
}

function alertsTo(url: string, more: Record<string, unknown> = {}) {
  const none = { webhook: null, emailTo: [], emailFrom: null, smtpUrlFile: null, pingUrl: null };
  return { ...none, pingEveryMs: 5 * MINUTE_MS, repeatAfterMs: 24 * HOUR_MS, webhook: url, ...more };
}

/** The states that were told of each condition, in order; what depends on the disk of this machine is left aside. */
function toldOf(received: readonly Received[]): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const { event } of received) {
    if (event.id !== "disk_low") told[event.id] = [...(told[event.id] ?? []), event.state];
  }
  return told;
}

const sql = (app: TestServer, text: string, ...parameters: unknown[]) =>
  app.store.write((tx) => {
    tx.db.$client.prepare(text).run(...parameters);
  });

test("an alarm is sent for each condition once after half a minute, again each day, and once when it is over", async () => {
  await using receiver = startReceiver();
  const clock = new TestClock();
  const healthTimers = timersOf(clock, 20 * SECOND_MS);
  const blocked = join(mkdtempSync(join(tmpdir(), "waxwing-alarms-")), "a-file");
  writeFileSync(blocked, "in the way");
  await using app = await startTestServer({
    clock,
    healthTimers,
    expectedErrors: /event=(backup\.failed|broadcast)/,
    config: {
      alerts: alertsTo(receiver.url, { repeatAfterMs: 2 * HOUR_MS }),
      // Due at 08:02 of the test's clock and then not before the next day.
      backup: { schedule: "2 8 * * *", directory: blocked, retention: 7 },
      whatsapp: { appSecret: "secret", verifyToken: "word" },
      server: { publicUrl: "https://wa.example.com", metricsToken: METRICS_TOKEN },
    },
  });
  const shop = await app.workspace({ billing: { rate: 0, balance: 1_000_000 } });
  const other = await app.workspace({ name: "Other Shop", number: "+911244001101" });
  await app.template(shop, PLAIN);
  const created = await app.send("POST", "/api/v1/broadcasts", {
    key: shop.key,
    body: { name: "News", template: "plain", to: ["+919876543210"], send_at: "2026-11-25T08:00:00Z" },
  });
  expect(created.status).toBe(202);
  const broadcastId = created.body.data.id;
  await clock.advance(MINUTE_MS);
  // The directory of backups cannot be written from the start: a warning of its own.
  expect(toldOf(receiver.received)).toEqual({ backup_directory: ["began"] });
  const told = () => {
    const { backup_directory: _, ...others } = toldOf(receiver.received);
    return others;
  };

  await sql(
    app,
    "UPDATE broadcasts SET status = 'paused', pause_cause = 'late', status_reason = 'the server was down' WHERE id = ?",
    broadcastId,
  );
  await sql(
    app,
    "UPDATE numbers SET ready = 0, unready_reason = 'token revoked', unready_by = 'network' WHERE id = ?",
    other.numberId,
  );
  await sql(
    app,
    "INSERT INTO number_states (number_id, restriction, restriction_updated_at) VALUES (?, 'spam', 0) ON CONFLICT DO UPDATE SET restriction = 'spam'",
    shop.numberId,
  );
  await sql(app, "UPDATE numbers SET network = 'whatsapp' WHERE id = ?", shop.numberId);
  await sql(
    app,
    "INSERT INTO outbox (kind, subject, queue_key, due_at) VALUES ('of_another_version', 1, 0, ?)",
    clock.now() - 10 * MINUTE_MS,
  );
  await app.store.write((tx) =>
    addRefused(tx, [{ hour: tx.now, reason: "wrong_signature", numberId: shop.numberId, count: 7, lastAt: tx.now }]),
  );
  await sql(app, "UPDATE billing_accounts SET charged = 999999 WHERE workspace_id = ?", shop.id);
  await sql(
    app,
    "INSERT INTO ledger_entries (workspace_id, kind, amount, created_at) VALUES (?, 'charge', 999999, ?)",
    shop.id,
    clock.now(),
  );
  await clock.advance(20 * SECOND_MS);
  // A flicker is no alarm: nothing is told before a condition has lasted for half a minute.
  expect(told()).toEqual({});
  await clock.advance(3 * MINUTE_MS);
  const ids = [
    "backup_failed",
    `broadcast_paused:${broadcastId}`,
    `balance_low:${shop.id}`,
    `callbacks_refused:${shop.numberId}`,
    `number_not_ready:${other.numberId}`,
    `number_restricted:${shop.numberId}`,
    "queue_stuck:of_another_version",
  ];
  const expectTold = (...states: string[]) => expect(told()).toEqual(Object.fromEntries(ids.map((id) => [id, states])));
  expectTold("began");
  expect(receiver.received.find(({ event }) => event.id.startsWith("number_not_ready"))?.event).toEqual({
    id: `number_not_ready:${other.numberId}`,
    state: "began",
    severity: "critical",
    subject: "number +911244001101",
    says: "+911244001101 can't send: “token revoked”",
    next: expect.any(String),
    since: expect.stringMatching(/^2026-11-21T08:01:\d\d\+00:00$/),
    server: expect.any(String),
    key: expect.any(String),
  });
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  for (const id of ids) expect(text).toContain(`waxwing_condition{id="${id}",severity="critical"} 1\n`);

  healthTimers.minMs = 5 * MINUTE_MS;
  await clock.advance(2 * HOUR_MS + 10 * MINUTE_MS);
  expectTold("began", "continues");

  await sql(app, "UPDATE numbers SET ready = 1, unready_reason = NULL, unready_by = NULL");
  await sql(app, "UPDATE number_states SET restriction = NULL");
  await sql(app, "UPDATE broadcasts SET status = 'scheduled', pause_cause = NULL, status_reason = NULL");
  await sql(app, "DELETE FROM outbox WHERE kind = 'of_another_version'");
  await sql(app, "DELETE FROM refused_callbacks");
  await app.store.write((tx) => credit(tx, shop.id, { amount: 900_000_000, note: null, ref: null }));
  rmSync(blocked);
  await clock.advance(HOUR_MS);
  // A scheduled broadcast is looked at each minute, which would be most of the two days that follow.
  expect((await app.send("POST", `/api/v1/broadcasts/${broadcastId}/cancel`, { key: shop.key })).status).toBe(200);
  healthTimers.minMs = 30 * MINUTE_MS;
  await clock.advance(23 * HOUR_MS);
  // On a slow machine the backup of this day is still being verified.
  await until("the backup is logged", () => app.logged.some((line) => line.includes("event=backup.completed ")));
  await clock.advance(HOUR_MS);
  const after = told();
  for (const id of ids) expect([id, after[id]?.at(-1)]).toEqual([id, "over"]);
  for (const id of ids.filter((one) => one !== "backup_failed"))
    expect([id, after[id]]).toEqual([id, ["began", "continues", "over"]]);
  await clock.advance(DAY_MS);
  expect(told()).toEqual(after);
});

test("a database that refuses writes is told, on a full disk too, and so is a database file that is taken away", async () => {
  await using receiver = startReceiver();
  const clock = new TestClock();
  await using app = await startTestServer({
    clock,
    healthTimers: timersOf(clock),
    expectedErrors: / /,
    config: { alerts: alertsTo(receiver.url) },
  });
  await app.workspace();
  await clock.advance(MINUTE_MS);
  fillDisk(app.store);
  for (let second = 0; second < 60; second += 10) {
    const refused = sql(app, "UPDATE workspaces SET name = ?", "x".repeat(100_000));
    expect(await refused.catch(String)).toContain("StorageUnavailable");
    await clock.advance(10 * SECOND_MS);
  }
  expect(toldOf(receiver.received)).toMatchObject({ database_not_writable: ["began"] });
  freezeDisk(app.store);
  await clock.advance(5 * MINUTE_MS);
  expect(toldOf(receiver.received)).toMatchObject({ database_not_writable: ["began"] });
  mendDisk(app.store);
  const database = join(app.directory, "waxwing.db");
  renameSync(database, `${database}.away`);
  await clock.advance(5 * MINUTE_MS);
  expect(toldOf(receiver.received)).toMatchObject({
    database_not_writable: ["began", "over"],
    database_file: ["began"],
  });
  writeFileSync(database, "another");
  await clock.advance(MINUTE_MS);
  renameSync(`${database}.away`, database);
  await clock.advance(2 * MINUTE_MS);
  expect(toldOf(receiver.received)).toMatchObject({ database_file: ["began", "over"] });
});

test("a restart neither repeats an alarm nor forgets one, and a condition keeps its beginning", async () => {
  await using receiver = startReceiver();
  const clock = new TestClock();
  const directory = mkdtempSync(join(tmpdir(), "waxwing-alarms-"));
  const options = () => ({
    clock,
    directory,
    healthTimers: timersOf(clock),
    expectedErrors: ERRORS,
    config: { alerts: alertsTo(receiver.url) },
  });
  const since: (string | undefined)[] = [];
  let id = "";
  {
    await using app = await startTestServer(options());
    const { numberId } = await app.workspace();
    id = `number_not_ready:${numberId}`;
    await sql(app, "UPDATE numbers SET ready = 0, unready_reason = 'stopped', unready_by = 'person'");
    await clock.advance(2 * MINUTE_MS);
    expect(toldOf(receiver.received)[id]).toEqual(["began"]);
    since.push(receiver.received.at(-1)?.event.since);
  }
  receiver.respond = () => new Response("no", { status: 500 });
  await clock.advance(HOUR_MS);
  {
    await using app = await startTestServer(options());
    await clock.advance(5 * MINUTE_MS);
    expect(toldOf(receiver.received)[id]).toEqual(["began"]);
    await sql(app, "UPDATE numbers SET ready = 1, unready_reason = NULL, unready_by = NULL");
    await clock.advance(75 * SECOND_MS);
    // Tried, refused: the all-clear waits on disk, and the broken address is itself a condition.
    expect(toldOf(receiver.received)[id]?.slice(0, 2)).toEqual(["began", "over"]);
    await clock.advance(MINUTE_MS);
    const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
    expect(text).toContain('waxwing_condition{id="alarm_undelivered:webhook",severity="warning"} 1');
  }
  receiver.respond = () => new Response("yes");
  const before = receiver.received.length;
  {
    await using app = await startTestServer(options());
    await clock.advance(10 * MINUTE_MS);
    const later = receiver.received.slice(before).map(({ event }) => event);
    expect(later.filter((event) => event.id === id).map(({ state }) => state)).toEqual(["over"]);
    since.push(later.find((event) => event.id === id)?.since);
    expect(new Set(since).size).toBe(1);
    const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
    expect(text).not.toContain("alarm_undelivered");
  }
  rmSync(directory, { recursive: true });
});

test("on a quiet day no alarm is sent, and the ping address is called as often as configured, until something is critical", async () => {
  await using receiver = startReceiver();
  let pings = 0;
  const monitor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      pings += 1;
      return new Response("ok");
    },
  });
  const clock = new TestClock();
  await using app = await startTestServer({
    clock,
    healthTimers: timersOf(clock, 5 * MINUTE_MS),
    config: {
      alerts: alertsTo(receiver.url, {
        pingUrl: `http://127.0.0.1:${monitor.port}/ping?token=1`,
        pingEveryMs: HOUR_MS,
      }),
      backup: { schedule: "30 2 * * *", retention: 7 },
    },
  });
  await app.workspace();
  await clock.advance(DAY_MS);
  expect(toldOf(receiver.received)).toEqual({});
  expect(pings).toBeWithin(23, 26);
  const calm = pings;
  await sql(app, "UPDATE numbers SET ready = 0, unready_reason = 'stopped', unready_by = 'person'");
  await clock.advance(6 * HOUR_MS);
  expect(pings - calm).toBeLessThanOrEqual(1);
  await sql(app, "UPDATE numbers SET ready = 1, unready_reason = NULL, unready_by = NULL");
  await clock.advance(3 * HOUR_MS);
  expect(pings - calm).toBeGreaterThanOrEqual(2);
  await monitor.stop(true);
});
