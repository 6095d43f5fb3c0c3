import { expect, test } from "bun:test";
import { setPrice } from "#src/domain/billing/account.ts";
import {
  broadcastOf,
  cancel,
  charged,
  create,
  figuresOf,
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
  SECOND,
  type Story,
  show,
  startStory,
  untilSent,
} from "#test/support/broadcast-stories.ts";
import { optOutOf } from "#test/support/contacts.ts";
import { accepted, gate, unknown } from "#test/support/fake-network.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { accountOf, eventTypesOf, ledgerOf } from "#test/support/rows.ts";
import { sale } from "#test/support/templates.ts";

const BALANCE = 1_000_000;

function money({ app, shop }: Story): { held: number; charged: number } {
  const { held, charged: spent } = accountOf(app, shop);
  return { held, charged: spent };
}

function finishedEvents({ app, shop }: Story): number {
  return eventTypesOf(app, shop).filter((type) => type === "broadcast.finished").length;
}

test("at creation the cost of everybody who is not skipped is blocked", async () => {
  await using story = await startStory(charged);
  await create(story, notice([...phones(3), "nobody"]));
  expect(money(story)).toEqual({ held: 3 * RATE, charged: 0 });
  const me = (await story.app.call("GET", "/api/v1/me", { key: story.shop.key })).body.data;
  expect(me.billing.available).toBe("0.9745");
});

test("only delivered ones are charged; what failed is released at once, the rest when it settles", async () => {
  await using story = await startStory(charged);
  story.network.next(refusal("131026", "recipient"));
  const id = await run(story, notice(phones(4)));
  expect(money(story)).toEqual({ held: 3 * RATE, charged: 0 });
  await report(story, story.network.sent.slice(1, 2), "delivered");
  await report(story, story.network.sent.slice(2, 3), "failed", 131026);
  expect(money(story)).toEqual({ held: RATE, charged: RATE });
  expect((await show(story, id)).charged).toBeNull();
  await story.app.clock.advance(HOUR - MINUTE);
  expect((await show(story, id)).charged).toBeNull();
  expect(finishedEvents(story)).toBe(0);
  await story.app.clock.advance(2 * MINUTE);
  expect(money(story)).toEqual({ held: 0, charged: RATE });
  expect((await show(story, id)).charged).toBe("0.0085");
  expect(finishedEvents(story)).toBe(1);
  const byKind: Record<string, number> = {};
  for (const [kind, amount] of ledgerOf(story.app, story.shop)) byKind[kind] = (byKind[kind] ?? 0) + amount;
  expect(byKind).toEqual({ credit: BALANCE, hold: 4 * RATE, charge: RATE, release: 3 * RATE });
});

test("it settles at once when everybody has been reported on", async () => {
  await using story = await startStory(charged);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent.slice(0, 1), "delivered");
  expect((await show(story, id)).charged).toBeNull();
  await report(story, story.network.sent.slice(1), "failed", 131026);
  expect((await show(story, id)).charged).toBe("0.0085");
  expect(money(story)).toEqual({ held: 0, charged: RATE });
});

test("a delivery after the settling is charged all the same, `charged` follows, and no second event is told", async () => {
  await using story = await startStory(charged);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent.slice(0, 1), "delivered");
  await story.app.clock.advance(61 * MINUTE);
  expect((await show(story, id)).charged).toBe("0.0085");
  await report(story, story.network.sent.slice(1), "read");
  expect(await show(story, id)).toMatchObject({
    charged: "0.017",
    counts: { total: 2, sent: 2, delivered: 2, read: 1, failed: 0 },
  });
  expect(money(story)).toEqual({ held: 0, charged: 2 * RATE });
  await report(story, story.network.sent.slice(1), "read");
  await story.app.clock.advance(2 * HOUR);
  expect(money(story)).toEqual({ held: 0, charged: 2 * RATE });
  expect(finishedEvents(story)).toBe(1);
});

test("one that failed and is delivered after all is charged, before and after the settling", async () => {
  await using story = await startStory(charged);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent, "failed", 131026);
  expect((await show(story, id)).charged).toBe("0.00");
  await report(story, story.network.sent.slice(0, 1), "delivered");
  expect(await show(story, id)).toMatchObject({ charged: "0.0085", counts: { sent: 1, delivered: 1, failed: 1 } });
  expect(money(story)).toEqual({ held: 0, charged: RATE });
});

