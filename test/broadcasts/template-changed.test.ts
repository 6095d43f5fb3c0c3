/** A template that changes after a broadcast was created pauses it before the new words are sent. */
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
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";

/** Changes our copy of the template as a sync of the network's copy does. */
async function change({ app }: Scenario, name: string, changes: Partial<Template>): Promise<void> {
  await app.store.write((tx) => void tx.db.update(templates).set(changes).where(eq(templates.name, name)).run());
  await app.clock.advance(0);
}

const SEND_AT = { send_at: "2026-11-21T14:00:00+05:30" };
const otherWords = { components: [{ type: "BODY", text: "Something else." }] } as Partial<Template>;

test("other words since creation pause the broadcast before anything is sent, and a person's resume confirms them", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(2), SEND_AT));
  await change(scenario, "order_shipped", otherWords);
  await scenario.app.clock.advance(31 * MINUTE);
  const shown = await show(scenario, id);
  expect(shown.status).toBe("paused");
  expect(shown.status_reason).toContain("order_shipped has changed");
  expect(broadcastOf(scenario, id).pauseCause).toBe("template_changed");
  await scenario.app.clock.advance(30 * MINUTE);
  expect(scenario.network.sent).toEqual([]);
  await resume(scenario, id);
  await scenario.app.clock.advance(SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 2 } });
});

test("another category of the template is another price, and pauses the broadcast as well", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(2), SEND_AT));
  await change(scenario, "order_shipped", { category: "MARKETING" });
  await scenario.app.clock.advance(31 * MINUTE);
  expect((await show(scenario, id)).status).toBe("paused");
  expect(scenario.network.sent).toEqual([]);
});

test("a template change in the middle of a broadcast pauses it there", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  const id = await create(scenario, notice(phones(5)));
  await untilSent(scenario, 2);
  await change(scenario, "order_shipped", otherWords);
  await scenario.app.clock.advance(10 * SECOND);
  expect((await show(scenario, id)).status).toBe("paused");
  expect(scenario.network.sent).toHaveLength(2);
});

test("a template changed back before the broadcast starts has no effect", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(1), SEND_AT));
  const { templateComponents: components } = broadcastOf(scenario, id);
  await change(scenario, "order_shipped", otherWords);
  await change(scenario, "order_shipped", { components });
  await scenario.app.clock.advance(31 * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("a broadcast whose changed template needs other values cannot be resumed, and the refusal says why", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(1), SEND_AT));
  await change(scenario, "order_shipped", {
    components: [{ type: "BODY", text: "Hi {{1}}, it is on its way." }],
  } as Partial<Template>);
  await scenario.app.clock.advance(31 * MINUTE);
  expect(resume(scenario, id)).rejects.toThrow();
  await scenario.app.clock.advance(MINUTE);
  expect((await show(scenario, id)).status).toBe("paused");
  expect(scenario.network.sent).toEqual([]);
});

test("confirmed template words are sent with the values that were frozen", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, { ...offer(phones(1), SEND_AT), template: greeting.name, variables: ["Asha"] });
  await change(scenario, greeting.name, { components: [{ type: "BODY", text: "Hello {{1}}!" }] } as Partial<Template>);
  await scenario.app.clock.advance(31 * MINUTE);
  await resume(scenario, id);
  await scenario.app.clock.advance(SECOND);
  expect(scenario.network.sent.map(valuesOf)).toEqual([["Asha"]]);
});
