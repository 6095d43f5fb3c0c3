/** Waiting costs no work. */
import { expect, test } from "bun:test";
import {
  create,
  notice,
  phones,
  run,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { gate, unreachable } from "#test/support/fake-network.ts";

test("recipients who wait for their own turn cost no work meanwhile", async () => {
  // Two tokens at a time: fewer than the recipients who wait.
  await using scenario = await startScenario({ throughput: 20 });
  await run(scenario, notice(phones(10)));
  const id = await create(scenario, notice(phones(10)));
  await scenario.app.clock.advance(100);
  const { operations } = scenario.app.store.counters;
  await scenario.app.clock.advance(2 * SECOND);
  expect(scenario.app.store.counters.operations - operations).toBeLessThan(200);
  await scenario.app.clock.advance(10 * SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 10 } });
});

test("while one message probes an unreachable network, the number's queue does not poll in a busy loop", async () => {
  await using scenario = await startScenario();
  const waiting = gate();
  scenario.network.next(unreachable, unreachable, waiting.answer);
  const id = await create(scenario, notice(phones(2)));
  await untilSent(scenario, 3);
  let timers = 0;
  const setTimer = scenario.app.clock.setTimer.bind(scenario.app.clock);
  scenario.app.clock.setTimer = (delayMs, fire) => {
    timers += 1;
    return setTimer(delayMs, fire);
  };
  await scenario.app.clock.advance(500);
  waiting.open("accepted");
  expect(timers).toBeLessThan(20);
  await scenario.app.clock.advance(20 * SECOND);
  expect((await show(scenario, id)).counts).toMatchObject({ sent: 2 });
});
