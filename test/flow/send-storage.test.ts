/** A disk that fails during a send: nothing is sent twice, and no hold or key stays taken once the disk works again. */
import { expect, test } from "bun:test";
import { fillDisk, freezeDisk, mendDisk } from "#test/support/broken-disk.ts";
import { fakeNetwork, gate, pairThrottled, unreachable } from "#test/support/fake-network.ts";
import { accountOf, eventTypesOf, keysOf, messageOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const asha = "+919876543210";
const expectedErrors =
  /event=(request\.unavailable|outcome\.(delayed|failed)|callback\.(batch_failed|not_stored|counts_failed)) /;

async function start(throughput = 1_000) {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network }, expectedErrors });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 }, throughput });
  await app.template(shop, orderShipped);
  return { app, network, shop };
}

/** Sends a message whose answer the network gives when the test opens `waiting`. */
async function inFlight(app: TestServer, network: ReturnType<typeof fakeNetwork>, shop: TestWorkspace, body: unknown) {
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", {
    key: shop.key,
    body,
    headers: { "idempotency-key": "order-1" },
  });
  await app.clock.until(waiting.reached);
  return { waiting, answer };
}

test("an outcome that a full disk refuses: 503, the number sends nothing new, and the retry after the repair gives 201", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  // Long enough that its event needs a page of its own.
  await app.inbound(shop, asha, "Hi");
  const body = { to: asha, text: "word ".repeat(800) };
  const { waiting, answer } = await inFlight(app, network, shop, body);
  fillDisk(app.store);
  waiting.open("accepted");
  const failed = await answer;
  expect([failed.status, failed.body.error.code]).toEqual([503, "unavailable"]);
  expect(failed.headers.get("retry-after")).not.toBeNull();
  expect(messageOf(app).status).toBe("sending");

  const other = await app.call("POST", "/api/v1/messages", { key: shop.key, body: { to: asha, text: "Another" } });
  const early = await app.call("POST", "/api/v1/messages", {
    key: shop.key,
    body,
    headers: { "idempotency-key": "order-1" },
  });
  expect([other.status, early.status]).toEqual([503, 503]);
  expect(network.sent).toHaveLength(1);

  mendDisk(app.store);
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("sent");
  const again = await app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body,
    headers: { "idempotency-key": "order-1" },
  });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body.data.status).toBe("sent");
  expect(network.sent).toHaveLength(1);
  expect(eventTypesOf(app, shop)).toEqual(["message.received", "message.sent"]);
  expect(
    (await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: asha, text: "Another" } })).status,
  ).toBe(201);
});

test("a disk that is full before the dispatch: 503, nothing is sent, and the key is free", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  freezeDisk(app.store);
  const request = { key: shop.key, body: shipped(), headers: { "idempotency-key": "order-1" } };
  const failed = await app.send("POST", "/api/v1/messages", request);
  expect([failed.status, failed.body.error.code]).toEqual([503, "unavailable"]);
  expect(network.sent).toEqual([]);
  mendDisk(app.store);
  expect((await app.send("POST", "/api/v1/messages", request)).status).toBe(201);
  expect(messagesOf(app)).toHaveLength(1);
});

test("a message that waits for its turn is not sent before an outcome that is still unwritten", async () => {
  const { app, network, shop } = await start(1);
  await using _ = app;
  const { waiting, answer } = await inFlight(app, network, shop, shipped());
  const next = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876500000") });
  await app.clock.advance(900);
  freezeDisk(app.store);
  waiting.open("accepted");
  expect((await answer).status).toBe(503);
  mendDisk(app.store);
  // Its turn comes now, and the outcome is written again only later.
  await app.clock.advance(150);
  expect([messageOf(app).status, network.sent.length]).toEqual(["sending", 1]);
  expect([201, 503]).toContain((await app.clock.until(next)).status);
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("sent");
});

const lost: { when: string; outcome: typeof unreachable }[] = [
  { when: "throttled", outcome: pairThrottled() },
  { when: "unreachable", outcome: unreachable },
];

for (const { when, outcome } of lost) {
  test(`a disk that fails while a message is ${when}: nothing stays queued, held or claimed once the disk works again`, async () => {
    const { app, network, shop } = await start();
    await using _ = app;
    const { waiting, answer } = await inFlight(app, network, shop, shipped());
    freezeDisk(app.store);
    waiting.open(outcome);
    expect((await app.clock.until(answer)).status).toBe(503);
    mendDisk(app.store);
    await app.clock.advance(60_000);
    const again = await app.send("POST", "/api/v1/messages", {
      key: shop.key,
      body: shipped(),
      headers: { "idempotency-key": "order-1" },
    });
    expect([201, 502]).toContain(again.status);
    expect(messagesOf(app).filter(({ status }) => status === "queued" || status === "sending")).toEqual([]);
  });
}

test("a disk that fails before the second attempt of a throttled message: its hold and its key are free once the disk works again", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(pairThrottled(5_000));
  const request = { key: shop.key, body: shipped(), headers: { "idempotency-key": "order-1" } };
  const answer = app.call("POST", "/api/v1/messages", request);
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("queued");
  freezeDisk(app.store);
  expect((await app.clock.until(answer)).status).toBe(503);
  mendDisk(app.store);
  await app.clock.advance(60_000);
  expect(network.sent).toHaveLength(1);
  expect([messagesOf(app).filter(({ status }) => status === "queued"), keysOf(app), accountOf(app, shop).held]).toEqual(
    [[], [], 0],
  );
  expect((await app.send("POST", "/api/v1/messages", request)).status).toBe(201);
});

test("a disk that fails when the budget is used up: the message's hold and its key are free once the disk works again", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.always(pairThrottled(3_000));
  const request = { key: shop.key, body: shipped(), headers: { "idempotency-key": "order-1" } };
  const answer = app.call("POST", "/api/v1/messages", request);
  await app.clock.advance(4_000);
  const last = gate();
  network.next(last.answer);
  await app.clock.until(last.reached);
  last.open(pairThrottled(60_000));
  // The discard is written; the write after it is not.
  const { store } = app;
  const { write, writeRepeatable } = store;
  let writes = 0;
  const freezeAtSecond = (): void => {
    writes += 1;
    if (writes === 2) freezeDisk(store);
  };
  store.write = (operation) => {
    freezeAtSecond();
    return write.call(store, operation) as ReturnType<typeof write<never>>;
  };
  store.writeRepeatable = (operation) => {
    freezeAtSecond();
    return writeRepeatable.call(store, operation) as ReturnType<typeof write<never>>;
  };
  const failed = await app.clock.until(answer);
  Object.assign(store, { write, writeRepeatable });
  mendDisk(app.store);
  await app.clock.advance(60_000);
  expect(failed.status).toBe(503);
  expect([messagesOf(app), keysOf(app), accountOf(app, shop).held]).toEqual([[], [], 0]);
});
