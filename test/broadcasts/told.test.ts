/** What a caller is told while a broadcast lasts: pauses, resumes, and that a scheduled one could not run. */
import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { deleteGroup } from "#src/domain/groups/membership.ts";
import { markReady, markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import { templates } from "#src/domain/templates/table.ts";
import {
  create,
  decide,
  HOUR,
  list,
  MINUTE,
  notice,
  pause,
  phones,
  recipients,
  resume,
  rowsOf,
  type Scenario,
  show,
  startScenario,
  underWay,
} from "#test/support/broadcast-scenarios.ts";
import { eventsOf } from "#test/support/rows.ts";

const told = ({ app, shop }: Scenario) =>
  eventsOf(app, shop)
    .filter(({ type }) => type.startsWith("broadcast."))
    .map(({ type, data: { broadcast } }) => [type, broadcast.status, broadcast.status_reason]);

const inTwoHours = ({ app }: Scenario) => new Date(app.clock.now() + 2 * HOUR).toISOString();

test("a pause and a resume by hand are told, each with the broadcast as it then is", async () => {
  await using scenario = await underWay();
  await pause(scenario, scenario.id);
  await resume(scenario, scenario.id);
  expect(told(scenario)).toEqual([
    ["broadcast.paused", "paused", expect.any(String)],
    ["broadcast.resumed", "running", null],
  ]);
});

test("a pause for the number ends with the number, and both are told once", async () => {
  await using scenario = await underWay();
  const { app, shop } = scenario;
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "restricted"));
  await app.clock.advance(2 * MINUTE);
  await app.store.write((tx) => void markReady(tx, shop.numberId));
  await app.clock.advance(2 * MINUTE);
  expect(
    told(scenario)
      .map(([type]) => type)
      .slice(0, 2),
  ).toEqual(["broadcast.paused", "broadcast.resumed"]);
});

const lost: Record<string, { lose: (scenario: Scenario, groupId: number) => Promise<unknown>; says: string }> = {
  "its template is rejected": {
    lose: (scenario) => decide(scenario, "order_shipped", "REJECTED"),
    says: "rejected",
  },
  "its template is deleted": {
    lose: ({ app }) =>
      app.store.write((tx) => void tx.db.delete(templates).where(eq(templates.name, "order_shipped")).run()),
    says: "was deleted",
  },
  "its group is removed": {
    lose: ({ app }, groupId) => app.store.write((tx) => void deleteGroup(tx, groupId)),
    says: "group was removed",
  },
  "its number is removed": {
    lose: ({ app, shop }) => app.store.write((tx) => void removeNumber(tx, shop.numberId)),
    says: "was removed",
  },
};

for (const [what, { lose, says }] of Object.entries(lost)) {
  test(`a scheduled broadcast says within a minute that ${what}, stays scheduled, and fails at its hour`, async () => {
    await using scenario = await startScenario();
    const { app } = scenario;
    const group = await list(scenario, phones(2));
    const { to: _, ...body } = notice([]);
    const id = await create(scenario, { ...body, group, send_at: inTwoHours(scenario) });
    await app.clock.advance(MINUTE);
    expect((await show(scenario, id)).status_reason).toBeNull();
    await lose(scenario, group);
    await app.clock.advance(MINUTE);
    expect(await show(scenario, id)).toMatchObject({
      status: "scheduled",
      status_reason: expect.stringContaining(says),
    });
    await app.clock.advance(HOUR);
    expect(told(scenario)).toEqual([["broadcast.blocked", "scheduled", expect.stringContaining(says)]]);
    await app.clock.advance(2 * HOUR);
    expect(await show(scenario, id)).toMatchObject({ status: "failed", settled: true });
    expect(told(scenario).at(-1)).toEqual(["broadcast.finished", "failed", expect.stringContaining(says)]);
  });
}

test("a scheduled broadcast whose template is approved again in time runs, and its reason is gone before", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(2), { send_at: inTwoHours(scenario) }));
  await decide(scenario, "order_shipped", "REJECTED");
  await scenario.app.clock.advance(MINUTE);
  await decide(scenario, "order_shipped", "APPROVED");
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "scheduled", status_reason: null });
  await scenario.app.clock.advance(4 * HOUR);
  const shown = await show(scenario, id);
  expect(shown).toMatchObject({ status: "completed", settled: true, counts: { sent: 2 } });
  const ids = rowsOf(scenario, id).map(({ id: message }) => message);
  expect(await recipients(scenario, id)).toMatchObject(ids.map((message_id) => ({ message_id, status: "sent" })));
});
