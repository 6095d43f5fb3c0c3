import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { link } from "#src/domain/contacts/link.ts";
import { groups } from "#src/domain/groups/table.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { makeReady, makeUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import { templates } from "#src/domain/templates/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { resume as resumeWorkspace, suspend, switchApi } from "#src/domain/workspaces/update.ts";
import {
  broadcastOf,
  cancel,
  charged,
  create,
  decide,
  expectClosed,
  fates,
  greeting,
  HOUR,
  keptDirectory,
  list,
  MINUTE,
  notice,
  pause,
  pay,
  phones,
  post,
  put,
  RATE,
  recipients,
  refusal,
  report,
  restart,
  resume,
  rowsOf,
  run,
  SECOND,
  type Story,
  show,
  startAgain,
  startStory,
  untilSent,
} from "#test/support/broadcast-stories.ts";
import { imageOf } from "#test/support/crash.ts";
import { accepted, gate, pairThrottled, throttled, unknown, unreachable } from "#test/support/fake-network.ts";
import { accountOf, contactOf, eventTypesOf } from "#test/support/rows.ts";

const state = async (story: Story, id: number): Promise<[string, string | null]> => {
  const { status, status_reason } = await show(story, id);
  return [status, status_reason];
};

/** A broadcast of which one has been sent, and which has four more to go at one a second. */
async function underWay(settings: Parameters<typeof startStory>[0] = {}): Promise<Story & { id: number }> {
  const story = await startStory({ throughput: 1, ...settings });
  const id = await create(story, notice(phones(5)));
  await untilSent(story, 1);
  return { ...story, id };
}

async function expectAllSentOnce(story: Story, id: number, count: number): Promise<void> {
  expect(await show(story, id)).toMatchObject({ status: "completed", status_reason: null, counts: { sent: count } });
  const taken = story.network.sent.map(({ to }) => to);
  expect(new Set(taken).size).toBe(count);
  await expectClosed(story, id);
}

// What goes on by itself.

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
  await app.store.write((tx) => void makeUnready(tx, shop.numberId, "It was disconnected."));
  await app.clock.advance(2 * SECOND);
  const sent = story.network.sent.length;
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("It was disconnected.");
  await app.clock.advance(10 * MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await app.store.write((tx) => void makeReady(tx, shop.numberId));
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
    expect(app.store.read((reading) => getNumber(reading, shop.numberId).ready)).toBe(false);
    expect((await show(story, id)).counts).toMatchObject({ failed: 0, skipped: 0 });
    expect(accountOf(app, shop).held).toBe(2 * RATE);
    await app.store.write((tx) => void makeReady(tx, shop.numberId));
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

// What only a person lets go on.

test("an account's refusal pauses it with the network's words, and only a person resumes it", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  story.network.next((one) => accepted(one), refusal("131031", "account"));
  const id = await run(story, notice(phones(4)));
  await untilSent(story, 2);
  await story.app.clock.advance(SECOND);
  const [status, reason] = await state(story, id);
  expect(status).toBe("paused");
  expect(reason).toContain("131031");
  expect(await show(story, id)).toMatchObject({ counts: { sent: 1, failed: 0, skipped: 0 } });
  const sent = story.network.sent.length;
  await story.app.clock.advance(HOUR / 2);
  expect(story.network.sent).toHaveLength(sent);
  await resume(story, id);
  await story.app.clock.advance(10 * SECOND);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 4, failed: 0 } });
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

test("throttled for good: after 15 minutes without an acceptance it pauses, and only a person resumes it", async () => {
  await using story = await startStory({ throughput: 1 });
  story.network.always(throttled(30 * SECOND));
  const id = await run(story, notice(phones(3)));
  await story.app.clock.advance(14 * MINUTE);
  expect((await state(story, id))[0]).toBe("running");
  await story.app.clock.advance(2 * MINUTE);
  const [status, reason] = await state(story, id);
  expect([status, broadcastOf(story, id).pauseCause]).toEqual(["paused", "throttled"]);
  expect(reason).toContain("15 minutes");
  const asked = story.network.sent.length;
  expect(asked).toBeLessThan(50);
  story.network.always((handover) => accepted(handover));
  await story.app.clock.advance(10 * MINUTE);
  expect(story.network.sent).toHaveLength(asked);
  expect((await show(story, id)).counts).toMatchObject({ failed: 0, skipped: 0 });
  await resume(story, id);
  await story.app.clock.advance(2 * MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 3 } });
});