test("broadcast.finished reaches the webhook once, with the final figures", async () => {
  await using receiver = startReceiver();
  await using story = await startStory(charged);
  await story.app.webhook(story.shop, receiver.url);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent, "delivered");
  await story.app.clock.advance(5 * SECOND);
  expect(receiver.types()).toEqual(["broadcast.finished"]);
  expect(receiver.received[0]?.event.data).toEqual({ broadcast: await show(story, id) });
  await report(story, story.network.sent, "read");
  await story.app.clock.advance(2 * HOUR);
  expect(receiver.types()).toEqual(["broadcast.finished"]);
});

test("an uncharged workspace's broadcast finishes with charged null", async () => {
  await using story = await startStory();
  const id = await run(story, notice(phones(1)));
  await report(story, story.network.sent, "delivered");
  expect((await show(story, id)).charged).toBeNull();
  expect(finishedEvents(story)).toBe(1);
});

test("one that never ran settles the moment it is cancelled, charged nothing", async () => {
  await using story = await startStory(charged);
  const id = await create(story, notice(phones(3), { send_at: "2026-11-22" }));
  expect(money(story)).toEqual({ held: 0, charged: 0 });
  await cancel(story, id);
  await story.app.clock.advance(0);
  expect((await show(story, id)).charged).toBe("0.00");
  expect(finishedEvents(story)).toBe(1);
  expect(money(story)).toEqual({ held: 0, charged: 0 });
});

test("a cancel frees what was held for everybody who was not handed over, in the same moment", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  const waiting = gate();
  story.network.next(waiting.answer);
  const id = await create(story, notice(phones(10)));
  await untilSent(story, 1);
  expect(money(story).held).toBe(10 * RATE);
  expect((await cancel(story, id)).status).toBe(200);
  expect(money(story).held).toBe(RATE);
  waiting.open("accepted");
  await story.app.clock.advance(5 * SECOND);
  expect(story.network.sent).toHaveLength(1);
  await report(story, story.network.sent, "delivered");
  await story.app.clock.advance(0);
  expect(money(story)).toEqual({ held: 0, charged: RATE });
  expect((await show(story, id)).charged).toBe("0.0085");
});

test("one on the way at the cancel that the network did not take is left out, and costs nothing", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  const waiting = gate();
  story.network.next(waiting.answer);
  const id = await create(story, notice(phones(2)));
  await untilSent(story, 1);
  await cancel(story, id);
  waiting.open({ kind: "unreachable", reason: "connection refused" });
  await story.app.clock.advance(0);
  expect(await show(story, id)).toMatchObject({ charged: "0.00", counts: { total: 2, sent: 0, skipped: 2 } });
  expect(money(story)).toEqual({ held: 0, charged: 0 });
});

test("a cancel at full speed: whoever was on the way arrives, nobody else leaves, and only the delivered are charged", async () => {
  await using story = await startStory({ billing: { rate: RATE, balance: 10_000_000 }, throughput: 1_000 });
  const opened = Promise.withResolvers<void>();
  story.network.always(async (handover) => {
    await opened.promise;
    return accepted(handover);
  });
  const id = await create(story, notice(phones(600)));
  await untilSent(story, 100);
  expect(story.network.sent.length).toBeLessThan(600);
  expect((await cancel(story, id)).status).toBe(200);
  const onTheWay = story.network.sent.length;
  opened.resolve();
  await story.app.clock.advance(10 * SECOND);
  expect(story.network.sent).toHaveLength(onTheWay);
  const counts = { total: 600, sent: onTheWay, failed: 0, skipped: 600 - onTheWay };
  expect(await show(story, id)).toMatchObject({ status: "cancelled", counts });
  await report(story, story.network.sent.slice(0, 30), "delivered");
  await story.app.clock.advance(2 * HOUR);
  expect(money(story)).toEqual({ held: 0, charged: 30 * RATE });
});

