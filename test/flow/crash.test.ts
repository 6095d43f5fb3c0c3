/** Crashes during a single send: a message is never sent twice, and every key ends with an answer or free. */
import { expect, test } from "bun:test";
import { TestClock } from "#test/support/clock.ts";
import { type DiskImage, imageOf } from "#test/support/crash.ts";
import { fakeNetwork, gate, networkIdOf, pairThrottled } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { accountOf, eventTypesOf, keysOf, messageOf, messagesOf, parkedCount } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const keyed = { headers: { "idempotency-key": "order-1" } };

interface Crash extends Disposable {
  image: DiskImage;
  shop: TestWorkspace;
  /** Wall time of the crash. */
  at: number;
}

/** A server whose message is with the network, and its disk at that moment. */
async function crashWhileSending(body: object = shipped()): Promise<Crash> {
  const network = fakeNetwork();
  await using app = await startTestServer({ networks: { simulator: network } });
  const shop = await prepare(app);
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body, ...keyed });
  await app.clock.until(waiting.reached);
  const image = imageOf(app.directory);
  waiting.open("accepted");
  await app.clock.until(answer);
  return { image, shop, at: app.clock.now(), [Symbol.dispose]: () => image[Symbol.dispose]() };
}

async function crashWhileQueued(): Promise<Crash> {
  const network = fakeNetwork();
  await using app = await startTestServer({ networks: { simulator: network } });
  const shop = await prepare(app);
  network.next(pairThrottled(5_000));
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(), ...keyed });
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("queued");
  const image = imageOf(app.directory);
  await app.clock.until(answer);
  return { image, shop, at: app.clock.now(), [Symbol.dispose]: () => image[Symbol.dispose]() };
}

async function prepare(app: TestServer): Promise<TestWorkspace> {
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, orderShipped);
  await app.template(shop, summerSale);
  return shop;
}

async function startOn({ image, at }: Crash, laterMs = HOUR) {
  const network = fakeNetwork();
  const clock = new TestClock(at + laterMs);
  const app = await startTestServer({ directory: image.directory, clock, networks: { simulator: network } });
  return { app, network };
}

test("a message that was sending at a crash is never sent again: ten minutes after the start it fails as interrupted", async () => {
  using crash = await crashWhileSending();
  const { app, network } = await startOn(crash);
  await using _ = app;
  await app.clock.advance(10 * MINUTE - 1);
  expect(messageOf(app)).toMatchObject({ status: "sending", money: "held" });
  expect(eventTypesOf(app, crash.shop)).toEqual([]);
  expect((await app.call("GET", "/api/v1/messages/1", { key: crash.shop.key })).status).toBe(404);
  await app.clock.advance(1);
  expect(messageOf(app)).toMatchObject({ status: "failed", errorCode: "interrupted", money: "released" });
  expect(eventTypesOf(app, crash.shop)).toEqual(["message.failed"]);
  expect(accountOf(app, crash.shop)).toMatchObject({ held: 0, charged: 0 });
  await app.clock.pass(24 * HOUR);
  expect(network.sent).toEqual([]);
});

test("a status within the ten minutes moves the in-doubt message on, and it does not fail later", async () => {
  using crash = await crashWhileSending(sale());
  const { app, network } = await startOn(crash);
  await using _ = app;
  await app.clock.advance(9 * MINUTE);
  const { sendToken } = messageOf(app);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "sent", sendToken });
  await app.clock.advance(HOUR);
  expect(messageOf(app)).toMatchObject({ status: "sent", money: "held" });
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "delivered" });
  expect(eventTypesOf(app, crash.shop)).toEqual(["message.sent", "message.delivered"]);
  expect(accountOf(app, crash.shop)).toMatchObject({ held: 0, charged: 8_500 });
  expect(network.sent).toEqual([]);
});

test("a status after the ten minutes revives the failed message, and the message is charged when delivered", async () => {
  using crash = await crashWhileSending();
  const { app } = await startOn(crash);
  await using _ = app;
  await app.clock.advance(11 * MINUTE);
  const { sendToken } = messageOf(app);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "delivered", sendToken });
  expect(eventTypesOf(app, crash.shop)).toEqual(["message.failed", "message.sent", "message.delivered"]);
  expect(messageOf(app)).toMatchObject({ status: "delivered", errorCode: null, money: "charged" });
});

test("a retry that finds its message in doubt waits for a status and answers 201 when one comes", async () => {
  using crash = await crashWhileSending();
  const { app, network } = await startOn(crash);
  await using _ = app;
  const retry = app.call("POST", "/api/v1/messages", { key: crash.shop.key, body: shipped(), ...keyed });
  await app.clock.advance(5_000);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "sent", sendToken: messageOf(app).sendToken });
  const answer = await app.clock.until(retry);
  expect([answer.status, answer.body.data?.status]).toEqual([201, "sent"]);
  expect(network.sent).toEqual([]);
});

