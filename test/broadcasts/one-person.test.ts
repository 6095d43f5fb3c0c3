/** One recipient alone has to wait, or appears twice. */
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
  startScenario,
  state,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { pairThrottled } from "#test/support/fake-network.ts";
import { accountOf, contactOf } from "#test/support/rows.ts";

test("131056 delays that recipient alone: the others are sent to, and the recipient is sent to later", async () => {
  await using scenario = await startScenario();
  scenario.network.next(pairThrottled());
  const [first = "", ...others] = phones(4);
  const id = await run(scenario, notice([first, ...others]));
  expect(await show(scenario, id)).toMatchObject({ status: "running", counts: { sent: 3, failed: 0 } });
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 4 } });
  expect(scenario.network.sent.filter(({ to }) => to === first)).toHaveLength(2);
});

test("131056 with a Retry-After waits as long as the network asks", async () => {
  await using scenario = await startScenario();
  scenario.network.next(pairThrottled(5 * MINUTE));
  await run(scenario, notice(phones(1)));
  await scenario.app.clock.advance(4 * MINUTE);
  expect(scenario.network.sent).toHaveLength(1);
  await scenario.app.clock.advance(2 * MINUTE);
  expect(scenario.network.sent).toHaveLength(2);
});

test("a recipient still at 131056 after 30 minutes fails, and the broadcast completes", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.always(pairThrottled());
  const id = await run(scenario, notice(phones(1)));
  await scenario.app.clock.advance(28 * MINUTE);
  expect((await state(scenario, id))[0]).toBe("running");
  await scenario.app.clock.advance(4 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 1 }, charged: "0.00" });
  expect((await recipients(scenario, id))[0]?.reason).toContain("Too many to one person");
  expect(scenario.network.sent.length).toBeLessThan(40);
  expect(accountOf(scenario.app, scenario.shop).held).toBe(0);
});

test("two broadcasts to the same recipient reach them 6 seconds apart", async () => {
  await using scenario = await startScenario();
  const [one, two] = [await create(scenario, notice(phones(1))), await create(scenario, notice(phones(1)))];
  await untilSent(scenario, 1);
  const at = scenario.app.clock.now();
  await untilSent(scenario, 2);
  expect(scenario.app.clock.now() - at).toBeGreaterThanOrEqual(5_900);
  expect(scenario.app.clock.now() - at).toBeLessThanOrEqual(6_500);
  await scenario.app.clock.advance(SECOND);
  expect([(await state(scenario, one))[0], (await state(scenario, two))[0]]).toEqual(["completed", "completed"]);
});

test("of two linked contacts, the eligible one is sent to when the other cannot be", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  const [first = "", second = ""] = phones(2);
  await put(scenario, first, { add_to_groups: ["Regulars"] });
  const group = await list(scenario, [second]);
  const [one, other] = [contactOf(app, first), contactOf(app, second)];
  await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), one, other));
  const id = await run(scenario, { name: "x", template: "order_shipped", group });
  expect(await fates(scenario, id)).toEqual([
    ["skipped", "no recorded opt-in"],
    ["sent", null],
  ]);
});

test("two linked contacts are sent to once, in a list and in a group", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  const people = phones(2);
  const group = await list(scenario, people);
  const [one, other] = [contactOf(app, people[0] ?? ""), contactOf(app, people[1] ?? "")];
  await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), one, other));
  const ofGroup = await run(scenario, { name: "x", template: "order_shipped", group });
  expect((await fates(scenario, ofGroup)).map(([status]) => status)).toEqual(["sent", "skipped"]);
  const answer = await post(scenario, notice(people));
  expect(answer.body.data.skipped).toEqual([{ to: people[1], reason: "duplicate" }]);
});
