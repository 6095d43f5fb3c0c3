/** Late broadcasts and quiet hours: which continue, which wait for the morning, and which wait for a person. */
import { expect, test } from "bun:test";
import { markReady, markUnready } from "#src/domain/numbers/readiness.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  broadcastOf,
  cancel,
  create,
  HOUR,
  keptDirectory,
  MINUTE,
  notice,
  offer,
  pause,
  phones,
  restart,
  resume,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { TestClock } from "#test/support/clock.ts";

/** A shop in India whose server is stopped at a broadcast's time, and started again at `backAt`. */
async function missed(
  body: (to: readonly string[], more: Record<string, unknown>) => Record<string, unknown>,
  { sendAt, backAt }: { sendAt: string; backAt: string },
  options: Parameters<typeof restart>[2] = {},
  settings: Parameters<typeof startScenario>[0] = {},
): Promise<Scenario & { id: number }> {
  const kept = keptDirectory();
  const clock = new TestClock(new Date(Date.parse(sendAt) - 10 * MINUTE).toISOString());
  await using before = await startScenario(settings, { directory: kept.directory, clock, ...options });
  const id = await create(before, body(phones(2), { send_at: sendAt }));
  const after = await restart(before, Date.parse(backAt) - before.app.clock.now(), options);
  await after.app.clock.advance(5 * SECOND);
  return {
    ...after,
    id,
    async [Symbol.asyncDispose]() {
      await after[Symbol.asyncDispose]();
      kept[Symbol.dispose]();
    },
  };
}

test("a broadcast whose time passed while the server was down is sent on return within 12 hours", async () => {
  await using scenario = await missed(notice, {
    sendAt: "2026-11-21T06:00:00+05:30",
    backAt: "2026-11-21T17:59:00+05:30",
  });
  expect(await show(scenario, scenario.id)).toMatchObject({
    status: "completed",
    started_at: expect.stringMatching(/^2026-11-21T17:59:0/),
    counts: { sent: 2 },
  });
});

test("a broadcast over 12 hours late is paused until a person resumes it", async () => {
  await using scenario = await missed(notice, {
    sendAt: "2026-11-21T06:00:00+05:30",
    backAt: "2026-11-21T18:01:00+05:30",
  });
  const shown = await show(scenario, scenario.id);
  expect(shown).toMatchObject({ status: "paused", started_at: null, counts: { sent: 0 } });
  expect(shown.status_reason).toContain("late");
  await scenario.app.clock.advance(30 * MINUTE);
  expect(scenario.network.sent).toEqual([]);
  await resume(scenario, scenario.id);
  await scenario.app.clock.advance(5 * SECOND);
  expect(await show(scenario, scenario.id)).toMatchObject({
    status: "completed",
    status_reason: null,
    counts: { sent: 2 },
  });
});

test("quiet hours that a workspace changes hold at once: longer ones for what waits, none for what need not", async () => {
  await using scenario = await missed(offer, {
    sendAt: "2026-11-21T20:00:00+05:30",
    backAt: "2026-11-21T21:30:00+05:30",
  });
  const { app, shop, network, id } = scenario;
  const set = (quiet: string) => app.store.write((tx) => updateWorkspace(tx, shop.id, { quiet }));
  expect((await show(scenario, id)).status_reason).toBe("waits until 08:00");
  await set("21:00-09:30");
  await app.clock.advance(Date.parse("2026-11-22T08:01:00+05:30") - app.clock.now());
  expect(await show(scenario, id)).toMatchObject({ status: "scheduled", status_reason: "waits until 09:30" });
  expect(network.sent).toEqual([]);
  await set("off");
  await app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status_reason: null, counts: { sent: 2 } });
});