test("a retry without a status within the budget expires the message: 502 interrupted, kept, and revived by a late status", async () => {
  using crash = await crashWhileSending();
  const { app, network } = await startOn(crash);
  await using _ = app;
  const before = app.clock.monotonic();
  const answer = await app.send("POST", "/api/v1/messages", { key: crash.shop.key, body: shipped(), ...keyed });
  expect([answer.status, answer.body.error.whatsapp_code]).toEqual([502, "interrupted"]);
  expect(app.clock.monotonic() - before).toBe(8_000);
  expect(messageOf(app)).toMatchObject({ status: "failed", money: "released" });
  await app.clock.advance(HOUR);
  const again = await app.send("POST", "/api/v1/messages", { key: crash.shop.key, body: shipped(), ...keyed });
  expect(again.text).toBe(answer.text);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "read", sendToken: messageOf(app).sendToken });
  expect(eventTypesOf(app, crash.shop)).toEqual([
    "message.failed",
    "message.sent",
    "message.delivered",
    "message.read",
  ]);
  expect(network.sent).toEqual([]);
});

test("a message that was queued at a crash fails at the start, its hold is released, and its key sends again", async () => {
  using crash = await crashWhileQueued();
  const { app, network } = await startOn(crash);
  await using _ = app;
  expect(messageOf(app)).toMatchObject({ status: "failed", errorCode: "interrupted", money: "released" });
  expect(eventTypesOf(app, crash.shop)).toEqual(["message.failed"]);
  expect(accountOf(app, crash.shop)).toMatchObject({ held: 0 });
  expect(keysOf(app)).toEqual([]);
  const again = await app.send("POST", "/api/v1/messages", { key: crash.shop.key, body: shipped(), ...keyed });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect(network.sent).toHaveLength(1);
  expect(messagesOf(app).map(({ status }) => status)).toEqual(["failed", "sent"]);
});

test("a crash before the intent is on disk leaves no trace, and the key is free", async () => {
  await using app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  const shop = await prepare(app);
  using image = imageOf(app.directory);
  const { app: second, network } = await startOn({
    image,
    shop,
    at: app.clock.now(),
    [Symbol.dispose]: () => undefined,
  });
  await using _ = second;
  expect(messagesOf(second)).toEqual([]);
  expect((await second.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(), ...keyed })).status).toBe(
    201,
  );
  expect(network.sent).toHaveLength(1);
});

test("a crash after the answer keeps the answer: the retry replays it and nothing is sent", async () => {
  await using app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  const shop = await prepare(app);
  const first = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(), ...keyed });
  using image = imageOf(app.directory);
  const { app: second, network } = await startOn({
    image,
    shop,
    at: app.clock.now(),
    [Symbol.dispose]: () => undefined,
  });
  await using _ = second;
  const again = await second.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(), ...keyed });
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
  expect(network.sent).toEqual([]);
});

test("after a second crash the ten minutes start over with the process that can receive the status", async () => {
  using crash = await crashWhileSending();
  const { app: second } = await startOn(crash, MINUTE);
  await second.clock.advance(5 * MINUTE);
  using image = imageOf(second.directory);
  await second[Symbol.asyncDispose]();
  const { app: third, network } = await startOn({ ...crash, image }, 2 * HOUR);
  await using _ = third;
  await third.clock.advance(9 * MINUTE);
  expect(messageOf(third).status).toBe("sending");
  await third.clock.advance(MINUTE);
  expect(messageOf(third)).toMatchObject({ status: "failed", errorCode: "interrupted" });
  expect(network.sent).toEqual([]);
});

test("a status without a send token that waits across the crash is applied when another names the message's network id", async () => {
  using crash = await crashWhileSending();
  const { app } = await startOn(crash);
  await using _ = app;
  const { sendToken } = messageOf(app);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "delivered" });
  expect([messageOf(app).status, parkedCount(app)]).toEqual(["sending", 1]);
  await reportStatus(app, crash.shop, { id: "wamid.1", status: "sent", sendToken });
  expect([messageOf(app).status, parkedCount(app)]).toEqual(["delivered", 0]);
});

test("a status of an unknown message is dropped after ten minutes without a send token, and after a day with one of ours", async () => {
  using crash = await crashWhileSending();
  const { app } = await startOn(crash);
  await using _ = app;
  const { sendToken } = messageOf(app);
  const unknown = `${sendToken.slice(0, -26)}${"0".repeat(26)}`;
  await reportStatus(
    app,
    crash.shop,
    { id: "wamid.a", status: "sent" },
    { id: "wamid.b", status: "sent", sendToken: unknown },
  );
  expect(parkedCount(app)).toBe(2);
  await app.clock.advance(20 * MINUTE);
  expect(parkedCount(app)).toBe(1);
  await app.clock.pass(23 * HOUR);
  expect(parkedCount(app)).toBe(1);
  await app.clock.advance(HOUR);
  expect(parkedCount(app)).toBe(0);
}, 30_000);

test("a status whose send token comes from another copy of the database is dropped", async () => {
  using crash = await crashWhileSending();
  const { app } = await startOn(crash);
  await using _ = app;
  const sendToken = messageOf(app).sendToken.replace(/^wx1\.[0-9a-z]{8}/, "wx1.00000000");
  await reportStatus(app, crash.shop, { id: networkIdOf({ sendToken }), status: "sent", sendToken });
  expect([parkedCount(app), messageOf(app).status]).toEqual([0, "sending"]);
});
