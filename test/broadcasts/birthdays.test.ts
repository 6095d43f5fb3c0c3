/** Broadcasts to a birthday group: one message for each person whose birthday it is, and only on that day. */
import { expect, test } from "bun:test";
import {
  create,
  expectClosed,
  fates,
  greeting,
  HOUR,
  list,
  notice,
  phones,
  put,
  recipients,
  type Scenario,
  SECOND,
  search,
  show,
  startScenario,
  untilSent,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";
import { TestClock } from "#test/support/clock.ts";

const [first = "", second = "", third = ""] = phones(3);

const today = { field: "birthday", within_days: 0 };

function birthdayWishes(group: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: "Wishes",
    template: greeting.name,
    group,
    variables: [{ field: "first_name", fallback: "you" }],
    ...more,
  };
}

const greeted = ({ network }: Scenario) => network.sent.map((one) => [one.to, ...valuesOf(one)]);

test("every person on a number whose birthday it is gets one message with their own first name", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, {
    consent: "opted_in",
    name: "Asha Rao",
    first_name: "Asha",
    birthday: "1990-11-21",
    people: [
      { name: "Dr. Ravi Rao", birthday: "--11-21" },
      { name: "Meera Rao", birthday: "--11-22" },
      { name: "Prof Anil", first_name: "Anil-ji", birthday: "2015-11-21" },
    ],
  });
  await put(scenario, second, {
    consent: "opted_in",
    first_name: "Only",
    birthday: "--11-22",
    people: [{ name: "Kid Two", birthday: "--11-21" }],
  });
  await put(scenario, third, { consent: "opted_in", first_name: "Nobody", birthday: "--11-20" });
  const id = await create(scenario, birthdayWishes(await search(scenario, today)));
  await scenario.app.clock.advance(30 * SECOND);
  expect(greeted(scenario).toSorted()).toEqual(
    [
      [first, "Asha"],
      [first, "Ravi"],
      [first, "Anil-ji"],
      [second, "Kid"],
    ].toSorted(),
  );
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { total: 4, sent: 4 } });
  await expectClosed(scenario, id);
});

test("birthday messages to several people on one number are sent 6 seconds apart", async () => {
  await using scenario = await startScenario();
  const people = [
    { name: "Ravi", birthday: "--11-21" },
    { name: "Meera", birthday: "--11-21" },
  ];
  await put(scenario, first, { consent: "opted_in", people });
  const id = await create(scenario, birthdayWishes(await search(scenario, today)));
  await untilSent(scenario, 1);
  const at = scenario.app.clock.now();
  await untilSent(scenario, 2);
  expect(scenario.app.clock.now() - at).toBeGreaterThanOrEqual(5_900);
  expect(scenario.app.clock.now() - at).toBeLessThanOrEqual(6_500);
  await scenario.app.clock.advance(SECOND);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("in a birthday broadcast `name` means the person whose birthday it is, and other fields mean the contact", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, {
    consent: "opted_in",
    name: "Asha",
    city: "Pune",
    people: [{ name: "Ravi Rao", birthday: "--11-21" }],
  });
  await scenario.app.template(scenario.shop, {
    ...greeting,
    name: "both",
    components: [{ type: "BODY", text: "{{1}} from {{2}}." }],
  });
  const group = await search(scenario, today);
  await create(
    scenario,
    birthdayWishes(group, { template: "both", variables: [{ field: "name" }, { field: "city" }] }),
  );
  await scenario.app.clock.advance(SECOND);
  expect(scenario.network.sent.map(valuesOf)).toEqual([["Ravi Rao", "Pune"]]);
});

test("any other broadcast reaches a number once, however many people are on it", async () => {
  await using scenario = await startScenario();
  const people = [
    { name: "Ravi", birthday: "--11-21" },
    { name: "Meera", birthday: "--11-21" },
  ];
  const group = await list(scenario, [first]);
  await put(scenario, first, { people, birthday: "--11-21" });
  await create(scenario, birthdayWishes(group));
  await create(scenario, notice([first]));
  await scenario.app.clock.advance(30 * SECOND);
  expect(scenario.network.sent).toHaveLength(2);
});

