import { expect, test } from "bun:test";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import {
  broadcastOf,
  charged,
  create,
  expectClosed,
  MINUTE,
  notice,
  phones,
  refusal,
  report,
  resume,
  run,
  SECOND,
  type Story,
  show,
  startStory,
} from "#test/support/broadcast-stories.ts";
import { accepted, pairThrottled, throttled, unknown } from "#test/support/fake-network.ts";

const OF_THE_MESSAGE = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];
const OF_THE_PERSON = ["131021", "131026", "131047", "131049", "131050", "130472"];

const values = (code: string): Outcome => refusal(code, "message");
const person = (code: string): Outcome => refusal(code, "recipient");
const taken = (handover: OutboundMessage): Outcome => accepted(handover);

function repeat<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

async function isBroken(story: Story, id: number): Promise<boolean> {
  await story.app.clock.advance(MINUTE);
  return (await show(story, id)).status === "paused" && broadcastOf(story, id).pauseCause === "breaker";
}

for (const code of OF_THE_MESSAGE) {
  test(`${code} by answer for 20 people in a row pauses the broadcast, and says which`, async () => {
    // One a moment: whoever is already on the way when the 20th is answered still leaves.
    await using story = await startStory({ throughput: 10 });
    story.network.always(values(code));
    const id = await run(story, notice(phones(40)));
    expect(await isBroken(story, id)).toBe(true);
    expect((await show(story, id)).status_reason).toContain(code);
    expect(story.network.sent).toHaveLength(20);
    expect((await show(story, id)).counts).toMatchObject({ total: 40, failed: 20, skipped: 0 });
    await expectClosed(story, id);
  });
}

test("19 in a row do not, nor do 20 that an acceptance parts", async () => {
  await using story = await startStory({ throughput: 10 });
  story.network.next(...repeat(19, values("132012")), taken, ...repeat(19, values("132012")), taken);
  const id = await run(story, notice(phones(40)));
  expect(await isBroken(story, id)).toBe(false);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 2, failed: 38 } });
});

test("another code begins a new row, whether it counts itself or not", async () => {
  for (const other of ["132000", "131000"]) {
    await using story = await startStory({ throughput: 10 });
    story.network.next(...repeat(19, values("132012")), values(other), ...repeat(19, values("132012")));
    const id = await run(story, notice(phones(39)));
    expect([other, await isBroken(story, id)]).toEqual([other, false]);
    expect((await show(story, id)).status).toBe("completed");
  }
});

test("codes that speak of the person never count, and never end a row", async () => {
  {
    await using story = await startStory();
    for (const code of OF_THE_PERSON) story.network.next(...repeat(25, person(code)));
    const id = await run(story, notice(phones(25 * OF_THE_PERSON.length)));
    expect(await isBroken(story, id)).toBe(false);
    expect((await show(story, id)).status).toBe("completed");
  }
  await using story = await startStory({ throughput: 10 });
  const between = OF_THE_PERSON.map(person);
  story.network.next(...repeat(10, values("132012")), ...between, ...repeat(10, values("132012")));
  const id = await run(story, notice(phones(40)));
  expect(await isBroken(story, id)).toBe(true);
  expect(story.network.sent).toHaveLength(20 + between.length);
});

test("throttles and unknown outcomes neither count nor end a row", async () => {
  await using story = await startStory({ throughput: 10 });
  const between = [unknown, pairThrottled(), throttled()];
  story.network.next(...repeat(10, values("132012")), ...between, ...repeat(10, values("132012")));
  const id = await run(story, notice(phones(40)));
  expect(await isBroken(story, id)).toBe(true);
});

test("by status, 20 in a row pause it too, although every answer was an acceptance", async () => {
  await using story = await startStory({ throughput: 25 });
  const id = await create(story, notice(phones(60)));
  await story.app.clock.advance(SECOND);
  const early = story.network.sent.slice(0, 20);
  expect(early).toHaveLength(20);
  await report(story, early.slice(0, 19), "failed", 131053);
  expect((await show(story, id)).status).toBe("running");
  await report(story, early.slice(19), "failed", 131053);
  await story.app.clock.advance(100);
  expect((await show(story, id)).status).toBe("paused");
  expect((await show(story, id)).status_reason).toContain("131053");
  const sent = story.network.sent.length;
  expect(sent).toBeLessThan(60);
  await story.app.clock.advance(MINUTE);
  expect(story.network.sent).toHaveLength(sent);
  await expectClosed(story, id);
});

test("a row of statuses is ended by delivered, read, or another failure; not by sent, nor by an answer", async () => {
  for (const [parting, isEnded] of [
    ["delivered", true],
    ["read", true],
    ["failed", true],
    ["sent", false],
  ] as const) {
    await using story = await startStory({ throughput: 45 });
    const id = await create(story, notice(phones(100)));
    await story.app.clock.advance(SECOND);
    const early = story.network.sent.slice(0, 21);
    await report(story, early.slice(0, 10), "failed", 131053);
    await report(story, early.slice(10, 11), parting, parting === "failed" ? 131000 : undefined);
    await report(story, early.slice(11), "failed", 131053);
    await story.app.clock.advance(100);
    expect([parting, (await show(story, id)).status]).toEqual([parting, isEnded ? "running" : "paused"]);
  }
});

test("answers and statuses are counted apart: ten of each do not stop it", async () => {
  await using story = await startStory();
  story.network.next(...repeat(15, taken), ...repeat(15, values("131053")));
  const id = await create(story, notice(phones(200)));
  await story.app.clock.advance(0);
  await report(story, story.network.sent.slice(0, 15), "failed", 131053);
  expect(await isBroken(story, id)).toBe(false);
  expect((await show(story, id)).status).toBe("completed");
});

test("a status that comes twice counts once", async () => {
  await using story = await startStory({ throughput: 15 });
  const id = await create(story, notice(phones(60)));
  await story.app.clock.advance(SECOND);
  const early = story.network.sent.slice(0, 11);
  await report(story, early, "failed", 131053);
  await report(story, early, "failed", 131053);
  await story.app.clock.advance(100);
  expect((await show(story, id)).status).toBe("running");
});

test("only a person resumes it, and then both rows begin anew", async () => {
  await using story = await startStory({ ...charged, throughput: 10 });
  story.network.next(...repeat(20, values("132012")), ...repeat(19, values("132012")), taken);
  const id = await run(story, notice(phones(40)));
  expect(await isBroken(story, id)).toBe(true);
  await story.app.clock.advance(30 * MINUTE);
  expect(story.network.sent).toHaveLength(20);
  await resume(story, id);
  await story.app.clock.advance(MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { failed: 39, sent: 1 } });
});

test("the last 20 of a broadcast that fail leave it completed, for nobody is left to be spared", async () => {
  await using story = await startStory({ throughput: 10 });
  story.network.always(values("132012"));
  const id = await run(story, notice(phones(20)));
  await story.app.clock.advance(MINUTE);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { failed: 20 } });
});
