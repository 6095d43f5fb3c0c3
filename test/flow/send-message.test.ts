/** A single send against a scripted network: retries, outcomes, early statuses, callers that hang up. */
import { expect, test } from "bun:test";
import {
  fakeNetwork,
  gate,
  networkIdOf,
  pairThrottled,
  refused,
  throttled,
  unknown,
  unreachable,
} from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import {
  accountOf,
  contactsOf,
  eventsOf,
  eventTypesOf,
  keysOf,
  ledgerOf,
  messageOf,
  messagesOf,
} from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const charged = { billing: { rate: 8_500, balance: 1_000_000 } };

async function start(network = fakeNetwork()) {
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace(charged);
  await app.template(shop, orderShipped);
  return { app, network, shop };
}

function post(app: TestServer, shop: TestWorkspace, key?: string, to?: string) {
  return app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: shipped(to),
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });
}

test("a network that throttles to the end of the budget: 429, and message, hold and key are gone", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.always(pairThrottled());
  const before = app.clock.monotonic();
  const answer = await post(app, shop, "order-1");
  expect([answer.status, answer.body.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(app.clock.monotonic() - before).toBeLessThanOrEqual(8_100);
  expect(network.sent.length).toBeGreaterThan(2);
  expect(new Set(network.sent.map(({ sendToken }) => sendToken)).size).toBe(1);
  expect(messagesOf(app)).toEqual([]);
  expect(keysOf(app)).toEqual([]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
  expect(ledgerOf(app, shop)).toEqual([
    ["credit", 1_000_000],
    ["hold", 8_500],
    ["release", 8_500],
  ]);
  expect(eventsOf(app, shop)).toEqual([]);
  expect(contactsOf(app).map(({ phone, consent }) => [phone, consent])).toEqual([["+919876543210", "unknown"]]);
});

test("after a 429 the same key sends again", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(throttled(60_000));
  expect((await post(app, shop, "order-1")).status).toBe(429);
  await app.clock.advance(60_000);
  const again = await post(app, shop, "order-1");
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect(network.sent).toHaveLength(2);
});

test("a Retry-After longer than the budget is passed on at once, in whole seconds", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(pairThrottled(59_500));
  const before = app.clock.monotonic();
  const answer = await post(app, shop);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(app.clock.monotonic() - before).toBeLessThan(100);
  expect(network.sent).toHaveLength(1);
});

test("the network's Retry-After is honoured", async () => {
  const network = fakeNetwork();
  const { app, shop } = await start(network);
  await using _ = app;
  const times: number[] = [];
  network.always((outbound) => {
    times.push(app.clock.monotonic());
    return times.length === 1
      ? pairThrottled(3_000)
      : { kind: "accepted", networkMessageId: networkIdOf(outbound), recipientId: null, recipientNetworkUserId: null };
  });
  expect((await post(app, shop)).status).toBe(201);
  const [first = 0, second = 0] = times;
  expect(times).toHaveLength(2);
  expect(second - first).toBeGreaterThanOrEqual(3_000);
  expect(second - first).toBeLessThan(3_100);
});

test("a network unreachable to the end: 502 unreachable, kept under the key, the message failed and the hold released", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.always(unreachable);
  const answer = await post(app, shop, "order-1");
  expect(answer.status).toBe(502);
  expect(answer.body.error).toMatchObject({ code: "whatsapp_error", whatsapp_code: "unreachable" });
  const attempts = network.sent.length;
  expect(attempts).toBeGreaterThan(2);
  expect(messageOf(app)).toMatchObject({ status: "failed", errorCode: "unreachable", money: "released" });
  expect(eventTypesOf(app, shop)).toEqual(["message.failed"]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
  network.always(refused("131000"));
  const again = await post(app, shop, "order-1");
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([502, answer.text, "true"]);
  expect(network.sent).toHaveLength(attempts);
});

test("a network that is reachable again within the budget accepts the message, and only one event is emitted", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(unreachable, unreachable);
  expect((await post(app, shop)).status).toBe(201);
  expect(network.sent).toHaveLength(3);
  expect(eventTypesOf(app, shop)).toEqual(["message.sent"]);
  expect(ledgerOf(app, shop).filter(([kind]) => kind === "hold")).toHaveLength(1);
});

test("a message with an unknown outcome is never sent again, not even under the same key", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(unknown);
  const answer = await post(app, shop, "order-1");
  expect(answer.body.error).toMatchObject({ code: "whatsapp_error", whatsapp_code: "timeout" });
  expect(messageOf(app)).toMatchObject({ status: "failed", outcomeUnknown: true, money: "released" });
  const again = await post(app, shop, "order-1");
  await app.clock.advance(3_600_000);
  expect([answer.status, again.status, again.text]).toEqual([502, 502, answer.text]);
  expect(network.sent).toHaveLength(1);
  expect(eventTypesOf(app, shop)).toEqual(["message.failed"]);
});

test("a message with an unknown outcome that was sent after all emits its events and is charged", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(unknown);
  await post(app, shop);
  const { sendToken } = messageOf(app);
  await reportStatus(app, shop, { id: "wamid.1", status: "sent", sendToken });
  expect(messageOf(app)).toMatchObject({ status: "sent", errorCode: null, money: "released" });
  await reportStatus(app, shop, { id: "wamid.1", status: "delivered", sendToken });
  expect(eventTypesOf(app, shop)).toEqual(["message.failed", "message.sent", "message.delivered"]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 8_500 });
});

