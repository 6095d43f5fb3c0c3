/** One person alone has to wait, or is there twice. */
import { expect, test } from "bun:test";
import { linkContacts } from "#src/domain/contacts/identity.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import {
  charged,
  create,
  fates,
  list,
  MINUTE,
  notice,
  phones,
  post,
  put,
  recipients,
  run,
  SECOND,
  show,
  startStory,
  state,
  untilSent,
} from "#test/support/broadcast-stories.ts";
import { pairThrottled } from "#test/support/fake-network.ts";
import { accountOf, contactOf } from "#test/support/rows.ts";

test("131056 delays that person alone: the others go on, and the person is sent to later", async () => {
  await using story = await startStory();
  story.network.next(pairThrottled());
  const [first = "", ...others] = phones(4);
  const id = await run(story, notice([first, ...others]));
  expect(await show(story, id)).toMatchObject({ status: "running", counts: { sent: 3, failed: 0 } });
  await story.app.clock.advance(2 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 4 } });
  expect(story.network.sent.filter(({ to }) => to === first)).toHaveLength(2);
});

test("131056 with a hint waits as long as the network asks", async () => {
  await using story = await startStory();
  story.network.next(pairThrottled(5 * MINUTE));
  await run(story, notice(phones(1)));
  await story.app.clock.advance(4 * MINUTE);
  expect(story.network.sent).toHaveLength(1);
  await story.app.clock.advance(2 * MINUTE);
  expect(story.network.sent).toHaveLength(2);
});

test("one person still at 131056 after 30 minutes fails, and the broadcast completes", async () => {
  await using story = await startStory(charged);
  story.network.always(pairThrottled());
  const id = await run(story, notice(phones(1)));
  await story.app.clock.advance(28 * MINUTE);
  expect((await state(story, id))[0]).toBe("running");
  await story.app.clock.advance(4 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { failed: 1 }, charged: "0.00" });
  expect((await recipients(story, id))[0]?.reason).toContain("Too many to one person");
  expect(story.network.sent.length).toBeLessThan(40);
  expect(accountOf(story.app, story.shop).held).toBe(0);
});

test("two broadcasts to the same person reach them 6 seconds apart", async () => {
  await using story = await startStory();
  const [one, two] = [await create(story, notice(phones(1))), await create(story, notice(phones(1)))];
  await untilSent(story, 1);
  const at = story.app.clock.now();
  await untilSent(story, 2);
  expect(story.app.clock.now() - at).toBeGreaterThanOrEqual(5_900);
  expect(story.app.clock.now() - at).toBeLessThanOrEqual(6_500);
  await story.app.clock.advance(SECOND);
  expect([(await state(story, one))[0], (await state(story, two))[0]]).toEqual(["completed", "completed"]);
});

test("of two contacts that are one person, the one who can be sent to is, where the other cannot", async () => {
  await using story = await startStory();
  const { app, shop } = story;
  const [first = "", second = ""] = phones(2);
  await put(story, first, { add_to_groups: ["Regulars"] });
  const group = await list(story, [second]);
  const [one, other] = [contactOf(app, first), contactOf(app, second)];
  await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), one, other));
  const id = await run(story, { name: "x", template: "order_shipped", group });
  expect(await fates(story, id)).toEqual([
    ["skipped", "no recorded opt-in"],
    ["sent", null],
  ]);
});

test("two contacts that are one person are sent to once, in a list and in a group", async () => {
  await using story = await startStory();
  const { app, shop } = story;
  const people = phones(2);
  const group = await list(story, people);
  const [one, other] = [contactOf(app, people[0] ?? ""), contactOf(app, people[1] ?? "")];
  await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), one, other));
  const ofGroup = await run(story, { name: "x", template: "order_shipped", group });
  expect((await fates(story, ofGroup)).map(([status]) => status)).toEqual(["sent", "skipped"]);
  const answer = await post(story, notice(people));
  expect(answer.body.data.skipped).toEqual([{ to: people[1], reason: "duplicate" }]);
});
