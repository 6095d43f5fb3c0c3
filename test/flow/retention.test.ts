/**
 * Data past its retention is deleted in small batches. Data that is still needed stays, whatever the configuration
 * says.
 */
import { expect, test } from "bun:test";
import { purgeCallbacks } from "#src/domain/inbound/callbacks.ts";
import { callbacks } from "#src/domain/inbound/table.ts";
import { create, MINUTE, notice, phones, startScenario } from "#test/support/broadcast-scenarios.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { TestClock } from "#test/support/clock.ts";
import { imageOf } from "#test/support/crash.ts";
import { fakeNetwork, pairThrottled } from "#test/support/fake-network.ts";
import { accountOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";
import { DAY, HOUR } from "#test/support/webhooks.ts";

const days = (count: number) => ({ kind: "ms", ms: count * DAY }) as const;
const hours = (count: number) => ({ kind: "ms", ms: count * HOUR }) as const;
const keep = (more: object) => ({ retention: { events: null, raw: null, messages: null, inbound: null, ...more } });

function count(app: TestServer, table: string, where = "1"): number {
  return Number(app.store.client.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get());
}

test("messages are deleted after their retention; a held one stays until its money is final, and the sums still agree", async () => {
  await using app = await startTestServer({ config: keep({ messages: days(3) }) });
  const shop = await busyShop(app);
  const { charged } = accountOf(app, shop);
  await app.clock.pass(3 * DAY - HOUR);
  expect(messagesOf(app)).toHaveLength(5);
  await app.clock.advance(2 * HOUR);
  // The network never reported on one message, so its money is held for 30 days.
  expect(messagesOf(app).map(({ status, money }) => [status, money])).toEqual([["sent", "held"]]);
  app.store.client.exec("UPDATE messages SET created_at = 0");
  await app.clock.advance(HOUR);
  expect(messagesOf(app)).toEqual([]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged });
  const next = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  expect(next.body.data.id).toBe(6);
});

test("a retention of hours deletes no message of the last two days, because the daily cap counts them", async () => {
  await using app = await startTestServer({ config: keep({ messages: { kind: "ms", ms: HOUR } }) });
  const shop = await busyShop(app);
  await app.clock.pass(2 * DAY - HOUR);
  expect(messagesOf(app)).toHaveLength(5);
  await app.clock.advance(2 * HOUR);
  expect(messagesOf(app).length).toBeLessThan(5);
  expect(shop.id).toBe(1);
});

test("messages that stay longer, such as those of broadcasts, are scanned once and not every ten minutes", async () => {
  const config = keep({ messages: days(3), recipients: null });
  await using scenario = await startScenario({}, { config });
  const { app } = scenario;
  const work = async (): Promise<number> => {
    const before = app.store.counters.operations;
    await app.clock.advance(10 * MINUTE);
    return app.store.counters.operations - before;
  };
  await work();
  const idle = await work();
  await create(scenario, notice(phones(450)));
  await app.clock.pass(3 * DAY);
  const first = await work();
  expect([first, await work()]).toEqual([idle + 2, idle]);
  expect(count(app, "messages")).toBe(450);
});

test("inbound texts are deleted and their ids stay: the same inbound delivered again is not stored as new", async () => {
  await using app = await startTestServer({ config: keep({ inbound: hours(7) }) });
  await busyShop(app);
  expect(count(app, "inbounds", "text IS NOT NULL")).toBe(2);
  await app.clock.advance(8 * HOUR);
  expect([count(app, "inbounds", "text IS NOT NULL"), count(app, "inbounds")]).toEqual([0, 2]);
});

test("raw network answers are deleted together with callbacks, and events together with their deliveries", async () => {
  const network = fakeNetwork();
  await using app = await startTestServer({
    config: keep({ raw: hours(3), events: hours(5) }),
    networks: { simulator: network },
  });
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  network.next(pairThrottled(100));
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  await app.inbound(shop, "+919876540012", "Hello");
  expect([count(app, "provider_requests"), count(app, "callbacks"), count(app, "events") > 0]).toEqual([1, 1, true]);
  await app.clock.advance(4 * HOUR);
  expect([count(app, "provider_requests"), count(app, "callbacks"), count(app, "events") > 0]).toEqual([0, 0, true]);
  await app.clock.advance(2 * HOUR);
  expect(count(app, "events")).toBe(0);
});

