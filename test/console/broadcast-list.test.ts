/** The console's list of broadcasts: search and filters, found by an index; a duplicate, which says what is gone; the review's waits and bill. */
import { expect, test } from "bun:test";
import { countMatchingSql, searchBroadcastsSql } from "#src/domain/broadcasts/read.ts";
import {
  cancel,
  create,
  greeting,
  list,
  MINUTE,
  notice,
  offer,
  phones,
  pictured,
  run,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { firstOperator, person } from "#test/support/console.ts";

async function withMember() {
  const scenario = await startScenario();
  await firstOperator(scenario.app);
  const member = await person(scenario.app, "ravi@example.com", "member", scenario.shop.id);
  return Object.assign(scenario, { member, root: `/w/${scenario.shop.id}` });
}

test("the list is narrowed by name, id, state, template, number and time, a page at a time", async () => {
  await using scenario = await withMember();
  const { member, root, app } = scenario;
  const other = await app.workspace({ name: "Other", number: "+911244001200" });
  const first = await run(scenario, notice(phones(1), { name: "Diwali 100%" }));
  await app.clock.advance(10 * MINUTE);
  const later = new Date(app.clock.now() + 60 * MINUTE).toISOString();
  const second = await create(scenario, offer(phones(1), { name: "Winter", send_at: later }));
  const third = await create(scenario, offer(phones(1), { name: "Winter sale", send_at: later }));
  await cancel(scenario, third);
  const found = async (query: string) => {
    const { body } = await member.get(`${root}/broadcasts?${query}`);
    const ids = body.data.map(({ id }: { id: number }) => id);
    expect(body.meta.total).toBe(ids.length);
    return ids;
  };
  const since = encodeURIComponent(new Date(app.clock.now() - MINUTE).toISOString());
  const cases: [string, number[]][] = [
    ["", [third, second, first]],
    ["q=winter", [third, second]],
    ["q=%25", [first]],
    [`q=%23${second}`, [second]],
    ["status=cancelled", [third]],
    ["status=scheduled&q=sale", []],
    ["template=summer_sale", [third, second]],
    ["from=%2B911244001200", []],
    [`since=${since}`, [third, second]],
    [`until=${since}`, [first]],
  ];
  for (const [query, ids] of cases) expect([query, await found(query)]).toEqual([query, ids]);
  const wrong = await member.get(`${root}/broadcasts?status=gone&since=never`);
  expect([wrong.status, Object.keys(wrong.body.error.fields).toSorted()]).toEqual([400, ["since", "status"]]);
  // Whatever is asked for, the workspace's own broadcasts are walked, in their order.
  const filter = { q: "w", status: "running", template: "t", from: "+1", since: 1, until: 2 } as const;
  for (const { sql, parameters } of [
    searchBroadcastsSql(other.id, filter, 9, 51),
    countMatchingSql(other.id, filter),
  ]) {
    const text = `EXPLAIN QUERY PLAN ${sql.replace("within_budget()", "1")}`;
    const plan = app.store.client.prepare(text).all(...parameters) as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH broadcasts USING INDEX broadcasts_workspace \(workspace_id=\?/),
    ]);
  }
});

test("a duplicate has template, people and values, and says what is gone", async () => {
  await using scenario = await withMember();
  const { member, root, app } = scenario;
  const duplicate = async (id: number) => {
    const { draft, gone } = (await member.post(`${root}/broadcasts/${id}/duplicate`)).body.data;
    return { gone, ...(await member.get(`${root}/drafts/${draft}`)).body.data };
  };
  const values = [{ field: "first_name", fallback: "there" }];
  const whole = await create(scenario, { name: "Hello", template: greeting.name, variables: values, to: phones(2) });
  expect(await duplicate(whole)).toMatchObject({
    gone: [],
    changes: null,
    content: {
      name: "Hello",
      template: greeting.name,
      language: "en_US",
      to: phones(2),
      variables: { header: [], body: values },
    },
  });
  const group = await list(scenario, phones(1));
  const media = { link: "https://files.example.com/a.jpg" };
  const body = { name: "Look", template: pictured.name, media, group, send_at: "2026-11-22" };
  const scheduled = await create(scenario, body);
  expect(await duplicate(scheduled)).toMatchObject({ gone: [], content: { group, media } });
  await cancel(scenario, scheduled);
  expect((await duplicate(scheduled)).gone).toEqual(["file"]);
  app.store.client.prepare("DELETE FROM group_members WHERE group_id = ?").run(group);
  app.store.client.prepare("DELETE FROM groups WHERE id = ?").run(group);
  expect((await duplicate(scheduled)).gone.toSorted()).toEqual(["file", "group"]);
  app.store.client.prepare("UPDATE messages SET to_phone = '' WHERE broadcast_id = ? AND id % 2 = 0").run(whole);
  expect((await duplicate(whole)).gone).toEqual(["recipients"]);
});

test("the review says what waits and for what, and what Meta bills by", async () => {
  await using scenario = await withMember();
  const { member, root } = scenario;
  const to = [...phones(2), "+442079460210"];
  const review = async (content: Record<string, unknown>) => {
    const { id } = (await member.post(`${root}/drafts`, { template: "summer_sale", ...content })).body.data;
    return (await member.post(`${root}/drafts/${id}/check`)).body.data;
  };
  const night = { to, send_at: "2026-11-21T22:30" };
  expect(await review(night)).toMatchObject({
    waits: [{ kind: "in_quiet_hours", people: 3, until: "2026-11-22T08:00:00+05:30", hours: "21:00-08:00" }],
    bill: {
      category: "MARKETING",
      is_simulated: true,
      countries: [
        { code: "91", people: 2 },
        { code: "44", people: 1 },
      ],
    },
  });
  expect((await review({ to, send_at: "2026-11-22T10:00" })).waits).toEqual([]);
  expect((await review({ ...night, template: "order_shipped" })).waits).toEqual([]);
  const group = await list(scenario, to);
  const { bill } = await review({ group });
  expect(bill.countries).toEqual([
    { code: "91", people: 2 },
    { code: "44", people: 1 },
  ]);
});