test("paused by hand: nothing leaves until a person resumes it, not even after a restart", async () => {
  using kept = keptDirectory();
  await using before = await startStory({ throughput: 1 }, { directory: kept.directory });
  const id = await create(before, notice(phones(5)));
  await untilSent(before, 1);
  await pause(before, id);
  await before.app.clock.advance(10 * SECOND);
  const sent = before.network.sent.length;
  expect(await state(before, id)).toEqual(["paused", "paused by hand"]);
  await using story = await restart(before, HOUR);
  await story.app.clock.advance(5 * MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await resume(story, id);
  await story.app.clock.advance(10 * SECOND);
  await expectAllSentOnce(story, id, 5);
});

test("a scheduled broadcast paused by hand and resumed before its time is scheduled again, and starts", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(1), { send_at: "2026-11-21T14:00:00+05:30" }));
  await pause(story, id);
  await resume(story, id);
  expect(await state(story, id)).toEqual(["scheduled", null]);
  await story.app.clock.advance(31 * MINUTE);
  expect((await state(story, id))[0]).toBe("completed");
});

test("paused by hand past its time, it starts when a person resumes it", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(1), { send_at: "2026-11-21T14:00:00+05:30" }));
  await pause(story, id);
  await story.app.clock.advance(HOUR);
  expect(story.network.sent).toEqual([]);
  await resume(story, id);
  await story.app.clock.advance(SECOND);
  expect(await show(story, id)).toMatchObject({ status: "completed", started_at: expect.any(String) });
});

test("a person cannot resume what cannot be sent, nor what is not paused", async () => {
  await using story = await underWay();
  const { app, shop, id } = story;
  expect(resume(story, id)).rejects.toThrow();
  await pause(story, id);
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
  expect(resume(story, id)).rejects.toThrow();
  await app.clock.advance(0);
  expect((await state(story, id))[0]).toBe("paused");
  await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
  await resume(story, id);
  await app.clock.advance(10 * SECOND);
  expect((await state(story, id))[0]).toBe("completed");
  expect(resume(story, id)).rejects.toThrow();
  await app.clock.advance(0);
});

test("a paused broadcast can be cancelled, and what it held is free", async () => {
  await using story = await startStory(charged);
  story.network.next(refusal("131031", "account"));
  const id = await run(story, notice(phones(1)));
  expect(accountOf(story.app, story.shop).held).toBe(RATE);
  expect((await cancel(story, id)).body.data).toMatchObject({ status: "cancelled", status_reason: null });
  await story.app.clock.advance(0);
  expect(accountOf(story.app, story.shop)).toMatchObject({ held: 0, charged: 0 });
  expect((await show(story, id)).charged).toBe("0.00");
});

// What ends it.

test("132016 fails it: the person goes back and is left out like everybody else", async () => {
  await using story = await startStory({ ...charged, throughput: 1 });
  story.network.next((one) => accepted(one), refusal("132016", "template"));
  const id = await create(story, notice(phones(4)));
  await untilSent(story, 2);
  await story.app.clock.advance(0);
  const shown = await show(story, id);
  expect(shown).toMatchObject({ status: "failed", counts: { total: 4, sent: 1, failed: 0, skipped: 3 } });
  expect(shown.status_reason).toContain("132016");
  expect(accountOf(story.app, story.shop).held).toBe(RATE);
  await story.app.clock.advance(5 * MINUTE);
  expect(story.network.sent).toHaveLength(2);
  await report(story, story.network.sent.slice(0, 1), "delivered");
  await story.app.clock.advance(0);
  expect((await show(story, id)).charged).toBe("0.0085");
  expect(eventTypesOf(story.app, story.shop).filter((type) => type === "broadcast.finished")).toHaveLength(1);
});

