/**
 * `waxwing broadcast …` beside a running server: what the commands print, and that they pause, resume and cancel it.
 */
import { expect, test } from "bun:test";
import { progressLine } from "#src/cli/watch-broadcast.ts";
import {
  charged,
  create,
  notice,
  phones,
  refusal,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { accepted, unknown } from "#test/support/fake-network.ts";
import { CallingWorkshop } from "./spawn.ts";

interface Shown {
  status: string;
  status_reason: string | null;
  counts: Record<string, number>;
  reasons: { status: string; reason: string; count: number }[];
}

const begin = (workshop: CallingWorkshop, settings = {}): Promise<Scenario> =>
  startScenario(settings, { directory: workshop.path("data") });

test("broadcast show prints the counts and why recipients failed or were skipped; broadcast list starts with the newest", async () => {
  using workshop = new CallingWorkshop();
  await using scenario = await begin(workshop, charged);
  scenario.network.next(refusal("131026", "recipient"));
  await run(scenario, notice(["nobody", ...phones(3)]));
  await create(scenario, notice(phones(1), { name: "Later", send_at: "2026-11-22" }));
  const shown = await workshop.json<Shown>(["broadcast", "show", "1"]);
  expect(shown).toMatchObject({ status: "completed", counts: { total: 4, sent: 2, failed: 1, skipped: 1 } });
  expect(shown.reasons).toEqual([
    { status: "failed", count: 1, reason: expect.stringContaining("131026") },
    { status: "skipped", count: 1, reason: expect.any(String) },
  ]);
  const listed = await workshop.json<{ id: number; name: string }[]>(["broadcast", "list"]);
  expect(listed.map(({ id, name }) => [id, name])).toEqual([
    [2, "Later"],
    [1, "Notice"],
  ]);
  const text = await workshop.run(["broadcast", "show", "1"]);
  expect(text.stdout).toMatch(/to go +0\n/);
  const missing = await workshop.run(["broadcast", "show", "9"]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("9")]);
});

test("pause stops a broadcast, resume continues it and cancel ends it; each is refused where it does not apply", async () => {
  using workshop = new CallingWorkshop();
  await using scenario = await begin(workshop, { ...charged, throughput: 1 });
  const id = String(await create(scenario, notice(phones(6))));
  await untilSent(scenario, 2);
  expect(await workshop.json(["broadcast", "pause", id])).toMatchObject({
    status: "paused",
    status_reason: "paused by hand",
  });
  await scenario.app.clock.advance(5 * SECOND);
  const sent = scenario.network.sent.length;
  expect(sent).toBeLessThanOrEqual(3);
  const again = await workshop.run(["broadcast", "pause", id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("it cannot be paused")]);
  expect(await workshop.json(["broadcast", "resume", id])).toMatchObject({ status: "running" });
  await untilSent(scenario, sent + 1);
  expect(await workshop.json(["broadcast", "cancel", id])).toMatchObject({ status: "cancelled" });
  await scenario.app.clock.advance(5 * SECOND);
  expect(scenario.network.sent.length).toBeLessThanOrEqual(sent + 2);
  const { counts } = await show(scenario, Number(id));
  expect(counts.sent + counts.skipped).toBe(6);
  for (const command of ["pause", "resume", "cancel"]) {
    expect((await workshop.run(["broadcast", command, id])).code).toBe(1);
  }
});

test("broadcast show --watch without a terminal prints plain lines and exits when the broadcast is over", async () => {
  using workshop = new CallingWorkshop();
  await using scenario = await begin(workshop);
  scenario.network.next((one) => accepted(one));
  const id = await run(scenario, notice(phones(3)));
  const { code, stdout } = await workshop.run(["broadcast", "show", String(id), "--watch"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^█{30} 100 % {2}3 of 3 {2}completed\n/);
});

test("the progress line shows rate and remaining time, and says when only messages with an unknown outcome are left", async () => {
  using workshop = new CallingWorkshop();
  await using scenario = await begin(workshop);
  scenario.network.next(unknown);
  await run(scenario, notice(phones(2)));
  await scenario.app.clock.advance(SECOND);
  const base = { now: 1, name: "x", status: "running", reason: null, isOver: false, failed: 0, throughput: 80 };
  expect(progressLine({ ...base, left: 1, inDoubt: 1, done: 1 }, 0)).toContain("waiting for the outcome of 1 in doubt");
  expect(progressLine({ ...base, left: 5, inDoubt: 1, done: 1 }, 2)).toContain("1 of 6  2.0/s  2.5 s left  running");
  const shown = await workshop.run(["broadcast", "show", "1"]);
  expect(shown.stdout).toMatch(/on the way +1\n/);
});
