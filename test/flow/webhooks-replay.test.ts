/** Addresses that are set, changed and cleared, and events that are delivered again by hand. */
import { describe, expect, test } from "bun:test";
import { clearWebhook } from "#src/domain/webhooks/address.ts";
import { replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import {
  ATTEMPTS_AT,
  DAY,
  deliveries,
  delivery,
  emit,
  eventCount,
  HOUR,
  jobCount,
  MINUTE,
  never,
  SECOND,
  startHook,
} from "#test/support/webhooks.ts";

const ok = (): Response => new Response(null, { status: 204 });
const broken = (): Response => new Response(null, { status: 500 });
const ONE_AT_A_TIME = { allowHttp: true, allowPrivate: true, jitter: 0, concurrency: 1 };

function eventIds(app: TestServer): string[] {
  return app.store.client.prepare<[], string>("SELECT id FROM events ORDER BY seq").pluck().all();
}

/** Two events for a workspace that has no address yet. */
async function twoUnheard(app: TestServer): Promise<TestWorkspace> {
  const shop = await app.workspace();
  await app.inbound(shop, "+919876543210", "hello");
  await app.clock.advance(SECOND);
  await app.inbound(shop, "+919876543210", "anybody there?");
  return shop;
}

describe("a workspace without a webhook address", () => {
  test("records events and attempts none, neither then nor when an address is set", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, ok);
    const shop = await twoUnheard(app);
    expect([eventCount(app), deliveries(app, shop).length, jobCount(app)]).toEqual([2, 0, 0]);
    await app.webhook(shop, hook.url);
    await app.clock.advance(2 * HOUR);
    expect([hook.hits.length, deliveries(app, shop).length]).toEqual([0, 0]);
    await app.inbound(shop, "+919876543210", "now?");
    expect(hook.hits.map(({ event }) => event.data.message.text)).toEqual(["now?"]);
  });

  test("can replay an event once it has an address, with the bytes of when it happened", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, ok);
    const shop = await twoUnheard(app);
    await app.webhook(shop, hook.url);
    const [, second = ""] = eventIds(app);
    await app.clock.advance(HOUR);
    await app.store.write((tx) => replayFailedSince(tx, shop.id, Date.parse("2026-11-21T08:00:02Z")));
    await app.clock.rest();
    expect(hook.hits.map(({ event }) => [event.id, event.created_at])).toEqual([[second, "2026-11-21T13:30:02+05:30"]]);
    expect(deliveries(app, shop)).toMatchObject([{ eventId: second, status: "delivered", attemptCount: 1 }]);
  });

  test("can replay all of its events since an instant at once, without older ones and other workspaces'", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, ok);
    const shop = await twoUnheard(app);
    const rival = await app.workspace({ number: "+911244001199" });
    await app.inbound(rival, "+919876543210", "another shop's");
    await app.webhook(shop, hook.url);
    await app.webhook(rival, hook.url);
    const [, second = ""] = eventIds(app);
    const since = Date.parse("2026-11-21T08:00:02Z");
    const replayed = await app.store.write((tx) => replayFailedSince(tx, shop.id, since));
    await app.clock.rest();
    expect(hook.hits.map(({ event }) => event.id)).toEqual([second]);
    expect(replayed).toEqual(deliveries(app, shop).map(({ id }) => id));
    expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, since))).toEqual([]);
  });

  test("is refused a replay, which changes nothing", async () => {
    await using app = await startTestServer();
    const shop = await twoUnheard(app);
    const refused = { code: "not_found", message: expect.stringContaining("no webhook address") };
    const replayed = app.store.write((tx) => replayFailedSince(tx, shop.id, 0));
    await expect(replayed).rejects.toMatchObject(refused);
    expect([deliveries(app, shop).length, jobCount(app)]).toEqual([0, 0]);
  });
});

test("a changed webhook address gets the waiting deliveries at their planned times", async () => {
  await using app = await startTestServer();
  await using old = startHook(app.clock, broken);
  await using fresh = startHook(app.clock, ok);
  const shop = await app.workspace();
  await app.webhook(shop, old.url);
  const startedAt = app.clock.now();
  const id = await emit(app, shop);
  await app.clock.advance(MINUTE);
  await app.webhook(shop, fresh.url);
  await app.clock.advance(4 * MINUTE - 1);
  expect(fresh.hits.length).toBe(0);
  await app.clock.advance(1);
  expect([old.hits.length, fresh.hits.map(({ at }) => at - startedAt)]).toEqual([2, [5 * MINUTE]]);
  expect(fresh.hits[0]?.body).toBe(old.hits[0]?.body ?? "");
  expect(delivery(app, id)).toMatchObject({
    status: "delivered",
    attempts: [{ url: old.url }, { url: old.url }, { url: fresh.url, statusCode: 204 }],
  });
});

