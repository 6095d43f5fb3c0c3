/** What stops a broadcast for a while and passes by itself, or does not stop it at all. */
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
  startStory,
  state,
  underWay,
} from "#test/support/broadcast-stories.ts";
import { accepted, throttled, unreachable } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";

test("suspended: it pauses with the suspension's reason, and goes on when the workspace is resumed", async () => {
  await using story = await underWay();
  const { app, shop, id } = story;
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
  await app.clock.advance(2 * SECOND);
  const sent = story.network.sent.length;
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("Unpaid bill");
  await app.clock.advance(10 * MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
  await app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(story, id, 5);
});

test("number not ready: it pauses with the number's reason, and goes on when the number is ready again", async () => {
  await using story = await underWay();
  const { app, shop, id } = story;
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "It was disconnected."));
  await app.clock.advance(2 * SECOND);
  const sent = story.network.sent.length;
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("It was disconnected.");
  await app.clock.advance(10 * MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await app.store.write((tx) => void markReady(tx, shop.numberId));
  await app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(story, id, 5);
});

test("131037, 131045 and 133010 make the number unready, take the person back, and go on when it is ready", async () => {
  for (const code of ["131037", "131045", "133010"]) {
    await using story = await startStory({ ...charged, throughput: 1 });
    const { app, shop } = story;
    story.network.next(refusal(code, "number"));
    const id = await run(story, notice(phones(2)));
    const [status, reason] = await state(story, id);
    expect([code, status]).toEqual([code, "paused"]);
    expect(reason).toContain(code);
    expect(app.store.read((tx) => getNumber(tx, shop.numberId).ready)).toBe(false);
    expect((await show(story, id)).counts).toMatchObject({ failed: 0, skipped: 0 });
    expect(accountOf(app, shop).held).toBe(2 * RATE);
    await app.store.write((tx) => void markReady(tx, shop.numberId));
    await app.clock.advance(2 * MINUTE);
    expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 2, failed: 0 } });
  }
});

test("balance short at the start: it pauses and blocks nothing, and goes on when a payment covers it", async () => {
  await using story = await startStory({ billing: { rate: RATE, balance: RATE } });
  const id = await create(story, notice(phones(2), { send_at: "2026-11-21T14:00:00+05:30" }));
  await story.app.clock.advance(31 * MINUTE);
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("balance");
  expect(accountOf(story.app, story.shop).held).toBe(0);
  expect(story.network.sent).toEqual([]);
  await pay(story, RATE - 1);
  await story.app.clock.advance(2 * MINUTE);
  expect((await state(story, id))[0]).toBe("paused");
  await pay(story, 1);
  await story.app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(story, id, 2);
});

test("template paused by the network: it pauses, and goes on when the template is approved again", async () => {
  await using story = await underWay();
  await decide(story, "order_shipped", "PAUSED");
  await story.app.clock.advance(2 * SECOND);
  const [status, reason] = await state(story, story.id);
  expect(status).toBe("paused");
  expect(reason).toContain("order_shipped");
  const sent = story.network.sent.length;
  await story.app.clock.advance(10 * MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await decide(story, "order_shipped", "APPROVED");
  await story.app.clock.advance(2 * MINUTE);
  await expectAllSentOnce(story, story.id, 5);
});

test("132001, 132007 and 132015 pause it as a paused template, with the person taken back", async () => {
  for (const code of ["132001", "132007", "132015"]) {
    await using story = await startStory();
    story.network.always(refusal(code, "template"));
    const id = await run(story, notice(phones(1)));
    const [status, reason] = await state(story, id);
    expect([code, status, broadcastOf(story, id).pauseCause]).toEqual([code, "paused", "template"]);
    expect(reason).toContain(code);
    expect(await show(story, id)).toMatchObject({ counts: { failed: 0, skipped: 0, sent: 0 } });
  }
});

test("a template refused as paused while our copy of it is still approved is not tried again and again", async () => {
  await using story = await startStory();
  story.network.always(refusal("132015", "template"));
  await run(story, notice(phones(3)));
  const asked = story.network.sent.length;
  await story.app.clock.advance(HOUR);
  expect(story.network.sent.length).toBe(asked);
});

test("unreachable for 15 minutes: nobody fails, it pauses, and goes on when the network can be reached", async () => {
  await using story = await startStory();
  story.network.always(unreachable);
  story.network.reachable(false);
  const id = await run(story, notice(phones(3)));
  await story.app.clock.advance(14 * MINUTE);
  expect((await state(story, id))[0]).toBe("running");
  await story.app.clock.advance(2 * MINUTE);
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("could not be reached");
  const asked = story.network.sent.length;
  // Half a minute apart at most, and never in a busy loop.
  expect(asked).toBeLessThan(60);
  await story.app.clock.advance(20 * MINUTE);
  expect(story.network.sent).toHaveLength(asked);
  story.network.always((handover) => accepted(handover));
  story.network.reachable(true);
  await story.app.clock.advance(3 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 3, failed: 0 } });
});

test("unreachable for a moment: nobody fails, nothing pauses, and it goes on", async () => {
  await using story = await startStory();
  story.network.next(unreachable, unreachable, unreachable);
  const id = await run(story, notice(phones(3)));
  await story.app.clock.advance(2 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 3, failed: 0 } });
});

test("throttled for a minute: nothing fails, nothing pauses, and the network is not asked in a busy loop", async () => {
  await using story = await startStory({ throughput: 80 });
  const until = story.app.clock.now() + MINUTE;
  story.network.always((handover) => (story.app.clock.now() < until ? throttled() : accepted(handover)));
  const id = await run(story, notice(phones(50)));
  await story.app.clock.advance(58 * SECOND);
  expect((await state(story, id))[0]).toBe("running");
  // Eighty a second at first; the pace halves each second that the network asks for it.
  expect(story.network.sent.length).toBeLessThan(240);
  await story.app.clock.advance(MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 50, failed: 0 } });
});

test("the API switched off stops no broadcast", async () => {
  await using story = await underWay();
  const { app, shop, id } = story;
  await app.store.write((tx) => void switchApi(tx, shop.id, false));
  await app.clock.advance(10 * SECOND);
  expect(story.network.sent).toHaveLength(5);
  expect(broadcastOf(story, id).status).toBe("completed");
});
