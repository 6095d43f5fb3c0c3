/** Waiting costs no work. */
import { expect, test } from "bun:test";
import { create, notice, phones, run, SECOND, show, startStory, untilSent } from "#test/support/broadcast-stories.ts";
import { gate, unreachable } from "#test/support/fake-network.ts";

test("whoever has to wait for their own turn costs no work meanwhile", async () => {
  // Two at a time: fewer than have to wait.
  await using story = await startStory({ throughput: 20 });
  await run(story, notice(phones(10)));
  const id = await create(story, notice(phones(10)));
  await story.app.clock.advance(100);
  const { operations } = story.app.store.counters;
  await story.app.clock.advance(2 * SECOND);
  expect(story.app.store.counters.operations - operations).toBeLessThan(200);
  await story.app.clock.advance(10 * SECOND);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 10 } });
});

test("while one finds out whether the network can be reached again, nothing is asked over and over", async () => {
  await using story = await startStory();
  const waiting = gate();
  story.network.next(unreachable, unreachable, waiting.answer);
  const id = await create(story, notice(phones(2)));
  await untilSent(story, 3);
  let timers = 0;
  const setTimer = story.app.clock.setTimer.bind(story.app.clock);
  story.app.clock.setTimer = (delayMs, fire) => {
    timers += 1;
    return setTimer(delayMs, fire);
  };
  await story.app.clock.advance(500);
  waiting.open("accepted");
  expect(timers).toBeLessThan(20);
  await story.app.clock.advance(20 * SECOND);
  expect((await show(story, id)).counts).toMatchObject({ sent: 2 });
});
