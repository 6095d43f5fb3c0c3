/**
 * Sending again to those who failed for certain, while the broadcast still sends. However often it is pressed, and by how many
 * people, no person gets the message twice, and a success that is reported late counts.
 */
import { expect, test } from "bun:test";
import {
  charged,
  create,
  fates,
  MINUTE,
  notice,
  phones,
  put,
  recipients,
  refusal,
  report,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { unknown } from "#test/support/fake-network.ts";

interface Team extends Scenario {
  ravi: Visitor;
  mina: Visitor;
  root: string;
}

async function team(settings = {}): Promise<Team> {
  const scenario = await startScenario({ ...charged, ...settings });
  await firstOperator(scenario.app);
  const { id } = scenario.shop;
  const ravi = await person(scenario.app, "ravi@example.com", "member", id);
  const mina = await person(scenario.app, "mina@example.com", "member", id);
  return Object.assign(scenario, { ravi, mina, root: `/w/${id}` });
}

const fail = refusal("131008", "message");

async function again(visitor: Visitor, root: string, id: number, withUnknown = false): Promise<string> {
  const counts = (await visitor.get(`${root}/broadcasts/${id}/again`)).body.data;
  expect(counts.refusal).toBeNull();
  const count = counts.failed + (withUnknown ? counts.unknown : 0);
  const made = await visitor.post(`${root}/broadcasts/${id}/again`, { with_unknown: withUnknown, count });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return `${root}/drafts/${made.body.data.draft}`;
}

async function send(visitor: Visitor, path: string): Promise<number> {
  const { data } = (await visitor.post(`${path}/check`)).body;
  const sent = await visitor.post(`${path}/send`, { reached: data.reached, amount: data.cost?.amount ?? null });
  expect([sent.status, sent.text]).toEqual([202, expect.any(String)]);
  return sent.body.data.id;
}

const timesSent = ({ network }: Scenario, phone: string | undefined) =>
  network.sent.filter(({ to }) => to === phone).length;

test("who failed for certain is sent to again while the first broadcast still sends and others are in doubt", async () => {
  await using scenario = await team({ throughput: 1 });
  const { app, ravi, root } = scenario;
  // Refused, in doubt, accepted; two are still to be sent to.
  scenario.network.next(fail, unknown);
  const people = phones(5);
  const id = await create(scenario, notice(people));
  await untilSent(scenario, 3);
  expect((await show(scenario, id)).status).toBe("running");
  const counts = (await ravi.get(`${root}/broadcasts/${id}/again`)).body.data;
  expect(counts).toEqual({ failed: 1, unknown: 0, lasting: 1, waiting: 0, reached: 0, open: 4, refusal: null });
  const path = await again(ravi, root, id);
  const draft = (await ravi.get(path)).body.data;
  expect([draft.content.to, draft.content.name, draft.again_of]).toEqual([people.slice(0, 1), "Notice – again", id]);
  const second = await send(ravi, path);
  await app.clock.advance(30 * SECOND);
  expect(await show(scenario, second)).toMatchObject({ status: "completed", counts: { total: 1, sent: 1 } });
  expect(people.map((phone) => timesSent(scenario, phone))).toEqual([2, 1, 1, 1, 1]);
  // Each page names the others.
  const family = async (one: number) => (await ravi.get(`${root}/broadcasts/${one}`)).body.data.family;
  expect(await family(id)).toEqual([{ id: second, name: "Notice – again", is_first: false }]);
  expect(await family(second)).toEqual([{ id, name: "Notice", is_first: true }]);
  // The one in doubt turns out as unknown, and is skipped unless it is ticked.
  await app.clock.advance(15 * MINUTE);
  expect((await ravi.get(`${root}/broadcasts/${id}/again`)).body.data).toMatchObject({
    failed: 0,
    unknown: 1,
    reached: 1,
  });
});

test("two presses, and two people who press, send to each person once", async () => {
  await using scenario = await team();
  const { app, ravi, mina, root } = scenario;
  const people = phones(3);
  scenario.network.next(fail, fail);
  const id = await create(scenario, notice(people));
  await app.clock.advance(10 * SECOND);
  // Three drafts of the same people, made before any of them is sent.
  const drafts = [await again(ravi, root, id), await again(ravi, root, id), await again(mina, root, id)];
  // Two of them reach the server at one moment, reviewed before either was sent.
  const reviewed = { reached: 2, amount: "0.017" };
  const [one, two] = await Promise.all([
    ravi.post(`${drafts[0]}/send`, reviewed),
    mina.post(`${drafts[2]}/send`, reviewed),
  ]);
  expect([one?.status, two?.status]).toEqual([202, 202]);
  await app.clock.advance(MINUTE);
  expect(people.map((phone) => timesSent(scenario, phone))).toEqual([2, 2, 1]);
  const skipped = (await recipients(scenario, one?.body.data.id, "?status=skipped")).length;
  expect(skipped + (await recipients(scenario, two?.body.data.id, "?status=skipped")).length).toBe(2);
  // The third draft says that no one is left, and so does the button.
  const review = (await ravi.post(`${drafts[1]}/check`)).body.data;
  expect([review.reached, review.skipped.duplicate]).toEqual([0, 2]);
  expect((await mina.get(`${root}/broadcasts/${id}/again`)).body.data).toMatchObject({ failed: 0, reached: 2 });
  // Who fails again is sent to again, also from the page of the repeat.
  const [first] = await fates(scenario, one?.body.data.id);
  expect(first?.[0]).toMatch(/sent|skipped/);
});

test("a success of the first broadcast that is reported late stops the second message, and a group is guarded like a list", async () => {
  await using scenario = await team({ throughput: 1 });
  const { app, ravi, root } = scenario;
  scenario.network.next(unknown, fail);
  const people = phones(2);
  const id = await create(scenario, notice(people));
  await app.clock.advance(15 * MINUTE);
  expect((await show(scenario, id)).counts.failed).toBe(2);
  const path = await again(ravi, root, id, true);
  expect((await ravi.post(`${path}/check`)).body.data.reached).toBe(2);
  // The person is a member of the group that the draft is to, in place of a list.
  for (const phone of people) await put(scenario, phone, { add_to_groups: ["Failed"] });
  const group = (await ravi.get(`${root}/groups`)).body.data[0].id;
  const { content } = (await ravi.get(path)).body.data;
  const { to: _, ...rest } = content;
  await ravi.ask("PUT", path, { ...rest, group, send_at: new Date(app.clock.now() + 10 * MINUTE).toISOString() });
  const second = await send(ravi, path);
  // The late success arrives after the second broadcast was accepted, and before its turn.
  await report(scenario, scenario.network.sent.slice(0, 1), "delivered");
  await app.clock.advance(11 * MINUTE);
  expect(people.map((phone) => timesSent(scenario, phone))).toEqual([1, 2]);
  const [left] = await recipients(scenario, second, "?status=skipped");
  expect(left).toMatchObject({ to: people[0], reason: `has the message from broadcast ${id}, or may have it` });
});
