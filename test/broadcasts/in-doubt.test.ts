/** Recipients whose outcome is unknown: the network never answered, or the server crashed. */
import { expect, test } from "bun:test";
import {
  charged,
  create,
  expectClosed,
  fates,
  greeting,
  HOUR,
  list,
  MINUTE,
  notice,
  phones,
  RATE,
  recipients,
  report,
  rowsOf,
  run,
  show,
  startAgain,
  startScenario,
  state,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { imageOf } from "#test/support/crash.ts";
import { accepted, gate, unknown } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";

test("an unknown outcome stays `sending` with its hold, then fails after in_doubt_after, and is never sent again", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.next(unknown);
  const id = await run(scenario, notice(phones(2)));
  await scenario.app.clock.advance(9 * MINUTE);
  expect((await fates(scenario, id)).map(([status]) => status)).toEqual(["sending", "sent"]);
  expect((await state(scenario, id))[0]).toBe("running");
  expect(accountOf(scenario.app, scenario.shop).held).toBe(2 * RATE);
  await scenario.app.clock.advance(2 * MINUTE);
  expect((await fates(scenario, id))[0]).toEqual(["failed", expect.stringContaining("may have arrived")]);
  expect((await state(scenario, id))[0]).toBe("completed");
  expect(accountOf(scenario.app, scenario.shop).held).toBe(RATE);
  expect(rowsOf(scenario, id)[0]?.outcomeUnknown).toBe(true);
  await scenario.app.clock.advance(30 * MINUTE);
  expect(scenario.network.sent).toHaveLength(2);
});

test("a status in time decides an unknown outcome; a late one revives the failed message, and it is charged", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.next(unknown, unknown);
  const id = await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent.slice(0, 1), "sent");
  expect((await fates(scenario, id))[0]).toEqual(["sent", null]);
  await scenario.app.clock.advance(11 * MINUTE);
  expect((await fates(scenario, id))[1]?.[0]).toBe("failed");
  await report(scenario, scenario.network.sent.slice(1), "sent");
  expect((await fates(scenario, id))[1]).toEqual(["sent", null]);
  await report(scenario, scenario.network.sent, "delivered");
  expect(await show(scenario, id)).toMatchObject({
    counts: { total: 2, sent: 2, delivered: 2, failed: 0 },
    charged: "0.017",
  });
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: 0, charged: 2 * RATE });
});

test("a message that a late `sent` revives holds no money, and the books still balance", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.next(unknown);
  const id = await run(scenario, notice(phones(2)));
  await scenario.app.clock.advance(11 * MINUTE);
  await report(scenario, scenario.network.sent.slice(0, 1), "sent");
  expect(await fates(scenario, id)).toEqual([
    ["sent", null],
    ["sent", null],
  ]);
  expect(accountOf(scenario.app, scenario.shop).held).toBe(RATE);
});

test("after a crash `sending` recipients are in doubt and never sent again, the others continue, none gets two messages", async () => {
  await using before = await startScenario({ ...charged, throughput: 1 });
  const waiting = gate();
  before.network.next((one) => accepted(one), waiting.answer);
  const id = await create(before, notice(phones(4)));
  await untilSent(before, 2);
  using image = imageOf(before.app.directory);
  waiting.open("accepted");
  await before.app.stop();
  const known = before.network.sent.slice(0, 2);
  before.network.sent.splice(2);
  await using scenario = await startAgain(before, image.directory, MINUTE);
  await scenario.app.clock.advance(9 * MINUTE);
  expect((await fates(scenario, id)).map(([status]) => status)).toEqual(["sent", "sending", "sent", "sent"]);
  expect(scenario.network.sent.map(({ to }) => to)).toEqual(phones(4));
  await scenario.app.clock.advance(2 * MINUTE);
  expect((await fates(scenario, id))[1]).toEqual(["failed", expect.stringContaining("may have arrived")]);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { total: 4, sent: 3, failed: 1 } });
  await report(scenario, known.slice(1), "delivered");
  expect(await show(scenario, id)).toMatchObject({ counts: { sent: 4, delivered: 1, failed: 0 } });
});

test("building continues after a crash in the middle of it, and builds no recipient twice", async () => {
  await using before = await startScenario();
  const group = await list(before, phones(3));
  const id = await create(before, { name: "x", template: greeting.name, group, variables: ["you"] });
  using image = imageOf(before.app.directory);
  await before.app.stop();
  before.network.sent.splice(0);
  await using scenario = await startAgain(before, image.directory, MINUTE);
  await scenario.app.clock.advance(11 * MINUTE);
  expect((await recipients(scenario, id)).map(({ to }) => to)).toEqual(phones(3));
  expect((await state(scenario, id))[0]).toBe("completed");
  await expectClosed(scenario, id);
});

test("a broadcast with only its last message in doubt after a crash is not late, because no recipient is left to be sent to", async () => {
  await using before = await startScenario();
  const waiting = gate();
  before.network.next(waiting.answer);
  const id = await create(before, notice(phones(1)));
  await untilSent(before, 1);
  using image = imageOf(before.app.directory);
  waiting.open("accepted");
  await before.app.stop();
  await using scenario = await startAgain(before, image.directory, 13 * HOUR);
  await scenario.app.clock.advance(11 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 1 } });
});
