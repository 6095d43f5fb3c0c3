/** Causes that pause a broadcast temporarily, and causes that do not pause it. */
import { expect, test } from "bun:test";
import { getNumber } from "#src/domain/numbers/read.ts";
import { markReady, markUnready } from "#src/domain/numbers/readiness.ts";
import { resume as resumeWorkspace, suspend, switchApi } from "#src/domain/workspaces/update.ts";
import {
  broadcastOf,
  charged,
  create,
  decide,
  expectAllSentOnce,
  HOUR,
  MINUTE,
  notice,
  pay,
  phones,
  RATE,
  refusal,
  run,
  SECOND,
  show,
  startScenario,
  state,
  underWay,
} from "#test/support/broadcast-scenarios.ts";
import { accepted, throttled, unreachable } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";

test("a suspension pauses the broadcast with its reason; the broadcast continues when the workspace is resumed", async () => {
  await using scenario = await underWay();
  const { app, shop, id } = scenario;
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
  await app.clock.advance(2 * SECOND);
  const sent = scenario.network.sent.length;
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("paused");
  expect(reason).toContain("Unpaid bill");
  await app.clock.advance(10 * MINUTE);
  expect(scenario.network.sent).toHaveLength(sent);
  await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
  await app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(scenario, id, 5);
});

test("an unready number pauses the broadcast with its reason; the broadcast continues when the number is ready again", async () => {
  await using scenario = await underWay();
  const { app, shop, id } = scenario;
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "It was disconnected."));
  await app.clock.advance(2 * SECOND);
  const sent = scenario.network.sent.length;
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("paused");
  expect(reason).toContain("It was disconnected");
  await app.clock.advance(10 * MINUTE);
  expect(scenario.network.sent).toHaveLength(sent);
  await app.store.write((tx) => void markReady(tx, shop.numberId));
  await app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(scenario, id, 5);
});

test("131037, 131045 and 133010 make the number unready, requeue the recipient, and the broadcast continues when it is ready", async () => {
  for (const code of ["131037", "131045", "133010"]) {
    await using scenario = await startScenario({ ...charged, throughput: 1 });
    const { app, shop } = scenario;
    scenario.network.next(refusal(code, "number"));
    const id = await run(scenario, notice(phones(2)));
    const [status, reason] = await state(scenario, id);
    expect([code, status]).toEqual([code, "paused"]);
    expect(reason).toContain(code);
    expect(app.store.read((tx) => getNumber(tx, shop.numberId).ready)).toBe(false);
    expect((await show(scenario, id)).counts).toMatchObject({ failed: 0, skipped: 0 });
    expect(accountOf(app, shop).held).toBe(2 * RATE);
    await app.store.write((tx) => void markReady(tx, shop.numberId));
    await app.clock.advance(2 * MINUTE);
    expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 2, failed: 0 } });
  }
});

test("a balance short at the start pauses the broadcast and holds nothing; it continues when a payment covers it", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: RATE } });
  const id = await create(scenario, notice(phones(2), { send_at: "2026-11-21T14:00:00+05:30" }));
  await scenario.app.clock.advance(31 * MINUTE);
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("paused");
  expect(reason).toContain("balance");
  expect(accountOf(scenario.app, scenario.shop).held).toBe(0);
  expect(scenario.network.sent).toEqual([]);
  await pay(scenario, RATE - 1);
  await scenario.app.clock.advance(2 * MINUTE);
  expect((await state(scenario, id))[0]).toBe("paused");
  await pay(scenario, 1);
  await scenario.app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(scenario, id, 2);
});

test("a template paused by the network pauses the broadcast; it continues when the template is approved again", async () => {
  await using scenario = await underWay();
  await decide(scenario, "order_shipped", "PAUSED");
  await scenario.app.clock.advance(2 * SECOND);
  const [status, reason] = await state(scenario, scenario.id);
  expect(status).toBe("paused");
  expect(reason).toContain("order_shipped");
  const sent = scenario.network.sent.length;
  await scenario.app.clock.advance(10 * MINUTE);
  expect(scenario.network.sent).toHaveLength(sent);
  await decide(scenario, "order_shipped", "APPROVED");
  await scenario.app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(scenario, scenario.id, 5);
});

test("132001, 132007 and 132015 pause the broadcast like a paused template, with the recipient requeued", async () => {
  for (const code of ["132001", "132007", "132015"]) {
    await using scenario = await startScenario();
    scenario.network.always(refusal(code, "template"));
    const id = await run(scenario, notice(phones(1)));
    const [status, reason] = await state(scenario, id);
    expect([code, status, broadcastOf(scenario, id).pauseCause]).toEqual([code, "paused", "template"]);
    expect(reason).toContain(code);
    expect(await show(scenario, id)).toMatchObject({ counts: { failed: 0, skipped: 0, sent: 0 } });
  }
});

test("a template refused as paused while our copy is still approved is not tried again and again", async () => {
  await using scenario = await startScenario();
  scenario.network.always(refusal("132015", "template"));
  await run(scenario, notice(phones(3)));
  const asked = scenario.network.sent.length;
  await scenario.app.clock.advance(HOUR);
  expect(scenario.network.sent.length).toBe(asked);
});

test("15 minutes unreachable: no message fails, the broadcast pauses, and continues when the network is reachable", async () => {
  await using scenario = await startScenario();
  scenario.network.always(unreachable);
  scenario.network.reachable(false);
  const id = await run(scenario, notice(phones(3)));
  await scenario.app.clock.advance(14 * MINUTE);
  expect((await state(scenario, id))[0]).toBe("running");
  await scenario.app.clock.advance(2 * MINUTE);
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("paused");
  expect(reason).toContain("could not be reached");
  const asked = scenario.network.sent.length;
  // At most half a minute apart, and never in a busy loop.
  expect(asked).toBeLessThan(60);
  await scenario.app.clock.advance(20 * MINUTE);
  expect(scenario.network.sent).toHaveLength(asked);
  scenario.network.always((outbound) => accepted(outbound));
  scenario.network.reachable(true);
  await scenario.app.clock.advance(3 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 3, failed: 0 } });
});

test("a network unreachable for a moment: no message fails, the broadcast does not pause, and it continues", async () => {
  await using scenario = await startScenario();
  scenario.network.next(unreachable, unreachable, unreachable);
  const id = await run(scenario, notice(phones(3)));
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 3, failed: 0 } });
});

test("a network throttling for a minute: no message fails, the broadcast does not pause, and there is no busy loop", async () => {
  await using scenario = await startScenario({ throughput: 80 });
  const until = scenario.app.clock.now() + MINUTE;
  scenario.network.always((outbound) => (scenario.app.clock.now() < until ? throttled() : accepted(outbound)));
  const id = await run(scenario, notice(phones(50)));
  await scenario.app.clock.advance(58 * SECOND);
  expect((await state(scenario, id))[0]).toBe("running");
  // Eighty a second at first; the pace halves in each second in which the network asks for it.
  expect(scenario.network.sent.length).toBeLessThan(240);
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 50, failed: 0 } });
});

test("switching the API off stops no broadcast", async () => {
  await using scenario = await underWay();
  const { app, shop, id } = scenario;
  await app.store.write((tx) => void switchApi(tx, shop.id, false));
  await app.clock.advance(10 * SECOND);
  expect(scenario.network.sent).toHaveLength(5);
  expect(broadcastOf(scenario, id).status).toBe("completed");
});
