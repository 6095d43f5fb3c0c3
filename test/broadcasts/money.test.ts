/** A broadcast's money: held at the start, charged by delivery, released at the latest when the broadcast settles. */
import { expect, test } from "bun:test";
import { setPrice } from "#src/domain/billing/account.ts";
import {
  broadcastOf,
  cancel,
  charged,
  countersOf,
  create,
  HOUR,
  list,
  MINUTE,
  notice,
  pay,
  phones,
  put,
  RATE,
  refusal,
  report,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { optOutOf } from "#test/support/contacts.ts";
import { accepted, gate, unknown } from "#test/support/fake-network.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { accountOf, eventTypesOf, ledgerOf } from "#test/support/rows.ts";
import { sale } from "#test/support/templates.ts";

const BALANCE = 1_000_000;

function money({ app, shop }: Scenario): { held: number; charged: number } {
  const { held, charged: spent } = accountOf(app, shop);
  return { held, charged: spent };
}

function finishedEvents({ app, shop }: Scenario): number {
  return eventTypesOf(app, shop).filter((type) => type === "broadcast.finished").length;
}

test("at creation the cost of every recipient who is not skipped is held", async () => {
  await using scenario = await startScenario(charged);
  await create(scenario, notice([...phones(3), "nobody"]));
  expect(money(scenario)).toEqual({ held: 3 * RATE, charged: 0 });
  const me = (await scenario.app.call("GET", "/api/v1/me", { key: scenario.shop.key })).body.data;
  expect(me.billing.available).toBe("0.9745");
});

test("only delivered messages are charged; the hold of a failed one is released at once, the rest when the broadcast settles", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.next(refusal("131026", "recipient"));
  const id = await run(scenario, notice(phones(4)));
  expect(money(scenario)).toEqual({ held: 3 * RATE, charged: 0 });
  await report(scenario, scenario.network.sent.slice(1, 2), "delivered");
  await report(scenario, scenario.network.sent.slice(2, 3), "failed", 131026);
  expect(money(scenario)).toEqual({ held: RATE, charged: RATE });
  expect((await show(scenario, id)).charged).toBeNull();
  await scenario.app.clock.advance(HOUR - MINUTE);
  expect((await show(scenario, id)).charged).toBeNull();
  expect(finishedEvents(scenario)).toBe(0);
  await scenario.app.clock.advance(2 * MINUTE);
  expect(money(scenario)).toEqual({ held: 0, charged: RATE });
  expect((await show(scenario, id)).charged).toBe("0.0085");
  expect(finishedEvents(scenario)).toBe(1);
  const byKind: Record<string, number> = {};
  for (const [kind, amount] of ledgerOf(scenario.app, scenario.shop)) byKind[kind] = (byKind[kind] ?? 0) + amount;
  expect(byKind).toEqual({ credit: BALANCE, hold: 4 * RATE, charge: RATE, release: 3 * RATE });
});

test("a broadcast settles as soon as every recipient has been reported on", async () => {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent.slice(0, 1), "delivered");
  expect((await show(scenario, id)).charged).toBeNull();
  await report(scenario, scenario.network.sent.slice(1), "failed", 131026);
  expect((await show(scenario, id)).charged).toBe("0.0085");
  expect(money(scenario)).toEqual({ held: 0, charged: RATE });
});

test("a delivery after the settlement is still charged, `charged` follows, and no second finished event is emitted", async () => {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent.slice(0, 1), "delivered");
  await scenario.app.clock.advance(61 * MINUTE);
  expect((await show(scenario, id)).charged).toBe("0.0085");
  await report(scenario, scenario.network.sent.slice(1), "read");
  expect(await show(scenario, id)).toMatchObject({
    charged: "0.017",
    counts: { total: 2, sent: 2, delivered: 2, read: 1, failed: 0 },
  });
  expect(money(scenario)).toEqual({ held: 0, charged: 2 * RATE });
  await report(scenario, scenario.network.sent.slice(1), "read");
  await scenario.app.clock.advance(2 * HOUR);
  expect(money(scenario)).toEqual({ held: 0, charged: 2 * RATE });
  expect(finishedEvents(scenario)).toBe(1);
});

test("a message that failed and is delivered after all is charged, before and after the settlement", async () => {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent, "failed", 131026);
  expect((await show(scenario, id)).charged).toBe("0.00");
  await report(scenario, scenario.network.sent.slice(0, 1), "delivered");
  expect(await show(scenario, id)).toMatchObject({ charged: "0.0085", counts: { sent: 1, delivered: 1, failed: 1 } });
  expect(money(scenario)).toEqual({ held: 0, charged: RATE });
});