test("MARKETING over an hour late at night waits until 08:00 in the workspace's timezone and then continues automatically", async () => {
  await using scenario = await missed(offer, {
    sendAt: "2026-11-21T20:00:00+05:30",
    backAt: "2026-11-21T21:30:00+05:30",
  });
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "scheduled", status_reason: "waits until 08:00" });
  const untilMorning = Date.parse("2026-11-22T08:00:00+05:30") - scenario.app.clock.now();
  await scenario.app.clock.advance(untilMorning - SECOND);
  expect(scenario.network.sent).toEqual([]);
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "scheduled", status_reason: "waits until 08:00" });
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, scenario.id)).toMatchObject({
    status: "completed",
    status_reason: null,
    counts: { sent: 2 },
  });
});

test("MARKETING over an hour late in the small hours waits until 08:00 of the same day", async () => {
  await using scenario = await missed(offer, {
    sendAt: "2026-11-21T20:00:00+05:30",
    backAt: "2026-11-22T07:00:00+05:30",
  });
  expect((await show(scenario, scenario.id)).status_reason).toBe("waits until 08:00");
  await scenario.app.clock.advance(61 * MINUTE);
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

test("MARKETING late by at most an hour continues at night, and MARKETING late by more continues by day", async () => {
  for (const [sendAt, backAt] of [
    ["2026-11-21T22:00:00+05:30", "2026-11-21T22:59:00+05:30"],
    ["2026-11-21T15:00:00+05:30", "2026-11-21T20:59:00+05:30"],
    ["2026-11-21T23:00:00+05:30", "2026-11-22T08:00:00+05:30"],
  ] as const) {
    await using scenario = await missed(offer, { sendAt, backAt });
    expect([backAt, (await show(scenario, scenario.id)).status]).toEqual([backAt, "completed"]);
  }
});

test("UTILITY continues at night, up to 12 hours late", async () => {
  await using scenario = await missed(notice, {
    sendAt: "2026-11-21T20:00:00+05:30",
    backAt: "2026-11-22T03:00:00+05:30",
  });
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

test("a broadcast that a person sends at night starts at night", async () => {
  await using scenario = await startScenario({}, { clock: new TestClock("2026-11-21T20:00:00Z") });
  const id = await create(scenario, offer(phones(1)));
  await scenario.app.clock.advance(SECOND);
  expect((await show(scenario, id)).status).toBe("completed");
  const scheduled = await create(scenario, offer(phones(1, 5), { send_at: "2026-11-22T03:00:00+05:30" }));
  await scenario.app.clock.advance(91 * MINUTE);
  expect((await show(scenario, scheduled)).status).toBe("completed");
});

test("without quiet hours in the configuration no broadcast waits for the morning", async () => {
  const options = { config: { broadcasts: { quiet: null } } };
  const times = { sendAt: "2026-11-21T20:00:00+05:30", backAt: "2026-11-22T03:00:00+05:30" };
  await using scenario = await missed(offer, times, options);
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

test("a broadcast that waits for the morning can be cancelled, and a person can pause it and resume it at once", async () => {
  const times = { sendAt: "2026-11-21T20:00:00+05:30", backAt: "2026-11-21T23:00:00+05:30" };
  {
    await using scenario = await missed(offer, times);
    expect((await cancel(scenario, scenario.id)).body.data).toMatchObject({ status: "cancelled", status_reason: null });
    await scenario.app.clock.advance(MINUTE);
    expect(scenario.network.sent).toEqual([]);
  }
  await using scenario = await missed(offer, times);
  await pause(scenario, scenario.id);
  await resume(scenario, scenario.id);
  await scenario.app.clock.advance(5 * SECOND);
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

/** Two of three messages are sent; then the server is away. */
async function interrupted(
  body: typeof notice,
  at: string,
  awayMs: number,
): Promise<Scenario & { id: number; sentBefore: number }> {
  const kept = keptDirectory();
  const options = { directory: kept.directory, clock: new TestClock(at) };
  await using before = await startScenario({ throughput: 1 }, options);
  const id = await create(before, body(phones(6)));
  await untilSent(before, 2);
  const after = await restart(before, awayMs);
  const sentBefore = before.network.sent.length;
  await after.app.clock.advance(10 * SECOND);
  return {
    ...after,
    id,
    sentBefore,
    async [Symbol.asyncDispose]() {
      await after[Symbol.asyncDispose]();
      kept[Symbol.dispose]();
    },
  };
}

test("a running broadcast's lateness counts from its last send: up to 12 hours it continues, beyond that it waits for a person", async () => {
  {
    await using scenario = await interrupted(notice, "2026-11-21T03:00:00Z", 11 * HOUR);
    expect(await show(scenario, scenario.id)).toMatchObject({ status: "completed", counts: { sent: 6 } });
  }
  await using scenario = await interrupted(notice, "2026-11-21T03:00:00Z", 13 * HOUR);
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "paused" });
  expect((await show(scenario, scenario.id)).status_reason).toContain("late");
  expect(scenario.network.sent).toHaveLength(scenario.sentBefore);
  await resume(scenario, scenario.id);
  await scenario.app.clock.advance(20 * SECOND);
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

test("a running broadcast keeps its state at night, shows the reason, and continues in the morning", async () => {
  await using scenario = await interrupted(offer, "2026-11-21T14:30:00Z", 3 * HOUR);
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "running", status_reason: "waits until 08:00" });
  expect(scenario.network.sent).toHaveLength(scenario.sentBefore);
  const untilMorning = Date.parse("2026-11-22T08:00:00+05:30") - scenario.app.clock.now();
  await scenario.app.clock.advance(untilMorning - SECOND);
  expect(scenario.network.sent).toHaveLength(scenario.sentBefore);
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, scenario.id)).toMatchObject({
    status: "completed",
    status_reason: null,
    counts: { sent: 6 },
  });
});

test("lateness is measured once: a broadcast that continued late in the evening is not stopped at nine", async () => {
  await using scenario = await missed(
    (to, more) => offer([...to, ...phones(80, 100)], more),
    { sendAt: "2026-11-21T18:00:00+05:30", backAt: "2026-11-21T20:59:20+05:30" },
    {},
    { throughput: 1 },
  );
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "running" });
  await scenario.app.clock.advance(60 * SECOND);
  expect(scenario.app.clock.now()).toBeGreaterThan(Date.parse("2026-11-21T21:00:00+05:30"));
  expect(await show(scenario, scenario.id)).toMatchObject({ status: "running", status_reason: null });
  await scenario.app.clock.advance(60 * SECOND);
  expect((await show(scenario, scenario.id)).status).toBe("completed");
});

test("a number ready again at night: MARKETING waits for the morning, and for a person if over 12 hours late", async () => {
  for (const [readyAfter, expected] of [
    [3 * HOUR, { status: "queueing", status_reason: "waits until 08:00" }],
    [13 * HOUR, { status: "paused" }],
  ] as const) {
    using kept = keptDirectory();
    await using before = await startScenario(
      {},
      { directory: kept.directory, clock: new TestClock("2026-11-21T14:00:00Z") },
    );
    const id = await create(before, offer(phones(2), { send_at: "2026-11-21T20:00:00+05:30" }));
    const { numberId } = before.shop;
    await before.app.store.write((tx) => void markUnready(tx, numberId, "It was banned."));
    await before.app.clock.advance(31 * MINUTE);
    expect(await show(before, id)).toMatchObject({ status: "paused", started_at: expect.any(String) });
    await using scenario = await restart(before, readyAfter);
    await scenario.app.store.write((tx) => void markReady(tx, numberId));
    await scenario.app.clock.advance(2 * MINUTE);
    expect(await show(scenario, id)).toMatchObject(expected);
    expect(scenario.network.sent).toEqual([]);
    if (expected.status === "paused") {
      expect((await show(scenario, id)).status_reason).toContain("late");
      expect(broadcastOf(scenario, id).pauseCause).toBe("late");
      await resume(scenario, id);
      await scenario.app.clock.advance(5 * SECOND);
      expect((await show(scenario, id)).status).toBe("completed");
    }
  }
});
