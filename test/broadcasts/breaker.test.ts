/** The circuit breaker: 20 consecutive refusals of the message, by answer or by status, pause the broadcast. */
import { expect, test } from "bun:test";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import {
  broadcastOf,
  charged,
  create,
  expectClosed,
  MINUTE,
  notice,
  phones,
  refusal,
  report,
  resume,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { accepted, pairThrottled, throttled, unknown } from "#test/support/fake-network.ts";

const OF_THE_MESSAGE = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];
const OF_THE_PERSON = ["131021", "131026", "131047", "131049", "131050", "130472"];

const values = (code: string): Outcome => refusal(code, "message");
const person = (code: string): Outcome => refusal(code, "recipient");
const taken = (outbound: OutboundMessage): Outcome => accepted(outbound);

function repeat<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

async function isBroken(scenario: Scenario, id: number): Promise<boolean> {
  await scenario.app.clock.advance(MINUTE);
  return (await show(scenario, id)).status === "paused" && broadcastOf(scenario, id).pauseCause === "breaker";
}

for (const code of OF_THE_MESSAGE) {
  test(`${code} by answer for 20 consecutive recipients pauses the broadcast, and the reason contains the code`, async () => {
    // One message at a time: messages already being sent when the 20th is answered would still leave.
    await using scenario = await startScenario({ throughput: 10 });
    scenario.network.always(values(code));
    const id = await run(scenario, notice(phones(40)));
    expect(await isBroken(scenario, id)).toBe(true);
    expect((await show(scenario, id)).status_reason).toContain(code);
    expect(scenario.network.sent).toHaveLength(20);
    expect((await show(scenario, id)).counts).toMatchObject({ total: 40, failed: 20, skipped: 0 });
    await expectClosed(scenario, id);
  });
}

test("neither 19 consecutive refusals of the message nor two streaks of 19 around an acceptance pause a broadcast", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.next(...repeat(19, values("132012")), taken, ...repeat(19, values("132012")), taken);
  const id = await run(scenario, notice(phones(40)));
  expect(await isBroken(scenario, id)).toBe(false);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 2, failed: 38 } });
});

test("another code begins a new streak, whether it counts itself or not", async () => {
  for (const other of ["132000", "131000"]) {
    await using scenario = await startScenario({ throughput: 10 });
    scenario.network.next(...repeat(19, values("132012")), values(other), ...repeat(19, values("132012")));
    const id = await run(scenario, notice(phones(39)));
    expect([other, await isBroken(scenario, id)]).toEqual([other, false]);
    expect((await show(scenario, id)).status).toBe("completed");
  }
});

test("codes about the recipient never count toward a streak, and never end one", async () => {
  {
    await using scenario = await startScenario();
    for (const code of OF_THE_PERSON) scenario.network.next(...repeat(25, person(code)));
    const id = await run(scenario, notice(phones(25 * OF_THE_PERSON.length)));
    expect(await isBroken(scenario, id)).toBe(false);
    expect((await show(scenario, id)).status).toBe("completed");
  }
  await using scenario = await startScenario({ throughput: 10 });
  const between = OF_THE_PERSON.map(person);
  scenario.network.next(...repeat(10, values("132012")), ...between, ...repeat(10, values("132012")));
  const id = await run(scenario, notice(phones(40)));
  expect(await isBroken(scenario, id)).toBe(true);
  expect(scenario.network.sent).toHaveLength(20 + between.length);
});

test("throttles and unknown outcomes neither count toward a streak nor end one", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const between = [unknown, pairThrottled(), throttled()];
  scenario.network.next(...repeat(10, values("132012")), ...between, ...repeat(10, values("132012")));
  const id = await run(scenario, notice(phones(40)));
  expect(await isBroken(scenario, id)).toBe(true);
});

test("20 consecutive refusals by status pause the broadcast too, although every answer was an acceptance", async () => {
  await using scenario = await startScenario({ throughput: 25 });
  const id = await create(scenario, notice(phones(60)));
  await scenario.app.clock.advance(SECOND);
  const early = scenario.network.sent.slice(0, 20);
  expect(early).toHaveLength(20);
  await report(scenario, early.slice(0, 19), "failed", 131053);
  expect((await show(scenario, id)).status).toBe("running");
  await report(scenario, early.slice(19), "failed", 131053);
  await scenario.app.clock.advance(100);
  expect((await show(scenario, id)).status).toBe("paused");
  expect((await show(scenario, id)).status_reason).toContain("131053");
  const sent = scenario.network.sent.length;
  expect(sent).toBeLessThan(60);
  await scenario.app.clock.advance(MINUTE);
  expect(scenario.network.sent).toHaveLength(sent);
  await expectClosed(scenario, id);
});

test("a streak of statuses is ended by delivered, read, or another failure; not by sent, nor by an answer", async () => {
  for (const [parting, isEnded] of [
    ["delivered", true],
    ["read", true],
    ["failed", true],
    ["sent", false],
  ] as const) {
    await using scenario = await startScenario({ throughput: 45 });
    const id = await create(scenario, notice(phones(100)));
    await scenario.app.clock.advance(SECOND);
    const early = scenario.network.sent.slice(0, 21);
    await report(scenario, early.slice(0, 10), "failed", 131053);
    await report(scenario, early.slice(10, 11), parting, parting === "failed" ? 131000 : undefined);
    await report(scenario, early.slice(11), "failed", 131053);
    await scenario.app.clock.advance(100);
    expect([parting, (await show(scenario, id)).status]).toEqual([parting, isEnded ? "running" : "paused"]);
  }
});

test("answers and statuses are counted separately: ten refusals of each do not pause the broadcast", async () => {
  await using scenario = await startScenario();
  scenario.network.next(...repeat(15, taken), ...repeat(15, values("131053")));
  const id = await create(scenario, notice(phones(200)));
  await scenario.app.clock.advance(0);
  await report(scenario, scenario.network.sent.slice(0, 15), "failed", 131053);
  expect(await isBroken(scenario, id)).toBe(false);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("a status that comes twice counts once toward its streak", async () => {
  await using scenario = await startScenario({ throughput: 15 });
  const id = await create(scenario, notice(phones(60)));
  await scenario.app.clock.advance(SECOND);
  const early = scenario.network.sent.slice(0, 11);
  await report(scenario, early, "failed", 131053);
  await report(scenario, early, "failed", 131053);
  await scenario.app.clock.advance(100);
  expect((await show(scenario, id)).status).toBe("running");
});

test("only an operator resumes a broadcast that the breaker paused, and then both streaks start over", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 10 });
  scenario.network.next(...repeat(20, values("132012")), ...repeat(19, values("132012")), taken);
  const id = await run(scenario, notice(phones(40)));
  expect(await isBroken(scenario, id)).toBe(true);
  await scenario.app.clock.advance(30 * MINUTE);
  expect(scenario.network.sent).toHaveLength(20);
  await resume(scenario, id);
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 39, sent: 1 } });
});

test("failures of the last 20 recipients leave the broadcast completed, because no recipient is left to protect", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.always(values("132012"));
  const id = await run(scenario, notice(phones(20)));
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 20 } });
});
