import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Template, templates } from "#src/domain/templates/table.ts";
import {
  broadcastOf,
  create,
  greeting,
  MINUTE,
  notice,
  offer,
  phones,
  resume,
  SECOND,
  type Story,
  show,
  startStory,
  untilSent,
  valuesOf,
} from "#test/support/broadcast-stories.ts";

/** The network's copy of it is another now, as a sync learns it. */
async function change({ app }: Story, name: string, changes: Partial<Template>): Promise<void> {
  await app.store.write((tx) => void tx.db.update(templates).set(changes).where(eq(templates.name, name)).run());
  await app.clock.advance(0);
}

const SEND_AT = { send_at: "2026-11-21T14:00:00+05:30" };
const otherWords = { components: [{ type: "BODY", text: "Something else." }] } as Partial<Template>;

test("other words since creation: it pauses before anybody gets them, and a person's resume confirms them", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(2), SEND_AT));
  await change(story, "order_shipped", otherWords);
  await story.app.clock.advance(31 * MINUTE);
  const shown = await show(story, id);
  expect(shown.status).toBe("paused");
  expect(shown.status_reason).toContain("order_shipped has changed");
  expect(broadcastOf(story, id).pauseCause).toBe("template_changed");
  await story.app.clock.advance(30 * MINUTE);
  expect(story.network.sent).toEqual([]);
  await resume(story, id);
  await story.app.clock.advance(SECOND);
  expect(await show(story, id)).toMatchObject({ status: "completed", counts: { sent: 2 } });
});

test("another category is another price: it pauses as well", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(2), SEND_AT));
  await change(story, "order_shipped", { category: "MARKETING" });
  await story.app.clock.advance(31 * MINUTE);
  expect((await show(story, id)).status).toBe("paused");
  expect(story.network.sent).toEqual([]);
});

test("a change in the middle stops it there", async () => {
  await using story = await startStory({ throughput: 1 });
  const id = await create(story, notice(phones(5)));
  await untilSent(story, 2);
  await change(story, "order_shipped", otherWords);
  await story.app.clock.advance(10 * SECOND);
  expect((await show(story, id)).status).toBe("paused");
  expect(story.network.sent).toHaveLength(2);
});

test("a change back again before its turn changes nothing", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(1), SEND_AT));
  const { templateComponents: components } = broadcastOf(story, id);
  await change(story, "order_shipped", otherWords);
  await change(story, "order_shipped", { components });
  await story.app.clock.advance(31 * MINUTE);
  expect((await show(story, id)).status).toBe("completed");
});

test("where the new words need other values, a person cannot resume it, and is told why", async () => {
  await using story = await startStory();
  const id = await create(story, notice(phones(1), SEND_AT));
  await change(story, "order_shipped", {
    components: [{ type: "BODY", text: "Hi {{1}}, it is on its way." }],
  } as Partial<Template>);
  await story.app.clock.advance(31 * MINUTE);
  expect(resume(story, id)).rejects.toThrow();
  await story.app.clock.advance(MINUTE);
  expect((await show(story, id)).status).toBe("paused");
  expect(story.network.sent).toEqual([]);
});

test("confirmed words are sent with the values that were frozen", async () => {
  await using story = await startStory();
  const id = await create(story, { ...offer(phones(1), SEND_AT), template: greeting.name, variables: ["Asha"] });
  await change(story, greeting.name, { components: [{ type: "BODY", text: "Hello {{1}}!" }] } as Partial<Template>);
  await story.app.clock.advance(31 * MINUTE);
  await resume(story, id);
  await story.app.clock.advance(SECOND);
  expect(story.network.sent.map(valuesOf)).toEqual([["Asha"]]);
});
