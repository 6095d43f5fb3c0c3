import { expect, test } from "bun:test";
import { messages } from "#src/domain/messages/table.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { accepted, fakeNetwork, refused, unknown } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { accountOf, messageOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const RATE = 8_500;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function person(index: number): string {
  return `+9198765${String(10_000 + index)}`;
}

async function start(settings: Partial<Parameters<TestServer["workspace"]>[0]>) {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({ throughput: 100_000, ...settings });
  await app.template(shop, orderShipped);
  return { app, network, shop };
}

function post(app: TestServer, shop: TestWorkspace, to: string) {
  return app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(to) });
}

test("200 simultaneous sends on a balance for 50: exactly 50 are sent, 150 are answered 402, and nothing is overspent", async () => {
  const { app, network, shop } = await start({ billing: { rate: RATE, balance: 50 * RATE + 1 } });
  await using _ = app;
  const calls = Array.from({ length: 200 }, (_unused, index) =>
    app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(person(index)) }),
  );
  const answers = await app.clock.until(Promise.all(calls));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  const short = answers.filter(({ status }) => status === 402);
  expect(short).toHaveLength(150);
  for (const { body } of short) {
    expect(body.error).toMatchObject({ code: "insufficient_balance", needed: "0.0085" });
  }
  expect(network.sent).toHaveLength(50);
  expect(messagesOf(app)).toHaveLength(50);
  expect(accountOf(app, shop)).toMatchObject({ held: 50 * RATE, charged: 0 });
}, 30_000);

test("a 402 names the cost and the available balance, and stores nothing", async () => {
  const { app, shop } = await start({ billing: { rate: 120_500_000, balance: 120_499_999 } });
  await using _ = app;
  const { status, body } = await post(app, shop, person(0));
  expect(status).toBe(402);
  expect(body.error).toMatchObject({ code: "insufficient_balance", needed: "120.50", available: "120.499999" });
  expect(messagesOf(app)).toEqual([]);
});

test("a hold that was never settled is released after 30 days, and a later delivery is still charged", async () => {
  const { app, shop } = await start({ billing: { rate: RATE, balance: RATE } });
  await using _ = app;
  await post(app, shop, person(0));
  // Backdated instead of waiting: a month of housekeeping would have the same result, later.
  await app.store.write((tx) => {
    tx.db
      .update(messages)
      .set({ createdAt: tx.now - (30 * DAY - HOUR) })
      .run();
  });
  await app.clock.advance(30 * MINUTE);
  expect(accountOf(app, shop)).toMatchObject({ held: RATE, charged: 0 });
  expect((await post(app, shop, person(1))).status).toBe(402);
  await app.clock.advance(HOUR);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
  expect(messageOf(app)).toMatchObject({ status: "sent", money: "released" });
  await reportStatus(app, shop, { id: messageOf(app).networkMessageId ?? "", status: "delivered" });
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: RATE });
}, 30_000);

test("the daily cap counts distinct recipients of the last 24 hours, and says when the oldest one expires", async () => {
  const { app, shop } = await start({ dailyCap: 2 });
  await using _ = app;
  const first = app.clock.now();
  expect((await post(app, shop, person(0))).status).toBe(201);
  await app.clock.advance(HOUR);
  expect((await post(app, shop, person(1))).status).toBe(201);
  await app.clock.advance(HOUR);
  const over = await post(app, shop, person(2));
  expect([over.status, over.body.error.code]).toEqual([429, "rate_limited"]);
  const waitMs = Number(over.headers.get("retry-after")) * 1_000;
  expect(Math.abs(first + DAY - app.clock.now() - waitMs)).toBeLessThanOrEqual(1_000);
  await app.clock.advance(waitMs);
  expect((await post(app, shop, person(2))).status).toBe(201);
  expect((await post(app, shop, person(3))).status).toBe(429);
}, 60_000);

test("a second message to a recent recipient does not count against the cap, and keeps them counted for 24 hours from then", async () => {
  const { app, shop } = await start({ dailyCap: 1 });
  await using _ = app;
  expect((await post(app, shop, person(0))).status).toBe(201);
  await app.clock.pass(23 * HOUR);
  expect((await post(app, shop, person(0))).status).toBe(201);
  await app.clock.advance(2 * HOUR);
  expect((await post(app, shop, person(1))).status).toBe(429);
}, 60_000);

test("a recipient whose message was refused does not count; one whose message has an unknown outcome does", async () => {
  const { app, network, shop } = await start({ dailyCap: 1 });
  await using _ = app;
  network.next(refused("131026"));
  expect((await post(app, shop, person(0))).status).toBe(422);
  network.next(unknown);
  expect((await post(app, shop, person(1))).status).toBe(502);
  expect((await post(app, shop, person(2))).status).toBe(429);
});

test("a refused message does not uncount an earlier message to the same recipient", async () => {
  const { app, network, shop } = await start({ dailyCap: 1 });
  await using _ = app;
  expect((await post(app, shop, person(0))).status).toBe(201);
  await app.clock.advance(HOUR);
  network.next(refused("131000"));
  expect((await post(app, shop, person(0))).status).toBe(502);
  expect((await post(app, shop, person(1))).status).toBe(429);
});

test("texts and our own refusals do not count, and 20 simultaneous sends never exceed the cap", async () => {
  const { app, network, shop } = await start({ dailyCap: 3 });
  await using _ = app;
  await app.inbound(shop, person(0), "Hi");
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: person(0), text: "Hello" } });
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: person(1), template: "no_such_template" } });
  const calls = Array.from({ length: 20 }, (_unused, index) =>
    app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(person(index)) }),
  );
  const answers = await app.clock.until(Promise.all(calls));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  expect(network.sent.filter(({ content }) => content.type === "template")).toHaveLength(3);
});

test("a new cap counts recipients who were sent a template in the 24 hours before", async () => {
  const { app, shop } = await start({});
  await using _ = app;
  expect((await post(app, shop, person(0))).status).toBe(201);
  await app.store.write((tx) => void updateWorkspace(tx, shop.id, { dailyCap: 1 }));
  expect((await post(app, shop, person(1))).status).toBe(429);
});

test("linked contacts count as one recipient", async () => {
  const { app, network, shop } = await start({ dailyCap: 1 });
  await using _ = app;
  await app.inbound(shop, person(1), "Hi");
  network.next((outbound) => accepted(outbound, { recipientId: person(1).slice(1) }));
  expect((await post(app, shop, person(0))).status).toBe(201);
  expect((await post(app, shop, person(1))).status).toBe(201);
  expect((await post(app, shop, person(2))).status).toBe(429);
});
