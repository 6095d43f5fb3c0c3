/**
 * Many messages are due within a minute. The clock is set ahead to it, and back twice: while the server that was killed is
 * down, and while the next one sends. Nothing may leave early, twice or not at all. The short form is part of every test
 * run: 200 messages due within a second, from source. The full form has 100,000, on the executable:
 *
 *   bun run test:crash scheduled
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFull, program } from "#test/support/crash-form.ts";
import {
  type Installation,
  LABELLED,
  makeInstallation,
  type RunningServer,
  type SeenRequest,
} from "#test/support/installation.ts";
import { compileInterposer, noInterposer } from "#test/support/interposer.ts";
import { expectSound, until } from "#test/support/live-broadcast.ts";
import { ShiftedClock } from "#test/support/shifted-clock.ts";

const form = isFull
  ? { people: 100_000, throughput: 1_000, withinMs: 60_000, quietMs: 5_000, limitMs: 1_800_000 }
  : { people: 200, throughput: 500, withinMs: 600, quietMs: 200, limitMs: 60_000 };
const HOUR_MS = 3_600_000;
const BACK_MS = 1_800_000;
const CALLERS = 32;
/** What was in flight when the clock was set arrives within this time. */
const ARRIVES_WITHIN_MS = 300;
/**
 * In doubt is what was in flight when the server was killed: as much as the pace needs at the latency of the network's
 * answers, and on a busy machine they take longer.
 */
const IN_FLIGHT_MS_MAX = 400;
const PATIENCE_MS = isFull ? 600_000 : 30_000;

const title =
  "messages due within a minute leave once and not early, across a kill and a clock that is set ahead and back";
const scenario = noInterposer === null ? test : test.skip;

scenario(
  noInterposer === null ? title : `${title} (${noInterposer})`,
  async () => {
    using waxwing = await program();
    const workshop = mkdtempSync(join(tmpdir(), "waxwing-clock-"));
    using _ = { [Symbol.dispose]: () => rmSync(workshop, { recursive: true, force: true }) };
    const LD_PRELOAD = compileInterposer("clock-shift.c", workshop);
    const clock = new ShiftedClock(join(workshop, "clock"));
    // The network dates its answers. It has the right time.
    const right = new ShiftedClock(join(workshop, "network-clock"));
    const env = { LD_PRELOAD, ...clock.env };
    const networkEnv = { LD_PRELOAD, ...right.env };
    const options = { ...form, env, networkEnv, command: waxwing.command, inDoubtAfter: "700ms" };
    await using installation = await makeInstallation(options);
    const seen: SeenRequest[] = [];
    const count = async (): Promise<number> => {
      for (const request of await installation.requests(seen.length)) seen.push(request);
      return seen.length;
    };
    const start = async (): Promise<RunningServer> => {
      const server = installation.start();
      await server.started();
      return server;
    };

    const first = await start();
    const base = clock.now() + HOUR_MS;
    const dueAt = await schedule(installation, first, base);
    expect(await count()).toBe(0);

    right.move(base - right.now());
    clock.move(base - clock.now());
    const third = form.people / 3;
    await until(
      "a third is to be sent",
      () => count(),
      (sent) => sent >= third,
      PATIENCE_MS,
    );
    await first.kill();
    const atKill = await count();

    // The next server starts before the minute again.
    clock.move(-BACK_MS);
    const second = await start();
    await Bun.sleep(form.quietMs);
    expect(await count()).toBe(atKill);

    // Right again, and set back while it sends.
    clock.move(BACK_MS);
    const more = atKill + form.people / 20;
    await until(
      "more is to be sent",
      () => count(),
      (sent) => sent >= more,
      PATIENCE_MS,
    );
    const atSet = await count();
    clock.move(-BACK_MS);
    await Bun.sleep(ARRIVES_WITHIN_MS);
    const afterSet = await count();
    await Bun.sleep(form.quietMs);
    expect(await count()).toBe(afterSet);
    clock.move(BACK_MS);
    await until(
      "nothing is to be scheduled",
      () => listed(second, "scheduled"),
      (ids) => ids.length === 0,
      PATIENCE_MS,
    );

    await count();
    const times = new Map<string, number>();
    for (const { to } of seen) times.set(to, (times.get(to) ?? 0) + 1);
    expect([...times].filter(([, sent]) => sent > 1)).toEqual([]);
    expect(seen.filter(({ to, at }) => at < (dueAt.get(to) ?? 0))).toEqual([]);
    // Only those of which the outcome was lost with the server have failed, and they are not sent again.
    const failed = await listed(second, "failed");
    expect(failed.filter(({ error }) => !error.includes("may have arrived"))).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual((form.throughput * IN_FLIGHT_MS_MAX) / 1_000);
    const known = new Set([...times.keys(), ...failed.map(({ to }) => to)]);
    expect(installation.people.filter((to) => !known.has(to))).toEqual([]);
    expect(await second.stop()).toBe(0);
    await expectSound(installation);
    console.log(
      `${form.people} messages due within ${form.withinMs / 1000} s; killed after ${atKill}, set back after ${atSet} (${afterSet - atSet} arrived by then); ${seen.length} requests, 0 doubles, 0 early, ${failed.length} in doubt`,
    );
  },
  form.limitMs,
);

/** Returns when each is due, spread over the minute. */
async function schedule({ people }: Installation, server: RunningServer, base: number): Promise<Map<string, number>> {
  const dueAt = new Map(people.map((to, index) => [to, base + Math.floor((index * form.withinMs) / people.length)]));
  const waiting = dueAt.entries();
  const call = async (): Promise<void> => {
    for (const [to, due] of waiting) {
      const body = { to, template: LABELLED, variables: ["later"], send_at: new Date(due).toISOString() };
      const answer = await server.call("POST", "/messages", body);
      if (answer?.status !== 202) throw new Error(`not scheduled: ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return dueAt;
}

/** Up to a page is enough to see that there is one; of failed ones there are a few pages. */
async function listed(server: RunningServer, status: string): Promise<{ to: string; error: string }[]> {
  const found: { to: string; error: string }[] = [];
  for (let after = ""; ; ) {
    const page = await server.call("GET", `/messages?status=${status}${after === "" ? "" : `&after=${after}`}`);
    if (page?.status !== 200) throw new Error(`not listed: ${JSON.stringify(page)}`);
    for (const { to, error } of page.body.data) found.push({ to, error: error?.message ?? "" });
    after = page.body.meta.next ?? "";
    if (after === "" || status !== "failed") return found;
  }
}