/** What makes a broadcast impossible, by what it is called. */
const endings: Record<string, (story: Story) => Promise<void>> = {
  "template rejected": (story) => decide(story, "order_shipped", "REJECTED"),
  "template disabled": (story) => decide(story, "order_shipped", "DISABLED"),
  "template deleted": async ({ app }) =>
    app.store.write((tx) => void tx.db.delete(templates).where(eq(templates.name, "order_shipped")).run()),
  "number removed": async ({ app, shop }) => app.store.write((tx) => void removeNumber(tx, shop.numberId)),
};

for (const [name, end] of Object.entries(endings)) {
  test(`${name}: a running broadcast fails with the reason, and closes`, async () => {
    await using story = await underWay(charged);
    await end(story);
    await story.app.clock.advance(MINUTE);
    const [status, reason] = await state(story, story.id);
    expect(status).toBe("failed");
    expect(reason).not.toBeNull();
    await expectClosed(story, story.id);
  });

  test(`${name}: a scheduled broadcast fails at its start`, async () => {
    await using story = await startStory(charged);
    const id = await create(story, notice(phones(2), { send_at: "2026-11-21T14:00:00+05:30" }));
    await end(story);
    await story.app.clock.advance(31 * MINUTE);
    expect((await state(story, id))[0]).toBe("failed");
    expect(story.network.sent).toEqual([]);
  });

  test(`${name}: a broadcast that rests for something that passes fails too, and frees what it held`, async () => {
    await using story = await underWay(charged);
    const { app, shop, id } = story;
    await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
    await app.clock.advance(2 * SECOND);
    expect((await state(story, id))[0]).toBe("paused");
    await end(story);
    await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
    await app.clock.advance(2 * MINUTE);
    expect((await state(story, id))[0]).toBe("failed");
    expect(accountOf(app, shop).held).toBe(story.network.sent.length * RATE);
  });
}

test("a group that is gone before building fails the broadcast", async () => {
  await using story = await startStory();
  const group = await list(story, phones(2));
  const id = await create(story, { name: "x", template: "order_shipped", group, send_at: "2026-11-21T14:00:00+05:30" });
  await story.app.store.write((tx) => {
    tx.db.delete(groups).where(eq(groups.id, group)).run();
  });
  await story.app.clock.advance(31 * MINUTE);
  const [status, reason] = await state(story, id);
  expect(status).toBe("failed");
  expect(reason).toContain("group");
  expect((await show(story, id)).counts.total).toBe(0);
});

// One person alone.

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

// Nobody knows.

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

// No work for nothing.

test("whoever has to wait for their own turn costs no work meanwhile", async () => {
  // Two at a time: fewer than have to wait.
  await using story = await startStory({ throughput: 20 });
  await run(story, notice(phones(10)));
  const id = await create(story, notice(phones(10)));
  await story.app.clock.advance(100);
  const { operations } = story.app.store.figures;
  await story.app.clock.advance(2 * SECOND);
  expect(story.app.store.figures.operations - operations).toBeLessThan(200);
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

test("the API switched off stops no broadcast", async () => {
  await using story = await underWay();
  const { app, shop, id } = story;
  await app.store.write((tx) => void switchApi(tx, shop.id, false));
  await app.clock.advance(10 * SECOND);
  expect(story.network.sent).toHaveLength(5);
  expect(broadcastOf(story, id).status).toBe("completed");
});

test("of two contacts that are one person, the one who can be sent to is, where the other cannot", async () => {
  await using story = await startStory();
  const { app, shop } = story;
  const [first = "", second = ""] = phones(2);
  await put(story, first, { add_to_groups: ["Regulars"] });
  const group = await list(story, [second]);
  const [one, other] = [contactOf(app, first), contactOf(app, second)];
  await app.store.write((tx) => link(tx, getWorkspace(tx, shop.id), one, other));
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
  await app.store.write((tx) => link(tx, getWorkspace(tx, shop.id), one, other));
  const ofGroup = await run(story, { name: "x", template: "order_shipped", group });
  expect((await fates(story, ofGroup)).map(([status]) => status)).toEqual(["sent", "skipped"]);
  const answer = await post(story, notice(people));
  expect(answer.body.data.skipped).toEqual([{ to: people[1], reason: "duplicate" }]);
});