test("contacts without an opt-in and opted-out contacts get no birthday message, each with a reason", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, { birthday: "--11-21" });
  await put(scenario, second, { consent: "opted_out", birthday: "--11-21" });
  const id = await create(scenario, birthdayWishes(await search(scenario, today)));
  await scenario.app.clock.advance(SECOND);
  expect(await fates(scenario, id)).toEqual([
    ["skipped", "no recorded opt-in"],
    ["skipped", "opted out"],
  ]);
  expect(scenario.network.sent).toEqual([]);
});

test("29 February is celebrated on the 28th in years without one, and on the 29th in years with one", async () => {
  for (const [day, names] of [
    ["2027-02-28", ["Leap", "Plain"]],
    ["2028-02-28", ["Plain"]],
    ["2028-02-29", ["Leap"]],
    ["2027-03-01", []],
  ] as const) {
    await using scenario = await startScenario({}, { clock: new TestClock(`${day}T06:00:00Z`) });
    await put(scenario, first, { consent: "opted_in", first_name: "Leap", birthday: "--02-29" });
    await put(scenario, second, { consent: "opted_in", first_name: "Plain", birthday: "1999-02-28" });
    await create(scenario, birthdayWishes(await search(scenario, today)));
    await scenario.app.clock.advance(SECOND);
    expect([day, scenario.network.sent.flatMap(valuesOf).toSorted()]).toEqual([day, [...names]]);
  }
});

test("the day of a birthday broadcast is that of send_at in the workspace's timezone, not that of its creation", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, { consent: "opted_in", first_name: "Today", birthday: "--11-21" });
  await put(scenario, second, { consent: "opted_in", first_name: "Tomorrow", birthday: "--11-22" });
  const group = await search(scenario, today);
  await create(scenario, birthdayWishes(group, { send_at: "2026-11-22T00:30:00+05:30" }));
  await scenario.app.clock.advance(12 * HOUR);
  expect(scenario.network.sent.flatMap(valuesOf)).toEqual(["Tomorrow"]);
});

test("recipients not sent to when the day ends are skipped because the day has passed", async () => {
  await using scenario = await startScenario({ throughput: 1 }, { clock: new TestClock("2026-11-21T18:29:56Z") });
  for (const phone of phones(8)) await put(scenario, phone, { consent: "opted_in", birthday: "--11-21" });
  const id = await create(scenario, birthdayWishes(await search(scenario, today)));
  await scenario.app.clock.advance(60 * SECOND);
  const sent = scenario.network.sent.length;
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(8);
  expect((await recipients(scenario, id, "?status=skipped")).map(({ reason }) => reason)).toEqual(
    Array.from({ length: 8 - sent }, () => "the day has passed"),
  );
  const before = Date.parse("2026-11-22T00:00:00+05:30");
  for (const { sent_at } of await recipients(scenario, id, "?status=sent")) {
    expect(Date.parse(sent_at ?? "")).toBeLessThan(before);
  }
  expect((await show(scenario, id)).status).toBe("completed");
  await expectClosed(scenario, id);
});

test("a birthday among other conditions makes a birthday broadcast; a condition that excludes a birthday does not", async () => {
  await using scenario = await startScenario();
  const people = [
    { name: "Ravi", birthday: "--11-21" },
    { name: "Meera", birthday: "--11-21" },
  ];
  await put(scenario, first, { consent: "opted_in", city: "Pune", people });
  await put(scenario, second, { consent: "opted_in", city: "Goa", people });
  const inPune = await search(scenario, { all: [today, { field: "city", is: "Pune" }] }, "Pune");
  await create(scenario, birthdayWishes(inPune));
  await scenario.app.clock.advance(20 * SECOND);
  expect(greeted(scenario).toSorted()).toEqual([
    [first, "Meera"],
    [first, "Ravi"],
  ]);
  await put(scenario, third, { consent: "opted_in", first_name: "Dayless" });
  const without = await search(scenario, { not: today }, "Without");
  await create(scenario, birthdayWishes(without));
  await scenario.app.clock.advance(20 * SECOND);
  expect(greeted(scenario).slice(2)).toEqual([[third, "Dayless"]]);
});