describe("clearing the webhook address", () => {
  test("exhausts the waiting deliveries, which stay visible; none is attempted any more, not even with a new address", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, broken);
    const [shop, rival] = [await app.workspace(), await app.workspace({ number: null })];
    for (const one of [shop, rival]) await app.webhook(one, hook.url);
    const [first, second] = [await emit(app, shop), await emit(app, shop)];
    const theirs = await emit(app, rival);
    const clearedAt = app.clock.now();
    expect(await app.store.write((tx) => clearWebhook(tx, shop.id))).toEqual({ exhausted: 2 });
    for (const id of [first, second]) {
      expect(delivery(app, id)).toMatchObject({
        status: "exhausted",
        attemptCount: 1,
        nextAttemptAt: null,
        finishedAt: clearedAt,
      });
    }
    await app.webhook(shop, hook.url);
    await app.clock.advance(HOUR);
    expect(deliveries(app, shop).map(({ attempts }) => attempts.length)).toEqual([1, 1]);
    expect(delivery(app, theirs).attempts.length).toBe(4);
  });

  test.each([200, 500])("lets an attempt in flight end with %d, records it and does nothing more", async (status) => {
    await using app = await startTestServer();
    const answer = Promise.withResolvers<Response>();
    await using hook = startHook(app.clock, () => answer.promise);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const id = await emit(app, shop);
    await app.store.write((tx) => clearWebhook(tx, shop.id));
    answer.resolve(new Response("so late", { status }));
    await app.clock.advance(HOUR);
    expect(delivery(app, id)).toMatchObject({
      status: "exhausted",
      nextAttemptAt: null,
      attempts: [{ statusCode: status, response: "so late" }],
    });
    expect([hook.hits.length, jobCount(app)]).toEqual([1, 0]);
  });
});

