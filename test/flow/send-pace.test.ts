/** The pace of a number: sends wait in order, for the request's budget at most. */
import { expect, test } from "bun:test";
import { fakeNetwork, networkIdOf, refused, throttled } from "#test/support/fake-network.ts";
import { contactsOf, keysOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

async function start(throughput: number) {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({ throughput });
  await app.template(shop, orderShipped);
  const times: number[] = [];
  network.always((outbound) => {
    times.push(app.clock.monotonic());
    return {
      kind: "accepted",
      networkMessageId: networkIdOf(outbound),
      recipientId: null,
      recipientNetworkUserId: null,
    };
  });
  return { app, network, shop, times };
}

function person(index: number): string {
  return `+9198765${String(10_000 + index)}`;
}

function post(app: TestServer, shop: TestWorkspace, to: string) {
  return app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(to) });
}

for (const { throughput, count } of [
  { throughput: 1, count: 6 },
  { throughput: 10, count: 25 },
  { throughput: 80, count: 24 },
]) {
  test(`${count} messages at ${throughput} a second are sent no faster than the bucket allows, and none is refused`, async () => {
    const { app, shop, times } = await start(throughput);
    await using _ = app;
    const answers = await app.clock.until(
      Promise.all(Array.from({ length: count }, (_, index) => post(app, shop, person(index)))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 201));
    const saved = Math.max(1, throughput * 0.1);
    times.forEach((at, index) => {
      for (let later = index + 1; later < times.length; later++) {
        const left = later - index + 1;
        const passedMs = (times[later] ?? 0) - at;
        if (left > saved + (passedMs / 1_000) * throughput + 1e-6)
          throw new Error(`${left} messages left in ${passedMs} ms`);
      }
    });
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThanOrEqual(((count + 1) / throughput) * 1_000 + 20);
  }, 30_000);
}

test("requests that wait for the number's pace are sent in the order of arrival", async () => {
  const { app, network, shop } = await start(2);
  await using _ = app;
  const answers: Promise<unknown>[] = [];
  const asked = Array.from({ length: 8 }, (_, index) => person(index));
  for (const to of asked) {
    answers.push(post(app, shop, to));
    await app.clock.rest();
  }
  await app.clock.until(Promise.all(answers));
  expect(network.sent.map(({ to }) => to)).toEqual(asked);
});

test("a pace wait longer than the budget is 429 at once, with the time to wait, and stores nothing", async () => {
  const { app, network, shop } = await start(1);
  await using _ = app;
  const answers = Array.from({ length: 12 }, (_, index) => post(app, shop, person(index)));
  const settled = await app.clock.until(Promise.all(answers));
  const refusedOnes = settled.filter(({ status }) => status === 429);
  expect(settled.filter(({ status }) => status === 201).length + refusedOnes.length).toBe(12);
  expect(refusedOnes.length).toBeGreaterThanOrEqual(3);
  for (const { body, headers } of refusedOnes) {
    expect(body.error.code).toBe("rate_limited");
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(8);
  }
  expect(messagesOf(app)).toHaveLength(network.sent.length);
  expect(contactsOf(app)).toHaveLength(network.sent.length);
  expect(keysOf(app)).toEqual([]);
});

test("a refused request releases its turn: the next one does not wait for it", async () => {
  const { app, shop, times } = await start(1);
  await using _ = app;
  await app.clock.until(post(app, shop, person(0)));
  await app.clock.advance(1_000);
  const refusal = await app.clock.until(
    app.call("POST", "/api/v1/messages", { key: shop.key, body: { to: person(1), text: "Hi" } }),
  );
  expect(refusal.body.error.code).toBe("window_closed");
  const before = app.clock.monotonic();
  expect((await app.clock.until(post(app, shop, person(2)))).status).toBe(201);
  expect((times.at(-1) ?? 0) - before).toBe(0);
});

test("a request that would be refused anyway is refused at once, however long the number's queue is", async () => {
  const { app, shop } = await start(1);
  await using _ = app;
  const waiting = Array.from({ length: 4 }, (_, index) => post(app, shop, person(index)));
  await app.clock.rest();
  const before = app.clock.monotonic();
  const refusal = await app.call("POST", "/api/v1/messages", { key: shop.key, body: { to: person(9), text: "Hi" } });
  expect([refusal.body.error.code, app.clock.monotonic() - before]).toEqual(["window_closed", 0]);
  await app.clock.until(Promise.all(waiting));
});

test("the network's refusal of one message does not slow the number, a throttle does", async () => {
  const { app, network, shop } = await start(10);
  await using _ = app;
  network.next(refused("131000"));
  const before = app.clock.monotonic();
  await app.clock.until(post(app, shop, person(0)));
  await app.clock.until(post(app, shop, person(1)));
  expect(app.clock.monotonic() - before).toBeLessThanOrEqual(210);
  network.next(throttled(0));
  const throttledAt = app.clock.monotonic();
  await app.clock.until(post(app, shop, person(2)));
  // Half the pace: the second attempt needs a token from an emptied bucket.
  expect(app.clock.monotonic() - throttledAt).toBeGreaterThanOrEqual(190);
});

test("no request waits for the number's pace longer than the budget, even if the network slows the number meanwhile", async () => {
  const { app, network, shop } = await start(4);
  await using _ = app;
  network.next(...Array.from({ length: 6 }, () => throttled(0)));
  const begun = app.clock.monotonic();
  const ends: number[] = [];
  const answers = Array.from({ length: 28 }, async (_, index) => {
    const { status } = await post(app, shop, person(index));
    ends.push(app.clock.monotonic() - begun);
    return status;
  });
  const statuses = await app.clock.until(Promise.all(answers));
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  expect(Math.max(...ends)).toBeLessThanOrEqual(8_000);
}, 30_000);