test("callbacks of a thousand statuses each are deleted a few at a time, the oldest first", async () => {
  await using app = await startTestServer();
  const body = "x".repeat(200_000);
  for (const at of [5, 1, 4, 2, 3]) {
    await app.store.write((tx) => {
      const values = { network: "simulator", body, receivedAt: 1, dueAt: 1, doneAt: at } as const;
      tx.db.insert(callbacks).values(values).run();
    });
  }
  const purge = async (limit: number): Promise<unknown[]> => {
    const told = await app.store.write((tx) => purgeCallbacks(tx, 10, limit));
    return [told, ...app.store.client.prepare("SELECT done_at FROM callbacks ORDER BY 1").pluck().all()];
  };
  expect(await purge(200)).toEqual([200, 3, 4, 5]);
  expect(await purge(1)).toEqual([1, 4, 5]);
  expect(await purge(200)).toEqual([2]);
  expect(await purge(200)).toEqual([0]);
  app.store.client
    .prepare("INSERT INTO callbacks (network, body, received_at, due_at, done_at) VALUES ('simulator', ?, 1, 1, 1)")
    .run(body.repeat(4));
  expect(await purge(200)).toEqual([1]);
});

test("everything is kept when the configuration sets no retention", async () => {
  await using app = await startTestServer({ config: keep({}) });
  await busyShop(app);
  const before = ["messages", "inbounds", "events", "callbacks", "provider_requests"].map((table) => count(app, table));
  await app.clock.pass(DAY);
  const after = ["messages", "inbounds", "events", "callbacks", "provider_requests"].map((table) => count(app, table));
  expect(after).toEqual(before);
});

test("freed pages are returned to the disk a few at a time, and the database file stays valid", async () => {
  await using app = await startTestServer({ config: keep({ raw: hours(1) }) });
  const { client } = app.store;
  expect(client.pragma("auto_vacuum", { simple: true })).toBe(2);
  const note = client.prepare(
    "INSERT INTO provider_requests (send_token, outcome, reason, answer, requested_at, duration_ms) VALUES (?, 'unknown', '', ?, ?, 1)",
  );
  await app.store.write(() => {
    for (let index = 0; index < 6_000; index++) note.run(`r${index}`, "x".repeat(3_500), app.clock.now());
  });
  const pages = (): number => Number(client.pragma("page_count", { simple: true }));
  const before = pages();
  await app.clock.advance(2 * HOUR);
  expect(count(app, "provider_requests")).toBe(0);
  expect(before - pages()).toBeGreaterThan(3_500);
  expect(Number(client.pragma("freelist_count", { simple: true }))).toBeLessThanOrEqual(2_000);
});

test("retention runs at fixed times of the clock: also on a server that never runs for ten minutes", async () => {
  await using first = await startTestServer();
  first.store.client.exec(
    `INSERT INTO workspaces (id, name, country, timezone, api_enabled, stop_words, start_words, created_at, updated_at)
       VALUES (1, 'Shop', 'IN', 'Asia/Kolkata', 1, '[]', '[]', 0, 0);
     INSERT INTO idempotency_keys (workspace_id, key, fingerprint, status, body, created_at) VALUES (1, 'old', x'00', 201, '{}', 0)`,
  );
  const intoTheInterval = first.clock.now() % (10 * MINUTE);
  await first.clock.advance(10 * MINUTE - intoTheInterval - MINUTE);
  expect(count(first, "idempotency_keys")).toBe(1);
  using image = imageOf(first.directory);
  const clock = new TestClock(first.clock.now());
  await using again = await startTestServer({ directory: image.directory, clock });
  await again.clock.advance(MINUTE);
  expect(count(again, "idempotency_keys")).toBe(0);
});
