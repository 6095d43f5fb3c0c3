/** What the simulator does by the last digits of a recipient: answers, events and their times. */
import { expect, test } from "bun:test";
import { startReceiver } from "#test/support/receiver.ts";
import { eventsOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

interface Expected {
  answer: [status: number, code: string | null];
  events: string[];
  end: string;
}

const ladder = ["message.sent", "message.delivered", "message.read"];

/** The simulator's table, by the last four digits; `1234` stands for every other ending. */
const rows: Record<string, Expected> = {
  "1234": { answer: [201, null], events: ladder, end: "read" },
  "0001": { answer: [422, "invalid_number"], events: ["message.failed"], end: "failed" },
  "0002": { answer: [502, "whatsapp_error"], events: ["message.failed"], end: "failed" },
  "0003": { answer: [201, null], events: ["message.sent", "message.failed"], end: "failed" },
  "0004": { answer: [201, null], events: ["message.sent"], end: "sent" },
  "0005": { answer: [201, null], events: ["message.sent", "message.delivered"], end: "delivered" },
  "0006": { answer: [201, null], events: ladder, end: "read" },
  "0007": { answer: [502, "whatsapp_error"], events: ["message.failed", ...ladder], end: "read" },
  "0008": { answer: [502, "whatsapp_error"], events: ["message.failed"], end: "failed" },
  // The network reports `read` first; the overtaken `delivered` has its event all the same.
  "0009": { answer: [201, null], events: ladder, end: "read" },
};

const countries: [country: string, prefix: string][] = [
  ["India", "+91987654"],
  ["Brazil", "+551198765"],
  ["the United Kingdom", "+44777765"],
  ["Germany", "+491512345"],
];

for (const [ending, { answer, events, end }] of Object.entries(rows)) {
  test(`a recipient whose number ends in ${ending}: ${answer.join(" ")}, then ${events.join(", ")}`, async () => {
    await using app = await startTestServer();
    await using receiver = startReceiver();
    const shop = await app.workspace();
    await app.template(shop, orderShipped);
    await app.webhook(shop, receiver.url);
    const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(`+91987654${ending}`) });
    expect([sent.status, sent.body.error?.code ?? null]).toEqual(answer);
    await app.clock.advance(60_000);
    expect(eventTypesOf(app, shop)).toEqual(events);
    expect(receiver.types().toSorted()).toEqual(events.toSorted());
    const shown = await app.call("GET", "/api/v1/messages/1", { key: shop.key });
    expect(shown.body.data.status).toBe(end);
  });
}

for (const [country, prefix] of countries) {
  test(`the last digits of a simulated recipient decide in ${country} too`, async () => {
    await using app = await startTestServer();
    const shop = await app.workspace();
    await app.template(shop, orderShipped);
    const answers: string[] = [];
    for (const ending of Object.keys(rows)) {
      const { status, body } = await app.send("POST", "/api/v1/messages", {
        key: shop.key,
        body: shipped(prefix + ending),
      });
      answers.push(`${ending} ${[status, body.error?.code ?? null].join(" ")}`);
    }
    await app.clock.advance(60_000);
    expect(answers).toEqual(Object.entries(rows).map(([ending, { answer }]) => `${ending} ${answer.join(" ")}`));
    const told = Map.groupBy(eventsOf(app, shop), ({ data }) => data.message.to.slice(-4));
    for (const [ending, { events }] of Object.entries(rows)) {
      expect([ending, told.get(ending)?.map(({ type }) => type)]).toEqual([ending, events]);
    }
  });
}

test("the simulator reports delivery one second after the dispatch and read three seconds after it, unless configured otherwise", async () => {
  const simulator = { deliverAfterMs: 1_000, readAfterMs: 3_000, noAnswerAfterMs: 0 };
  await using app = await startTestServer({ config: { simulator } });
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  const seen: number[] = [];
  for (const waitMs of [999, 1, 1_999, 1]) {
    await app.clock.advance(waitMs);
    seen.push(eventTypesOf(app, shop).length);
  }
  expect(seen).toEqual([1, 2, 2, 3]);
});

test("a throttled simulated number waits half a second, then one, and the third attempt succeeds in the same request", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  const before = app.clock.now();
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540006") });
  expect(sent.status).toBe(201);
  expect(app.clock.now() - before).toBeGreaterThanOrEqual(1_500);
  expect(app.clock.now() - before).toBeLessThan(8_000);
});

test("a simulated recipient without an answer is waited for as configured, and its statuses come two seconds later", async () => {
  const simulator = { deliverAfterMs: 0, readAfterMs: 0, noAnswerAfterMs: 5_000 };
  await using app = await startTestServer({ config: { simulator } });
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  const before = app.clock.now();
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540007") });
  expect([sent.status, sent.body.error.whatsapp_code]).toEqual([502, "timeout"]);
  const waited = app.clock.now() - before;
  // The number's own pace comes before the dispatch.
  expect([waited >= 5_000, waited <= 5_010]).toEqual([true, true]);
  await app.clock.advance(1_999);
  expect(eventTypesOf(app, shop)).toEqual(["message.failed"]);
  await app.clock.advance(1);
  expect(eventTypesOf(app, shop)).toEqual(["message.failed", ...ladder]);
  const shown = await app.call("GET", "/api/v1/messages/1", { key: shop.key });
  expect(shown.body.data).toMatchObject({ status: "read", error: null });
});
