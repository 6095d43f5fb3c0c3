/** Whom nobody knows anything about: an outcome that never came, or a crash. */
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
  startStory,
  state,
  untilSent,
} from "#test/support/broadcast-stories.ts";
import { imageOf } from "#test/support/crash.ts";
import { accepted, gate, unknown } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";

test("an unknown outcome stays `sending` with its hold, then fails after in_doubt_after, and is never sent again", async () => {
  await using story = await startStory(charged);
  story.network.next(unknown);
  const id = await run(story, notice(phones(2)));
  await story.app.clock.advance(9 * MINUTE);
  expect((await fates(story, id)).map(([status]) => status)).toEqual(["sending", "sent"]);
  expect((await state(story, id))[0]).toBe("running");
  expect(accountOf(story.app, story.shop).held).toBe(2 * RATE);
  await story.app.clock.advance(2 * MINUTE);
  expect((await fates(story, id))[0]).toEqual(["failed", expect.stringContaining("may have arrived")]);
  expect((await state(story, id))[0]).toBe("completed");
  expect(accountOf(story.app, story.shop).held).toBe(RATE);
  expect(rowsOf(story, id)[0]?.outcomeUnknown).toBe(true);
  await story.app.clock.advance(30 * MINUTE);
  expect(story.network.sent).toHaveLength(2);
});

test("a status in time settles an unknown outcome; a late one revives it, and it is charged", async () => {
  await using story = await startStory(charged);
  story.network.next(unknown, unknown);
  const id = await run(story, notice(phones(2)));
  await report(story, story.network.sent.slice(0, 1), "sent");
  expect((await fates(story, id))[0]).toEqual(["sent", null]);
  await story.app.clock.advance(11 * MINUTE);
  expect((await fates(story, id))[1]?.[0]).toBe("failed");
  await report(story, story.network.sent.slice(1), "sent");
  expect((await fates(story, id))[1]).toEqual(["sent", null]);
  await report(story, story.network.sent, "delivered");
  expect(await show(story, id)).toMatchObject({
    counts: { total: 2, sent: 2, delivered: 2, failed: 0 },
    charged: "0.017",
  });
  expect(accountOf(story.app, story.shop)).toMatchObject({ held: 0, charged: 2 * RATE });
});

test("one that a late `sent` revives holds nothing any more, and that is no mistake of the books", async () => {
  await using story = await startStory(charged);
  story.network.next(unknown);
  const id = await run(story, notice(phones(2)));
  await story.app.clock.advance(11 * MINUTE);
  await report(story, story.network.sent.slice(0, 1), "sent");
  expect(await fates(story, id)).toEqual([
    ["sent", null],
    ["sent", null],
  ]);
  expect(accountOf(story.app, story.shop).held).toBe(RATE);
});

test("after a crash whoever was `sending` is in doubt and never sent again, the others go on, nobody gets two", async () => {
  await using before = await startStory({ ...charged, throughput: 1 });
  const waiting = gate();
  before.network.next((one) => accepted(one), waiting.answer);
  const id = await create(before, notice(phones(4)));
  await untilSent(before, 2);
  using image = imageOf(before.app.directory);
  waiting.open("accepted");
  await before.app.stop();
  const known = before.network.sent.slice(0, 2);
  before.network.sent.splice(2);
  await using story = await startAgain(before, image.directory, MINUTE);
  await story.app.clock.advance(9 * MINUTE);
  expect((await fates(story, id)).map(([status]) => status)).toEqual(["sent", "sending", "sent", "sent"]);
  expect(story.network.sent.map(({ to }) => to)).toEqual(phones(4));
  await story.app.clock.advance(2 * MINUTE);
  expect((await fates(story, id))[1]).toEqual(["failed", expect.stringContaining("may have arrived")]);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { total: 4, sent: 3, failed: 1 } });
  await report(story, known.slice(1), "delivered");
  expect(await show(story, id)).toMatchObject({ counts: { sent: 4, delivered: 1, failed: 0 } });
});

test("building goes on after a crash in the middle of it, and builds nobody twice", async () => {
  await using before = await startStory();
  const group = await list(before, phones(3));
  const id = await create(before, { name: "x", template: greeting.name, group, variables: ["you"] });
  using image = imageOf(before.app.directory);
  await before.app.stop();
  before.network.sent.splice(0);
  await using story = await startAgain(before, image.directory, MINUTE);
  await story.app.clock.advance(11 * MINUTE);
  expect((await recipients(story, id)).map(({ to }) => to)).toEqual(phones(3));
  expect((await state(story, id))[0]).toBe("completed");
  await expectClosed(story, id);
});

test("one whose last hand-over a crash left open is not late: nobody is left to be sent to", async () => {
  await using before = await startStory();
  const waiting = gate();
  before.network.next(waiting.answer);
  const id = await create(before, notice(phones(1)));
  await untilSent(before, 1);
  using image = imageOf(before.app.directory);
  waiting.open("accepted");
  await before.app.stop();
  await using story = await startAgain(before, image.directory, 13 * HOUR);
  await story.app.clock.advance(11 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { failed: 1 } });
});
