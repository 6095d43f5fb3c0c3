/** An event whose receiver fails: when it is attempted again, with which bytes, and what is recorded. */
import { describe, expect, test } from "bun:test";
import { Problem } from "#src/core/problem.ts";
import { clearWebhook } from "#src/domain/webhooks/address.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { listDeliveries } from "#src/domain/webhooks/read.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import {
  ATTEMPTS_AT,
  DAY,
  deliveries,
  delivery,
  emit,
  eventCount,
  HOUR,
  type Hook,
  isGenuine,
  jobCount,
  MINUTE,
  never,
  SECOND,
  startHook,
} from "#test/support/webhooks.ts";

/** Answers the first `failures` requests with 500. */
function failing(app: TestServer, failures: number): Hook {
  return startHook(app.clock, (count) => new Response("?", { status: count > failures ? 200 : 500 }));
}

describe("a receiver that fails n times gets the same bytes n + 1 times, at the times counted from the first attempt", () => {
  test.each([0, 1, 2, 3, 4, 5, 6])("n = %d", async (failures) => {
    await using app = await startTestServer();
    await using hook = failing(app, failures);
    const shop = await app.workspace();
    const secret = await app.webhook(shop, hook.url);
    const startedAt = app.clock.now();
    const id = await emit(app, shop);
    await app.clock.pass((ATTEMPTS_AT[failures] ?? 0) + 10 * MINUTE);

    expect(hook.hits.map(({ at }) => at - startedAt)).toEqual(ATTEMPTS_AT.slice(0, failures + 1));
    expect(new Set(hook.hits.map(({ body }) => body))).toEqual(new Set([delivery(app, id).body]));
    for (const hit of hook.hits) {
      expect(hit.headers.get("service-signature")).toStartWith(`t=${Math.floor(hit.at / SECOND)},`);
      expect(await isGenuine(hit, secret, hit.at)).toBe(true);
    }
    expect(delivery(app, id)).toMatchObject({
      status: "delivered",
      attemptCount: failures + 1,
      nextAttemptAt: null,
      finishedAt: startedAt + (ATTEMPTS_AT[failures] ?? 0),
    });
    expect(jobCount(app)).toBe(0);
  });
});

test("any failure of a receiver is retried on schedule and recorded, until the last attempt a day later", async () => {
  await using app = await startTestServer();
  await using elsewhere = startHook(app.clock);
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  const secret = await app.webhook(shop, hook.url);
  const startedAt = app.clock.now();
  const reach = async (ms: number): Promise<void> => app.clock.pass(startedAt + ms - app.clock.now());
  const planned = (): number | null => (delivery(app, id).nextAttemptAt ?? Number.NaN) - startedAt;

  hook.answer = () => new Response("the database is down", { status: 500 });
  const id = await emit(app, shop);
  expect(planned()).toBe(MINUTE);
  await hook.down();
  await reach(MINUTE);
  expect(planned()).toBe(5 * MINUTE);
  hook.up();
  hook.answer = () => new Response(null, { status: 302, headers: { location: elsewhere.url } });
  await reach(5 * MINUTE - 1);
  expect(hook.hits.length).toBe(1);
  await reach(5 * MINUTE);
  expect(hook.hits.length).toBe(2);
  hook.answer = () => new Response("nothing here", { status: 404 });
  await reach(30 * MINUTE);
  hook.answer = () => never();
  await reach(2 * HOUR + 10 * SECOND - 1);
  expect(delivery(app, id).attempts.length).toBe(4);
  await reach(2 * HOUR + 10 * SECOND);
  // A slow attempt does not delay the later ones.
  expect(planned()).toBe(6 * HOUR);
  hook.answer = () => new Response(null, { status: 399 });
  await reach(6 * HOUR);
  hook.answer = () => new Response("x".repeat(100_000), { status: 503 });
  await reach(DAY - 1);
  expect(delivery(app, id)).toMatchObject({ status: "pending", attemptCount: 6 });
  await reach(DAY);
  const exhausted = delivery(app, id);
  await reach(DAY + 6 * HOUR);

  expect(delivery(app, id)).toEqual(exhausted);
  expect(exhausted).toMatchObject({
    status: "exhausted",
    attemptCount: 7,
    firstAttemptAt: startedAt,
    nextAttemptAt: null,
    finishedAt: startedAt + DAY,
  });
  const common = { deliveryId: id, url: hook.url, durationMs: 0, error: null };
  const none = { statusCode: null, response: null };
  expect(exhausted.attempts.map(({ id: _, attemptedAt, ...rest }) => [attemptedAt - startedAt, rest])).toEqual([
    [0, { ...common, statusCode: 500, response: "the database is down" }],
    [MINUTE, { ...common, ...none, error: expect.stringContaining("refused the connection") }],
    [5 * MINUTE, { ...common, statusCode: 302, response: "" }],
    [30 * MINUTE, { ...common, statusCode: 404, response: "nothing here" }],
    [2 * HOUR, { ...common, ...none, durationMs: 10 * SECOND, error: expect.stringContaining("within 10 seconds") }],
    [6 * HOUR, { ...common, statusCode: 399, response: "" }],
    [DAY, { ...common, statusCode: 503, response: "x".repeat(16 * 1024) }],
  ]);
  expect(elsewhere.hits).toEqual([]);
  expect(hook.hits.map(({ body }) => body)).toEqual(Array.from({ length: 6 }, () => exhausted.body));
  expect(new Set(hook.hits.map(({ headers }) => headers.get("service-signature"))).size).toBe(6);
  for (const hit of hook.hits) expect(await isGenuine(hit, secret, hit.at)).toBe(true);
  const left = { status: "exhausted", before: null, limit: 10 } as const;
  expect(app.store.read((tx) => listDeliveries(tx, shop.id, left)).map((one) => one.id)).toEqual([id]);
  expect(jobCount(app)).toBe(0);
});