test("broadcast.finished reaches the webhook once, with the final figures", async () => {
  await using receiver = startReceiver();
  await using scenario = await startScenario(charged);
  await scenario.app.webhook(scenario.shop, receiver.url);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent, "delivered");
  await scenario.app.clock.advance(5 * SECOND);
  expect(receiver.types()).toEqual(["broadcast.finished"]);
  expect(receiver.received[0]?.event.data).toEqual({ broadcast: await show(scenario, id) });
  await report(scenario, scenario.network.sent, "read");
  await scenario.app.clock.advance(2 * HOUR);
  expect(receiver.types()).toEqual(["broadcast.finished"]);
});

test("an uncharged workspace's broadcast finishes with charged null", async () => {
  await using scenario = await startScenario();
  const id = await run(scenario, notice(phones(1)));
  await report(scenario, scenario.network.sent, "delivered");
  expect((await show(scenario, id)).charged).toBeNull();
  expect(finishedEvents(scenario)).toBe(1);
});

test("a broadcast that never ran settles the moment it is cancelled, with nothing charged", async () => {
  await using scenario = await startScenario(charged);
  const id = await create(scenario, notice(phones(3), { send_at: "2026-11-22" }));
  expect(money(scenario)).toEqual({ held: 0, charged: 0 });
  await cancel(scenario, id);
  await scenario.app.clock.advance(0);
  expect((await show(scenario, id)).charged).toBe("0.00");
  expect(finishedEvents(scenario)).toBe(1);
  expect(money(scenario)).toEqual({ held: 0, charged: 0 });
});

test("a cancel releases the hold of all undispatched recipients in the same moment", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  const waiting = gate();
  scenario.network.next(waiting.answer);
  const id = await create(scenario, notice(phones(10)));
  await untilSent(scenario, 1);
  expect(money(scenario).held).toBe(10 * RATE);
  expect((await cancel(scenario, id)).status).toBe(200);
  expect(money(scenario).held).toBe(RATE);
  waiting.open("accepted");
  await scenario.app.clock.advance(5 * SECOND);
  expect(scenario.network.sent).toHaveLength(1);
  await report(scenario, scenario.network.sent, "delivered");
  await scenario.app.clock.advance(0);
  expect(money(scenario)).toEqual({ held: 0, charged: RATE });
  expect((await show(scenario, id)).charged).toBe("0.0085");
});

test("a recipient being sent at the cancel whom the network never accepted is skipped, and costs nothing", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  const waiting = gate();
  scenario.network.next(waiting.answer);
  const id = await create(scenario, notice(phones(2)));
  await untilSent(scenario, 1);
  await cancel(scenario, id);
  waiting.open({ kind: "unreachable", reason: "connection refused" });
  await scenario.app.clock.advance(0);
  expect(await show(scenario, id)).toMatchObject({ charged: "0.00", counts: { total: 2, sent: 0, skipped: 2 } });
  expect(money(scenario)).toEqual({ held: 0, charged: 0 });
});

test("a cancel at full speed: messages being sent arrive, no other is sent, and only delivered ones are charged", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 10_000_000 }, throughput: 1_000 });
  const opened = Promise.withResolvers<void>();
  scenario.network.always(async (outbound) => {
    await opened.promise;
    return accepted(outbound);
  });
  const id = await create(scenario, notice(phones(600)));
  await untilSent(scenario, 100);
  expect(scenario.network.sent.length).toBeLessThan(600);
  expect((await cancel(scenario, id)).status).toBe(200);
  const onTheWay = scenario.network.sent.length;
  opened.resolve();
  await scenario.app.clock.advance(10 * SECOND);
  expect(scenario.network.sent).toHaveLength(onTheWay);
  const counts = { total: 600, sent: onTheWay, failed: 0, skipped: 600 - onTheWay };
  expect(await show(scenario, id)).toMatchObject({ status: "cancelled", counts });
  await report(scenario, scenario.network.sent.slice(0, 30), "delivered");
  await scenario.app.clock.advance(2 * HOUR);
  expect(money(scenario)).toEqual({ held: 0, charged: 30 * RATE });
});

