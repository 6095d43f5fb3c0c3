/** The preview of a broadcast: counts and costs, with nothing stored. */
import { expect, test } from "bun:test";
import {
  charged,
  create,
  greeting,
  list,
  notice,
  offer,
  phones,
  post,
  put,
  RATE,
  type Scenario,
  search,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { optOutOf } from "#test/support/contacts.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";

const [first = "", second = "", third = ""] = phones(3);

const preview = (scenario: Scenario, body: unknown) => post(scenario, body, undefined, "/api/v1/broadcasts/preview");

test("a preview says what a broadcast to a list would do, and stores nothing", async () => {
  await using scenario = await startScenario({ ...charged, dailyCap: 2, throughput: 1 });
  await put(scenario, third, { name: "Refuser" });
  await optOutOf(scenario.app, scenario.shop, third);
  const before = snapshot(scenario.app.store);
  const answer = await preview(scenario, offer([...phones(3), first, "nobody", ...phones(3, 50)]));
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({
    requested: 8,
    reached: 2,
    skipped: {
      opted_out: 1,
      may_want_to_stop: 0,
      invalid_number: 1,
      duplicate: 1,
      no_opt_in: 0,
      missing_variable: 0,
      daily_cap: 3,
    },
    skips: [
      { to: third, reason: "opted_out", since: "2026-11-21T13:30:01+05:30" },
      { to: first, reason: "duplicate" },
      { to: "nobody", reason: "invalid_number" },
      ...phones(3, 50).map((to) => ({ to, reason: "daily_cap" })),
    ],
    cost: {
      currency: "USD",
      rate: "0.0085",
      amount: "0.017",
      available: "1.00",
      available_after: "0.983",
      covered: true,
    },
    daily_cap_left: 2,
    network_limit: null,
    warnings: [expect.stringContaining("how to stop")],
    starts_at: "2026-11-21T13:30:01+05:30",
    ends_at: "2026-11-21T13:30:03+05:30",
  });
  await scenario.app.clock.advance(10_000);
  expect(changesBetween(before, snapshot(scenario.app.store))).toEqual({});
  expect(scenario.network.sent).toEqual([]);
});

test("money held for other broadcasts is not available to a preview, and a cost that is not covered is shown, not refused", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 2 * RATE } });
  await create(scenario, notice([first, second]));
  const answer = await preview(scenario, notice([first, second, third]));
  expect(answer.body.data.cost).toMatchObject({ available: "0.00", available_after: "-0.0255", covered: false });
});

test("a preview of a group counts members without opt-in, opted-out ones, and those without a value separately", async () => {
  await using scenario = await startScenario(charged);
  const people = phones(6);
  const group = await list(scenario, people.slice(0, 4));
  for (const phone of people.slice(4)) await put(scenario, phone, { add_to_groups: [group] });
  await put(scenario, first, { first_name: "Asha" });
  await put(scenario, second, { first_name: "Ravi" });
  await optOutOf(scenario.app, scenario.shop, second);
  const body = { name: "x", template: greeting.name, group, variables: [{ field: "first_name" }] };
  const before = snapshot(scenario.app.store);
  const answer = await preview(scenario, body);
  expect(answer.body.data).toMatchObject({
    requested: 0,
    reached: 1,
    skipped: {
      opted_out: 1,
      may_want_to_stop: 0,
      no_opt_in: 2,
      missing_variable: 2,
      invalid_number: 0,
      duplicate: 0,
      daily_cap: 0,
    },
    skips: [],
    daily_cap_left: null,
    warnings: [expect.stringContaining("how to stop")],
  });
  expect(changesBetween(before, snapshot(scenario.app.store))).toEqual({});
  const id = await create(scenario, body);
  await scenario.app.clock.advance(1_000);
  const { counts } = (await scenario.app.call("GET", `/api/v1/broadcasts/${id}`, { key: scenario.shop.key })).body.data;
  expect(counts).toMatchObject({ total: 6, sent: 1, skipped: 5 });
});

test("a preview of a birthday group counts the people whose birthday it is, not numbers", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, {
    consent: "opted_in",
    first_name: "Asha",
    birthday: "--11-21",
    people: [
      { name: "Ravi Rao", birthday: "--11-21" },
      { name: "Meera Rao", birthday: "--11-22" },
    ],
  });
  await put(scenario, second, { birthday: "--11-21" });
  const group = await search(scenario, { field: "birthday", within_days: 0 });
  const answer = await preview(scenario, {
    name: "x",
    template: greeting.name,
    group,
    variables: [{ field: "first_name" }],
  });
  expect(answer.body.data).toMatchObject({ reached: 2, skipped: { no_opt_in: 1, missing_variable: 0 } });
});

test("an uncharged workspace's preview has no cost, and send_at is when the broadcast would start", async () => {
  await using scenario = await startScenario();
  const answer = await preview(scenario, notice([first], { send_at: "2026-11-22T10:00:00+05:30" }));
  expect(answer.body.data).toMatchObject({ cost: null, starts_at: "2026-11-22T10:00:00+05:30" });
});

test("a preview refuses what creation refuses, except for the balance", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 0 } });
  const bodies = [
    notice([]),
    notice([first], { colour: "red" }),
    { name: "x", template: "order_shipped", group: 4711 },
    notice([first], { template: "unheard_of" }),
    { name: "x", template: greeting.name, to: [first] },
    notice([first], { send_at: "2020-01-01" }),
  ];
  for (const body of bodies) {
    const [looked, made] = [await preview(scenario, body), await post(scenario, body)];
    expect(looked.status).toBeGreaterThanOrEqual(400);
    const { message: _, ...error } = looked.body.error;
    expect([looked.status, made.body.error]).toMatchObject([made.status, error]);
  }
  expect((await preview(scenario, notice([first]))).status).toBe(200);
});
