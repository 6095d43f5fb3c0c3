/** Pauses that only a person ends. */
import { expect, test } from "bun:test";
import { resume as resumeWorkspace, suspend } from "#src/domain/workspaces/update.ts";
import {
  broadcastOf,
  cancel,
  charged,
  create,
  expectAllSentOnce,
  HOUR,
  keptDirectory,
  MINUTE,
  notice,
  pause,
  phones,
  RATE,
  refusal,
  restart,
  resume,
  run,
  SECOND,
  show,
  startScenario,
  state,
  underWay,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { accepted, throttled } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";

test("an account's refusal pauses the broadcast with the network's words, and only a person resumes it", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  scenario.network.next((one) => accepted(one), refusal("131031", "account"));
  const id = await run(scenario, notice(phones(4)));
  await untilSent(scenario, 2);
  await scenario.app.clock.advance(SECOND);
  const [status, reason] = await state(scenario, id);
  expect(status).toBe("paused");
  expect(reason).toContain("131031");
  expect(await show(scenario, id)).toMatchObject({ counts: { sent: 1, failed: 0, skipped: 0 } });
  const sent = scenario.network.sent.length;
  await scenario.app.clock.advance(HOUR / 2);
  expect(scenario.network.sent).toHaveLength(sent);
  await resume(scenario, id);
  await scenario.app.clock.advance(10 * SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 4, failed: 0 } });
});

test("a throttle without end: after 15 minutes without an acceptance the broadcast pauses, and only a person resumes it", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  scenario.network.always(throttled(30 * SECOND));
  const id = await run(scenario, notice(phones(3)));
  await scenario.app.clock.advance(14 * MINUTE);
  expect((await state(scenario, id))[0]).toBe("running");
  await scenario.app.clock.advance(2 * MINUTE);
  const [status, reason] = await state(scenario, id);
  expect([status, broadcastOf(scenario, id).pauseCause]).toEqual(["paused", "throttled"]);
  expect(reason).toContain("15 minutes");
  const asked = scenario.network.sent.length;
  expect(asked).toBeLessThan(50);
  scenario.network.always((outbound) => accepted(outbound));
  await scenario.app.clock.advance(10 * MINUTE);
  expect(scenario.network.sent).toHaveLength(asked);
  expect((await show(scenario, id)).counts).toMatchObject({ failed: 0, skipped: 0 });
  await resume(scenario, id);
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 3 } });
});

test("a broadcast paused by hand sends nothing until a person resumes it, not even after a restart", async () => {
  using kept = keptDirectory();
  await using before = await startScenario({ throughput: 1 }, { directory: kept.directory });
  const id = await create(before, notice(phones(5)));
  await untilSent(before, 1);
  await pause(before, id);
  await before.app.clock.advance(10 * SECOND);
  const sent = before.network.sent.length;
  expect(await state(before, id)).toEqual(["paused", "paused by hand"]);
  await using scenario = await restart(before, HOUR);
  await scenario.app.clock.advance(5 * MINUTE);
  expect(scenario.network.sent).toHaveLength(sent);
  await resume(scenario, id);
  await scenario.app.clock.advance(10 * SECOND);
  await expectAllSentOnce(scenario, id, 5);
});

test("a scheduled broadcast paused by hand and resumed before its time is scheduled again, and starts", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(1), { send_at: "2026-11-21T14:00:00+05:30" }));
  await pause(scenario, id);
  await resume(scenario, id);
  expect(await state(scenario, id)).toEqual(["scheduled", null]);
  await scenario.app.clock.advance(31 * MINUTE);
  expect((await state(scenario, id))[0]).toBe("completed");
});

test("a broadcast paused by hand past its time starts when a person resumes it", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(1), { send_at: "2026-11-21T14:00:00+05:30" }));
  await pause(scenario, id);
  await scenario.app.clock.advance(HOUR);
  expect(scenario.network.sent).toEqual([]);
  await resume(scenario, id);
  await scenario.app.clock.advance(SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", started_at: expect.any(String) });
});

test("a broadcast that cannot be sent or is not paused cannot be resumed", async () => {
  await using scenario = await underWay();
  const { app, shop, id } = scenario;
  expect(resume(scenario, id)).rejects.toThrow();
  await pause(scenario, id);
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid bill"));
  expect(resume(scenario, id)).rejects.toThrow();
  await app.clock.advance(0);
  expect((await state(scenario, id))[0]).toBe("paused");
  await app.store.write((tx) => void resumeWorkspace(tx, shop.id));
  await resume(scenario, id);
  await app.clock.advance(10 * SECOND);
  expect((await state(scenario, id))[0]).toBe("completed");
  expect(resume(scenario, id)).rejects.toThrow();
  await app.clock.advance(0);
});

test("a paused broadcast can be cancelled, and its hold is released", async () => {
  await using scenario = await startScenario(charged);
  scenario.network.next(refusal("131031", "account"));
  const id = await run(scenario, notice(phones(1)));
  expect(accountOf(scenario.app, scenario.shop).held).toBe(RATE);
  expect((await cancel(scenario, id)).body.data).toMatchObject({ status: "cancelled", status_reason: null });
  await scenario.app.clock.advance(0);
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: 0, charged: 0 });
  expect((await show(scenario, id)).charged).toBe("0.00");
});
