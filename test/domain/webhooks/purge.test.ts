/** What is purged after its retention period, together with everything that refers to it, and what stays. */
import { expect, test } from "bun:test";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { replayDelivery } from "#src/domain/webhooks/replay.ts";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import {
  DAY,
  deliveries,
  emit,
  eventCount,
  HOUR,
  jobCount,
  MINUTE,
  SECOND,
  startHook,
} from "#test/support/webhooks.ts";

const retention = { events: { kind: "ms", ms: 3 * HOUR } } as const;
const webhooks = { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: [MINUTE] };

function rows(app: TestServer): Record<string, number> {
  const count = (table: string): number =>
    Number(app.store.client.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return {
    events: count("events"),
    deliveries: count("deliveries"),
    attempts: count("delivery_attempts"),
    outbox: count("outbox"),
  };
}

test("events are purged with their deliveries and attempts once they are old enough, and not a moment earlier", async () => {
  await using app = await startTestServer({ config: { retention, webhooks } });
  await using hook = startHook(app.clock, (count) => new Response(null, { status: count === 1 ? 200 : 500 }));
  const shop = await app.workspace();
  await app.inbound(shop, "+919876543210", "before there was an address");
  await app.webhook(shop, hook.url);
  await emit(app, shop);
  await emit(app, shop);
  await app.clock.advance(HOUR);
  const young = await emit(app, shop);
  await app.clock.advance(2 * HOUR - 11 * MINUTE);
  expect(rows(app)).toEqual({ events: 4, deliveries: 3, attempts: 5, outbox: 0 });
  await app.clock.advance(22 * MINUTE);
  expect(rows(app)).toEqual({ events: 1, deliveries: 1, attempts: 2, outbox: 0 });
  expect(deliveries(app, shop).map(({ id }) => id)).toEqual([young]);
});

test("events are kept for thirty days unless the configuration says otherwise", async () => {
  await using app = await startTestServer({ config: { webhooks } });
  const old = await app.workspace({ number: null });
  await using hook = startHook(app.clock);
  await app.webhook(old, hook.url);
  await emit(app, old);
  await app.clock.advance(MINUTE);
  await app.stop();
  for (const [days, left] of [
    [29, 1],
    [31, 0],
  ] as const) {
    const clock = new TestClock(new Date(app.clock.now() + days * DAY).toISOString());
    await using later = await startTestServer({ directory: app.directory, clock });
    await clock.advance(11 * MINUTE);
    expect(eventCount(later)).toBe(left);
  }
});

test("one run purges hundreds of old events", async () => {
  await using app = await startTestServer({ config: { retention, webhooks } });
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  await app.store.write((tx) => {
    for (let i = 0; i < 450; i++) sendTestEvent(tx, shop.id);
  });
  await app.clock.rest();
  expect(rows(app)).toEqual({ events: 450, deliveries: 450, attempts: 450, outbox: 0 });
  await app.clock.advance(3 * HOUR + 10 * MINUTE);
  expect(rows(app)).toEqual({ events: 0, deliveries: 0, attempts: 0, outbox: 0 });
});

test("an old event that was replayed is purged with its queued work", async () => {
  await using app = await startTestServer({ config: { retention, webhooks: { ...webhooks, retryAfterMs: [HOUR] } } });
  await using hook = startHook(app.clock, () => new Response(null, { status: 500 }));
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const id = await emit(app, shop);
  await app.clock.advance(3 * HOUR - 5 * MINUTE);
  await app.store.write((tx) => replayDelivery(tx, id));
  await app.clock.advance(MINUTE);
  expect([hook.hits.length, jobCount(app)]).toEqual([3, 1]);
  await app.clock.advance(3 * HOUR);
  expect(rows(app)).toEqual({ events: 0, deliveries: 0, attempts: 0, outbox: 0 });
  expect(hook.hits.length).toBe(3);
});

test("an attempt that ends after its event was purged ends without an error", async () => {
  const slow = { ...webhooks, timeoutMs: 2 * HOUR };
  await using app = await startTestServer({
    config: { retention: { events: { kind: "ms", ms: MINUTE } }, webhooks: slow },
  });
  const answer = Promise.withResolvers<Response>();
  await using hook = startHook(app.clock, () => answer.promise);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  await emit(app, shop);
  await app.clock.advance(15 * MINUTE);
  expect([hook.open, eventCount(app)]).toEqual([1, 0]);
  answer.resolve(new Response("at last"));
  await app.clock.advance(10 * SECOND);
  expect(rows(app)).toEqual({ events: 0, deliveries: 0, attempts: 0, outbox: 0 });
});