test("nothing settles while somebody is in doubt, however long after the last hand-over", async () => {
  await using story = await startStory(charged, {
    config: { broadcasts: { inDoubtAfterMs: 3 * HOUR, settleAfterMs: HOUR } },
  });
  story.network.next(unknown);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent.slice(1), "delivered");
  await cancel(story, id);
  await story.app.clock.advance(2 * HOUR);
  expect(finishedEvents(story)).toBe(0);
  expect(money(story)).toEqual({ held: RATE, charged: RATE });
  await story.app.clock.advance(2 * HOUR);
  expect(finishedEvents(story)).toBe(1);
  expect(money(story)).toEqual({ held: 0, charged: RATE });
});

test("a group is blocked ahead by its opted-in members, and building gives back what too much was", async () => {
  await using story = await startStory(charged);
  const group = await list(story, phones(3));
  const id = await create(story, {
    name: "x",
    template: "greeting",
    group,
    variables: [{ field: "first_name" }],
  });
  await story.app.clock.advance(SECOND);
  // Nobody has a first name.
  expect(ledgerOf(story.app, story.shop).slice(1)).toEqual([
    ["hold", 3 * RATE],
    ["release", 3 * RATE],
  ]);
  expect(await show(story, id)).toMatchObject({
    status: "completed",
    counts: { total: 3, skipped: 3 },
    charged: "0.00",
  });
  expect(money(story)).toEqual({ held: 0, charged: 0 });
});

test("whoever joins the group before building is blocked for too; not covered pauses it, a payment lets it go on", async () => {
  await using story = await startStory({ billing: { rate: RATE, balance: 3 * RATE } });
  const group = await list(story, phones(3));
  const id = await create(story, { name: "x", template: "order_shipped", group, send_at: "2026-11-21T15:00:00+05:30" });
  expect(money(story).held).toBe(0);
  await put(story, phones(1, 50)[0] ?? "", { consent: "opted_in", add_to_groups: [group] });
  await story.app.clock.advance(91 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "paused", counts: { total: 4, sent: 0 } });
  expect((await show(story, id)).status_reason).toContain("balance");
  expect(money(story).held).toBe(0);
  expect(story.network.sent).toEqual([]);
  await pay(story, RATE);
  await story.app.clock.advance(2 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", status_reason: null, counts: { sent: 4 } });
  expect(money(story).held).toBe(4 * RATE);
});

test("the price is frozen when the cost is blocked", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  const id = await create(story, notice(phones(2)));
  await story.app.store.write((tx) => void setPrice(tx, story.shop.id, "USD", 2 * RATE));
  await story.app.clock.advance(10 * SECOND);
  await report(story, story.network.sent, "delivered");
  expect((await show(story, id)).charged).toBe("0.017");
  expect(money(story)).toEqual({ held: 0, charged: 2 * RATE });
});

test("a scheduled broadcast costs what the price is at its start", async () => {
  await using story = await startStory(charged);
  const id = await create(story, notice(phones(2), { send_at: "2026-11-21T15:00:00+05:30" }));
  await story.app.store.write((tx) => void setPrice(tx, story.shop.id, "USD", 2 * RATE));
  await story.app.clock.advance(91 * MINUTE);
  await report(story, story.network.sent, "delivered");
  expect((await show(story, id)).charged).toBe("0.034");
});

test("what is held for a broadcast is not there for a single message", async () => {
  await using story = await startStory({ billing: { rate: RATE, balance: 2 * RATE }, throughput: 1 });
  const id = await create(story, notice(phones(2)));
  const { app, shop } = story;
  const single = () => app.send("POST", "/api/v1/messages", { key: shop.key, body: sale("+919876543210") });
  expect((await single()).status).toBe(402);
  await cancel(story, id);
  expect((await single()).status).toBe(201);
});

test("one who opts out before their turn costs nothing, and the broadcast settles without them", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  const id = await create(story, notice(phones(3)));
  await story.app.clock.advance(0);
  await optOutOf(story.app, story.shop, phones(3)[2] ?? "");
  await story.app.clock.advance(10 * SECOND);
  expect(figuresOf(story, id)).toMatchObject({ held: 2 * RATE, sent: 2, skipped: 1 });
  await report(story, story.network.sent, "delivered");
  await story.app.clock.advance(0);
  expect(broadcastOf(story, id).status).toBe("completed");
  expect(money(story)).toEqual({ held: 0, charged: 2 * RATE });
});
