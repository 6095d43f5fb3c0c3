/**
 * Faults with broadcasts in other programs that speak to this network, as their users reported them: a test for each,
 * named after the behaviour that excludes the fault. Those about single messages and callbacks are in
 * `test/flow/whatsapp-regressions.test.ts`.
 */
import { expect, test } from "bun:test";
import {
  charged,
  countersOf,
  create,
  HOUR,
  list,
  MINUTE,
  notice,
  pause,
  phones,
  put,
  RATE,
  report,
  resume,
  rowsOf,
  SECOND,
  show,
  startScenario,
  untilSent,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";
import { unknown } from "#test/support/fake-network.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";

/** Each recipient once, in any order. */
function expectEachOnce(sent: readonly { to: string | null }[], to: readonly string[]): void {
  expect(sent.map((outbound) => outbound.to).toSorted()).toEqual([...to].sort());
}

test("a broadcast that is paused and resumed again and again sends to each recipient once", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const to = phones(40);
  const id = await create(scenario, notice(to));
  // Paused in the middle again and again, also while answers are outstanding.
  for (const count of [5, 6, 17, 30]) {
    await untilSent(scenario, count);
    await pause(scenario, id);
    await scenario.app.clock.advance(MINUTE);
    await resume(scenario, id);
    await resume(scenario, id).catch(() => undefined);
  }
  await scenario.app.clock.advance(HOUR);
  expectEachOnce(scenario.network.sent, to);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 40 } });
});

test("a resumed broadcast sends the values that were frozen when it was built", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const to = phones(20);
  for (const phone of to) await put(scenario, phone, { first_name: "Asha", consent: "opted_in" });
  const group = await list(scenario, to);
  const id = await create(scenario, {
    name: "Greeting",
    template: "greeting",
    variables: [{ field: "first_name", fallback: "you" }],
    group,
  });
  await untilSent(scenario, 3);
  await pause(scenario, id);
  for (const phone of to) await put(scenario, phone, { first_name: "Another name" });
  await resume(scenario, id);
  await scenario.app.clock.advance(MINUTE);
  expect(scenario.network.sent.map(valuesOf)).toEqual(to.map(() => ["Asha"]));
  expectEachOnce(scenario.network.sent, to);
});

test("a request of a broadcast that timed out is not sent again, so the recipient gets the message once", async () => {
  await using scenario = await startScenario();
  const to = phones(10);
  scenario.network.next(unknown, unknown);
  const id = await create(scenario, notice(to));
  await scenario.app.clock.advance(2 * HOUR);
  expectEachOnce(scenario.network.sent, to);
  expect((await show(scenario, id)).counts).toMatchObject({ sent: 8, failed: 2 });
});

test("a message that the network has merely accepted is neither delivered in the broadcast's counts nor charged", async () => {
  await using scenario = await startScenario(charged);
  const id = await create(scenario, notice(phones(10)));
  await scenario.app.clock.advance(SECOND);
  expect(await show(scenario, id)).toMatchObject({ counts: { sent: 10, delivered: 0, read: 0 }, charged: null });
  await report(scenario, scenario.network.sent.slice(0, 3), "failed");
  await report(scenario, scenario.network.sent.slice(3, 7), "delivered");
  expect(await show(scenario, id)).toMatchObject({ counts: { sent: 7, delivered: 4, failed: 3 } });
  await scenario.app.clock.advance(2 * HOUR);
  expect(await show(scenario, id)).toMatchObject({ charged: ((4 * RATE) / 1_000_000).toString() });
  expect(countersOf(scenario, id).held).toBe(0);
});

test("late statuses of a broadcast do not overwrite later states, and count once", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(5)));
  await scenario.app.clock.advance(SECOND);
  for (const status of ["read", "delivered", "sent", "read", "failed"] as const) {
    await report(scenario, scenario.network.sent, status);
  }
  expect((await show(scenario, id)).counts).toMatchObject({ sent: 5, delivered: 5, read: 5, failed: 0 });
  expect(new Set(rowsOf(scenario, id).map(({ status }) => status))).toEqual(new Set(["read"] as const));
});

test("a template paused in the middle of a broadcast pauses the broadcast once the messages in flight are refused", async () => {
  await using world = await startWhatsapp();
  world.graph.fault({ times: Number.POSITIVE_INFINITY, fault: { kind: "error", code: 132015 } });
  const to = Array.from({ length: 500 }, (_, index) => `+491511234${String(index).padStart(4, "0")}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  const { key } = world.workspace;
  const created = await world.app.send("POST", "/api/v1/broadcasts", { key, body });
  await world.clock.advance(MINUTE);
  const { body: shown } = await world.app.send("GET", `/api/v1/broadcasts/${created.body.data.id}`, { key });
  expect(shown.data).toMatchObject({ status: "paused", counts: { sent: 0, failed: 0 } });
  // Only the requests that were in flight when the first was refused.
  const asked = world.graph.requests.length;
  expect(asked).toBeLessThan(250);
  await world.clock.advance(10 * MINUTE);
  expect(world.graph.requests.length).toBe(asked);
});