test("a broadcast does not settle while a message is in doubt, however long after the last dispatch", async () => {
  await using scenario = await startScenario(charged, {
    config: { broadcasts: { inDoubtAfterMs: 3 * HOUR, settleAfterMs: HOUR } },
  });
  scenario.network.next(unknown);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent.slice(1), "delivered");
  await cancel(scenario, id);
  await scenario.app.clock.advance(2 * HOUR);
  expect(finishedEvents(scenario)).toBe(0);
  expect(money(scenario)).toEqual({ held: RATE, charged: RATE });
  await scenario.app.clock.advance(2 * HOUR);
  expect(finishedEvents(scenario)).toBe(1);
  expect(money(scenario)).toEqual({ held: 0, charged: RATE });
});

test("a group's hold is estimated from its opted-in members, and building releases the excess", async () => {
  await using scenario = await startScenario(charged);
  const group = await list(scenario, phones(3));
  const id = await create(scenario, {
    name: "x",
    template: "greeting",
    group,
    variables: [{ field: "first_name" }],
  });
  await scenario.app.clock.advance(SECOND);
  // All three members lack a first name.
  expect(ledgerOf(scenario.app, scenario.shop).slice(1)).toEqual([
    ["hold", 3 * RATE],
    ["release", 3 * RATE],
  ]);
  expect(await show(scenario, id)).toMatchObject({
    status: "completed",
    counts: { total: 3, skipped: 3 },
    charged: "0.00",
  });
  expect(money(scenario)).toEqual({ held: 0, charged: 0 });
});

test("members who join the group before building are held for too; an uncovered cost pauses the broadcast until a payment", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 3 * RATE } });
  const group = await list(scenario, phones(3));
  const id = await create(scenario, {
    name: "x",
    template: "order_shipped",
    group,
    send_at: "2026-11-21T15:00:00+05:30",
  });
  expect(money(scenario).held).toBe(0);
  await put(scenario, phones(1, 50)[0] ?? "", { consent: "opted_in", add_to_groups: [group] });
  await scenario.app.clock.advance(91 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "paused", counts: { total: 4, sent: 0 } });
  expect((await show(scenario, id)).status_reason).toContain("balance");
  expect(money(scenario).held).toBe(0);
  expect(scenario.network.sent).toEqual([]);
  await pay(scenario, RATE);
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", status_reason: null, counts: { sent: 4 } });
  expect(money(scenario).held).toBe(4 * RATE);
});

test("the price is frozen when the cost is held", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  const id = await create(scenario, notice(phones(2)));
  await scenario.app.store.write((tx) => void setPrice(tx, scenario.shop.id, "USD", 2 * RATE));
  await scenario.app.clock.advance(10 * SECOND);
  await report(scenario, scenario.network.sent, "delivered");
  expect((await show(scenario, id)).charged).toBe("0.017");
  expect(money(scenario)).toEqual({ held: 0, charged: 2 * RATE });
});

test("a scheduled broadcast costs the price at its start", async () => {
  await using scenario = await startScenario(charged);
  const id = await create(scenario, notice(phones(2), { send_at: "2026-11-21T15:00:00+05:30" }));
  await scenario.app.store.write((tx) => void setPrice(tx, scenario.shop.id, "USD", 2 * RATE));
  await scenario.app.clock.advance(91 * MINUTE);
  await report(scenario, scenario.network.sent, "delivered");
  expect((await show(scenario, id)).charged).toBe("0.034");
});

test("money held for a broadcast is not available to a single message", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 2 * RATE }, throughput: 1 });
  const id = await create(scenario, notice(phones(2)));
  const { app, shop } = scenario;
  const single = () => app.send("POST", "/api/v1/messages", { key: shop.key, body: sale("+919876543210") });
  expect((await single()).status).toBe(402);
  await cancel(scenario, id);
  expect((await single()).status).toBe(201);
});

test("a recipient who opts out before their turn costs nothing, and the broadcast settles without them", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  const id = await create(scenario, notice(phones(3)));
  await scenario.app.clock.advance(0);
  await optOutOf(scenario.app, scenario.shop, phones(3)[2] ?? "");
  await scenario.app.clock.advance(10 * SECOND);
  expect(countersOf(scenario, id)).toMatchObject({ held: 2 * RATE, sent: 2, skipped: 1 });
  await report(scenario, scenario.network.sent, "delivered");
  await scenario.app.clock.advance(0);
  expect(broadcastOf(scenario, id).status).toBe("completed");
  expect(money(scenario)).toEqual({ held: 0, charged: 2 * RATE });
});