describe("a replay", () => {
  test("of an exhausted delivery starts its whole schedule again, with the same bytes", async () => {
    await using app = await startTestServer({
      config: { webhooks: { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: ATTEMPTS_AT.slice(1, 5) } },
    });
    await using hook = startHook(app.clock, broken);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const id = await emit(app, shop);
    await app.clock.advance(3 * HOUR);
    expect(delivery(app, id)).toMatchObject({ status: "exhausted", attemptCount: 5 });
    const replayedAt = app.clock.now();
    expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, 0))).toEqual([id]);
    await app.clock.advance(0);
    expect(delivery(app, id)).toMatchObject({ status: "pending", attemptCount: 1, finishedAt: null });
    await app.clock.advance(3 * HOUR);
    expect(hook.hits.slice(5).map(({ at }) => at - replayedAt)).toEqual(ATTEMPTS_AT.slice(0, 5));
    expect(new Set(hook.hits.map(({ body }) => body)).size).toBe(1);
    expect(delivery(app, id)).toMatchObject({ status: "exhausted", attemptCount: 5 });
    expect(delivery(app, id).attempts.length).toBe(10);
  });

  test("of a delivered event delivers it once more, under the same id", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, ok);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const id = await emit(app, shop);
    await app.clock.advance(DAY / 4);
    const { eventId } = delivery(app, id);
    expect(await app.store.write((tx) => replayDelivery(tx, id))).toBe(id);
    await app.clock.rest();
    expect(hook.hits.map(({ event }) => event.id)).toEqual([eventId, eventId]);
    expect(delivery(app, id)).toMatchObject({ status: "delivered", attemptCount: 1, attempts: [{}, {}] });
    expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, 0))).toEqual([]);
  });

  test("of a waiting delivery attempts it at once, and its schedule counts from then on", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, broken);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const startedAt = app.clock.now();
    const id = await emit(app, shop);
    await app.clock.advance(10 * MINUTE);
    await app.store.write((tx) => replayDelivery(tx, id));
    await app.clock.advance(6 * MINUTE);
    const minutes = hook.hits.map(({ at }) => (at - startedAt) / MINUTE);
    expect(minutes).toEqual([0, 1, 5, 10, 11, 15]);
    expect(jobCount(app)).toBe(1);
  });

  test.each([200, 500])(
    "while an attempt is in flight is an attempt of its own, even though the first one ends with %d",
    async (status) => {
      await using app = await startTestServer();
      const answer = Promise.withResolvers<Response>();
      await using hook = startHook(app.clock, (count) => (count === 1 ? answer.promise : broken()));
      const shop = await app.workspace();
      await app.webhook(shop, hook.url);
      const id = await emit(app, shop);
      await app.clock.advance(5 * SECOND);
      const replayedAt = app.clock.now();
      await app.store.write((tx) => replayDelivery(tx, id));
      await app.clock.rest();
      answer.resolve(new Response(null, { status }));
      await app.clock.advance(5 * MINUTE);
      expect(hook.hits.slice(1).map(({ at }) => at - replayedAt)).toEqual([0, MINUTE, 5 * MINUTE]);
      expect(delivery(app, id)).toMatchObject({ status: "pending", attemptCount: 3, firstAttemptAt: replayedAt });
      expect(
        delivery(app, id)
          .attempts.map(({ statusCode }) => statusCode)
          .toSorted(),
      ).toEqual([status, 500, 500, 500].toSorted());
      expect(jobCount(app)).toBe(1);
    },
  );

  test("of a delivery that waits for its turn is one attempt, and so is a cleared address none", async () => {
    await using app = await startTestServer({ config: { webhooks: ONE_AT_A_TIME } });
    const answer = Promise.withResolvers<Response>();
    await using hook = startHook(app.clock, (count) => (count === 1 ? answer.promise : ok()));
    const [shop, other] = [await app.workspace(), await app.workspace({ number: "+911244001199" })];
    await app.webhook(shop, hook.url);
    const [, second = 0, third = 0] = [await emit(app, shop), await emit(app, shop), await emit(app, shop)];
    // One is with the receiver, two wait.
    expect([hook.hits.length, jobCount(app)]).toEqual([1, 3]);
    await app.store.write((tx) => replayDelivery(tx, second));
    answer.resolve(ok());
    await app.clock.rest();
    expect(hook.hits.map(({ event }) => event.id).toSorted()).toEqual(eventIds(app).toSorted());
    expect([delivery(app, second), delivery(app, third)]).toMatchObject([
      { status: "delivered", attempts: [{}] },
      { status: "delivered", attempts: [{}] },
    ]);
    expect(jobCount(app)).toBe(0);

    const hanging = Promise.withResolvers<Response>();
    await using slow = startHook(app.clock, () => hanging.promise);
    await app.webhook(other, slow.url);
    const [, waiting = 0] = [await emit(app, other), await emit(app, other)];
    await app.store.write((tx) => clearWebhook(tx, other.id));
    hanging.resolve(ok());
    await app.clock.rest();
    expect([slow.hits.length, jobCount(app)]).toEqual([1, 0]);
    expect(delivery(app, waiting)).toMatchObject({ status: "exhausted", attempts: [] });
  });

  test("reaches the new address, even though the old one still has an attempt in flight and accepts it", async () => {
    await using app = await startTestServer();
    const answer = Promise.withResolvers<Response>();
    await using old = startHook(app.clock, () => answer.promise);
    await using fresh = startHook(app.clock, ok);
    const shop = await app.workspace();
    await app.webhook(shop, old.url);
    const id = await emit(app, shop);
    await app.store.write((tx) => clearWebhook(tx, shop.id));
    await app.webhook(shop, fresh.url);
    await app.store.write((tx) => replayDelivery(tx, id));
    answer.resolve(ok());
    await app.clock.advance(HOUR);
    expect(fresh.hits.length).toBe(1);
    expect(delivery(app, id).status).toBe("delivered");
    expect(jobCount(app)).toBe(0);
  });

  test("of an unknown delivery is refused", async () => {
    await using app = await startTestServer();
    await expect(app.store.write((tx) => replayDelivery(tx, 7))).rejects.toMatchObject({ code: "not_found" });
  });
});

test("an address that hangs ends exhausted like any other failing address", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock, never);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const id = await emit(app, shop);
  await app.clock.advance(DAY + 9 * SECOND);
  expect(delivery(app, id)).toMatchObject({ status: "pending", attemptCount: 6 });
  await app.clock.advance(SECOND);
  expect(delivery(app, id)).toMatchObject({ status: "exhausted", attemptCount: 7 });
});