test("a receiver's answer within ten seconds counts, a later one does not", async () => {
  await using app = await startTestServer();
  let answer = (_: Response): void => {};
  await using hook = startHook(app.clock, () => new Promise((resolve) => (answer = resolve)));
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const inTime = await emit(app, shop);
  await app.clock.advance(10 * SECOND - 1);
  answer(new Response("just in time"));
  await app.clock.advance(0);
  expect(delivery(app, inTime)).toMatchObject({
    status: "delivered",
    attempts: [{ statusCode: 200, response: "just in time", durationMs: 10 * SECOND - 1 }],
  });
  const late = await emit(app, shop);
  await app.clock.advance(10 * SECOND);
  answer(new Response("too late"));
  await app.clock.advance(0);
  expect(delivery(app, late)).toMatchObject({ status: "pending", attempts: [{ statusCode: null, response: null }] });
});

test.each([200, 201, 202, 204, 299])("a receiver that answers %d has the event", async (status) => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock, () => new Response(null, { status }));
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const id = await emit(app, shop);
  await app.clock.advance(MINUTE);
  expect(delivery(app, id)).toMatchObject({ status: "delivered", attempts: [{ statusCode: status, error: null }] });
});

test("with a jitter of a tenth, every attempt stays within a tenth of its planned time, and attempts spread", async () => {
  await using app = await startTestServer({
    config: { webhooks: { allowHttp: true, allowPrivate: true, jitter: 0.1 } },
  });
  await using hook = failing(app, Number.POSITIVE_INFINITY);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const startedAt = app.clock.now();
  await app.store.write((tx) => {
    for (let i = 0; i < 8; i++) sendTestEvent(tx, shop.id);
  });
  await app.clock.pass(1.1 * DAY);

  const tries = deliveries(app, shop).map(({ attempts }) => attempts.map(({ attemptedAt }) => attemptedAt - startedAt));
  expect(tries.map((times) => times.length)).toEqual(Array.from({ length: 8 }, () => 7));
  for (const [place, nominal] of ATTEMPTS_AT.entries()) {
    const times = tries.map((all) => all[place] ?? Number.NaN);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(0.9 * nominal);
      expect(time).toBeLessThanOrEqual(1.1 * nominal);
    }
    if (nominal > 0) expect(new Set(times).size).toBeGreaterThan(1);
  }
  expect(new Set(deliveries(app, shop).map(({ status }) => status))).toEqual(new Set(["exhausted"]));
});

test("without configured retry times an event gets exactly one attempt", async () => {
  const webhooks = { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: [] };
  await using app = await startTestServer({ config: { webhooks } });
  await using hook = failing(app, 1);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const id = await emit(app, shop);
  await app.clock.advance(HOUR);
  expect(delivery(app, id)).toMatchObject({ status: "exhausted", attemptCount: 1 });
  expect(hook.hits.length).toBe(1);
});

test("a test event has empty data, and is retried like any other event", async () => {
  await using app = await startTestServer();
  await using hook = failing(app, 2);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const id = await emit(app, shop);
  await app.clock.advance(5 * MINUTE);
  expect(hook.hits.map(({ event }) => event)).toEqual(
    Array.from({ length: 3 }, () => ({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: "webhook.test",
      created_at: "2026-11-21T13:30:01+05:30",
      data: {},
    })),
  );
  expect(delivery(app, id)).toMatchObject({ status: "delivered", attemptCount: 3 });
});

test("a test event of a workspace without a webhook address, or one whose address was cleared, is refused and leaves no trace", async () => {
  await using app = await startTestServer();
  await using hook = failing(app, 0);
  const [shop, quitter] = [await app.workspace(), await app.workspace({ number: null })];
  await app.webhook(quitter, hook.url);
  await app.store.write((tx) => clearWebhook(tx, quitter.id));
  for (const { id } of [shop, quitter]) {
    const refusal = await app.store.write((tx) => sendTestEvent(tx, id)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Problem);
    expect(refusal).toMatchObject({ code: "not_found" });
  }
  expect([eventCount(app), jobCount(app), hook.hits.length]).toEqual([0, 0, 0]);
});
