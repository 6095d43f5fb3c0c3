/** What ends a broadcast for good. */
import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { groups } from "#src/domain/groups/table.ts";
import { removeNumber } from "#src/domain/numbers/readiness.ts";
import { templates } from "#src/domain/templates/table.ts";
import { resume as resumeWorkspace, suspend } from "#src/domain/workspaces/update.ts";
import {
  charged,
  create,
  decide,
  expectClosed,
  list,
  MINUTE,
  notice,
  phones,
  RATE,
  refusal,
  report,
  SECOND,
  type Story,
  show,
  startStory,
  state,
  underWay,
  untilSent,
} from "#test/support/broadcast-stories.ts";
import { accepted } from "#test/support/fake-network.ts";
import { accountOf, eventTypesOf } from "#test/support/rows.ts";

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
