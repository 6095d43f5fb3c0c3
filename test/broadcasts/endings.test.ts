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
  type Scenario,
  SECOND,
  show,
  startScenario,
  state,
  underWay,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { accepted } from "#test/support/fake-network.ts";
import { accountOf, eventTypesOf } from "#test/support/rows.ts";

test("132016 fails the broadcast: the recipient is requeued and skipped like all others", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  scenario.network.next((one) => accepted(one), refusal("132016", "template"));
  const id = await create(scenario, notice(phones(4)));
  await untilSent(scenario, 2);
  await scenario.app.clock.advance(0);
  const shown = await show(scenario, id);
  expect(shown).toMatchObject({ status: "failed", counts: { total: 4, sent: 1, failed: 0, skipped: 3 } });
  expect(shown.status_reason).toContain("132016");
  expect(accountOf(scenario.app, scenario.shop).held).toBe(RATE);
  await scenario.app.clock.advance(5 * MINUTE);
  expect(scenario.network.sent).toHaveLength(2);
  await report(scenario, scenario.network.sent.slice(0, 1), "delivered");
  await scenario.app.clock.advance(0);
  expect((await show(scenario, id)).charged).toBe("0.0085");
  expect(eventTypesOf(scenario.app, scenario.shop).filter((type) => type === "broadcast.finished")).toHaveLength(1);
});

/** What makes a broadcast impossible to continue, by name. */
const endings: Record<string, (scenario: Scenario) => Promise<void>> = {
  "template rejected": (scenario) => decide(scenario, "order_shipped", "REJECTED"),
  "template disabled": (scenario) => decide(scenario, "order_shipped", "DISABLED"),
  "template deleted": async ({ app }) =>
    app.store.write((tx) => void tx.db.delete(templates).where(eq(templates.name, "order_shipped")).run()),
  "number removed": async ({ app, shop }) => app.store.write((tx) => void removeNumber(tx, shop.numberId)),
};

for (const [name, end] of Object.entries(endings)) {
  test(`${name}: a running broadcast fails with the reason, and its counts add up`, async () => {
    await using scenario = await underWay(charged);
    await end(scenario);
    await scenario.app.clock.advance(MINUTE);
    const [status, reason] = await state(scenario, scenario.id);
    expect(status).toBe("failed");
    expect(reason).not.toBeNull();
    await expectClosed(scenario, scenario.id);
  });

  test(`${name}: a scheduled broadcast fails at its start`, async () => {
    await using scenario = await startScenario(charged);
    const id = await create(scenario, notice(phones(2), { send_at: "2026-11-21T14:00:00+05:30" }));
    await end(scenario);
    await scenario.app.clock.advance(31 * MINUTE);
    expect((await state(scenario, id))[0]).toBe("failed");
    expect(scenario.network.sent).toEqual([]);
  });

  test(`${name}: a broadcast paused for a passing reason fails too, and its hold is released`, async () => {
    await using scenario = await underWay(charged);
    const { app, shop, id } = scenario;
    await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
    await app.clock.advance(2 * SECOND);
    expect((await state(scenario, id))[0]).toBe("paused");
    await end(scenario);
    await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
    await app.clock.advance(2 * MINUTE);
    expect((await state(scenario, id))[0]).toBe("failed");
    expect(accountOf(app, shop).held).toBe(scenario.network.sent.length * RATE);
  });
}

test("a group deleted before building fails its broadcast", async () => {
  await using scenario = await startScenario();
  const group = await list(scenario, phones(2));
  const id = await create(scenario, {
    name: "x",
    template: "order_shipped",
    group,
    send_at: "2026-11-21T14:00:00+05:30",
  });
  await scenario.app.store.write((tx) => {
    tx.db.delete(groups).where(eq(groups.id, group)).run();
  });
  await scenario.app.clock.advance(31 * MINUTE);
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("failed");
  expect(reason).toContain("group");
  expect((await show(scenario, id)).counts.total).toBe(0);
});