test("a throttle and then an unknown outcome: the network gets two requests and never a third", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(pairThrottled(), unknown);
  const answer = await post(app, shop);
  expect(answer.body.error.whatsapp_code).toBe("timeout");
  await app.clock.advance(3_600_000);
  expect(network.sent).toHaveLength(2);
});

const refusals: [code: string, status: number, error: string, whatsappCode: string | undefined][] = [
  ["131026", 422, "invalid_number", "131026"],
  ["131047", 422, "window_closed", "131047"],
  ["131000", 502, "whatsapp_error", "131000"],
  ["132001", 422, "template_not_found", "132001"],
];

for (const [code, status, error, whatsappCode] of refusals) {
  test(`the network's ${code} is ${status} ${error}, with a failed message, its event, no charge, and a kept answer`, async () => {
    const { app, network, shop } = await start();
    await using _ = app;
    network.next(refused(code));
    const answer = await post(app, shop, "order-1");
    expect([answer.status, answer.body.error.code, answer.body.error.whatsapp_code]).toEqual([
      status,
      error,
      whatsappCode,
    ]);
    const shown = await app.call("GET", "/api/v1/messages/1", { key: shop.key });
    expect(shown.body.data).toMatchObject({ status: "failed", error: { whatsapp_code: code }, sent_at: null });
    expect(eventsOf(app, shop)).toEqual([{ type: "message.failed", data: { message: shown.body.data } }]);
    expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
    expect((await post(app, shop, "order-1")).text).toBe(answer.text);
    expect(network.sent).toHaveLength(1);
  });
}

test("a status that arrives before the network's answer moves the message, and the answer does not move it back", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  await app.clock.advance(50);
  const outbound = await waiting.reached;
  const status = { id: networkIdOf(outbound), sendToken: outbound.sendToken };
  await reportStatus(app, shop, { ...status, status: "delivered" });
  expect(messageOf(app).status).toBe("delivered");
  waiting.open("accepted");
  const { status: code, body } = await app.clock.until(answer);
  expect([code, body.data.status]).toEqual([201, "delivered"]);
  expect(eventTypesOf(app, shop)).toEqual(["message.sent", "message.delivered"]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 8_500 });
});

test("a status without a send token that arrives before the network's answer is applied with the answer", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  await app.clock.advance(50);
  const outbound = await waiting.reached;
  await reportStatus(app, shop, { id: networkIdOf(outbound), status: "read" });
  expect(messageOf(app).status).toBe("sending");
  waiting.open("accepted");
  const { body } = await app.clock.until(answer);
  expect(body.data.status).toBe("read");
  expect(eventTypesOf(app, shop)).toEqual(["message.sent", "message.delivered", "message.read"]);
});

test("a status that proves the first attempt arrived while a throttled message waits ends the waiting", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(pairThrottled(5_000));
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("queued");
  await reportStatus(app, shop, { id: "wamid.1", status: "sent", sendToken: messageOf(app).sendToken });
  const { status, body } = await app.clock.until(answer);
  expect([status, body.data.status]).toEqual([201, "sent"]);
  expect(network.sent).toHaveLength(1);
  expect(accountOf(app, shop)).toMatchObject({ held: 8_500, charged: 0 });
});

test("a caller that hangs up does not stop the request: the message is sent once and its answer is kept", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const waiting = gate();
  network.next(waiting.answer);
  const abort = new AbortController();
  const hungUp = fetch(`${app.server.url}/api/v1/messages`, {
    method: "POST",
    signal: abort.signal,
    headers: { authorization: `Bearer ${shop.key}`, "content-type": "application/json", "idempotency-key": "order-1" },
    body: JSON.stringify(shipped()),
  }).catch((error: Error) => error.name);
  await app.clock.until(waiting.reached);
  abort.abort();
  expect(await hungUp).toBe("AbortError");
  await app.clock.advance(1_000);
  waiting.open("accepted");
  await app.clock.advance(1_000);
  expect(messageOf(app).status).toBe("sent");
  const again = await post(app, shop, "order-1");
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(network.sent).toHaveLength(1);
});

test("the message of a caller that hung up is recorded when its answer comes while the server stops, not left in doubt", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const waiting = gate();
  network.next(waiting.answer);
  const abort = new AbortController();
  const hungUp = fetch(`${app.server.url}/api/v1/messages`, {
    method: "POST",
    signal: abort.signal,
    headers: { authorization: `Bearer ${shop.key}`, "content-type": "application/json" },
    body: JSON.stringify(shipped()),
  }).catch((error: Error) => error.name);
  await app.clock.until(waiting.reached);
  abort.abort();
  await hungUp;
  await app.clock.rest();
  const stopped = app.stop();
  await Promise.race([stopped, app.clock.rest()]);
  waiting.open("accepted");
  await stopped;
  await using next = await startTestServer({ directory: app.directory, networks: { simulator: fakeNetwork() } });
  expect(messageOf(next).status).toBe("sent");
});

test("a network that throttles without a Retry-After is not asked again in a busy loop", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(...Array.from({ length: 30 }, () => pairThrottled(0)));
  await post(app, shop);
  expect(network.sent.length).toBeLessThan(15);
}, 30_000);
