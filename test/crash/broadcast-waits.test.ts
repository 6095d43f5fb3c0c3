/**
 * Broadcasts that have to wait: they come due while the server is down, or the network throttles every request for a
 * while. The short form runs from source, concurrently, because nearly all of its time is waiting. The full form, on
 * the executable, with a minute of throttling and the minute after it:
 *
 *   bun run test:crash broadcast-waits
 */
import { expect, test } from "bun:test";
import { isFull, program } from "#test/support/crash-form.ts";
import type { Installation, RunningServer } from "#test/support/installation.ts";
import {
  answersThatLeave,
  begin,
  checkEnd,
  endings,
  expectedMoney,
  expectSound,
  makeLiveInstallation,
  requestsOf,
  show,
  until,
  untilSeen,
  untilStatus,
} from "#test/support/live-broadcast.ts";

/** Sequential in the full form, which measures. */
const scenario = isFull ? test : test.concurrent;
/** Long enough to accept a broadcast and stop the server before it is due. */
const AHEAD_MS = isFull ? 6_000 : 3_000;
/** The minimum that the configuration accepts; the default is 12 hours. */
const LATE_AFTER_MS = 1_000;

/** Schedules a broadcast for a whole second in the future. When it returns, no recipient has been sent to. */
async function schedule(installation: Installation, server: RunningServer, label: string, list: number) {
  const sendAt = Math.ceil((Date.now() + AHEAD_MS) / 1000) * 1000;
  const broadcast = await begin(installation, server, label, list, { send_at: new Date(sendAt).toISOString() });
  expect((await show(server, broadcast)).status).toBe("scheduled");
  return { broadcast, sendAt };
}

for (const { isHeld, name } of [
  { isHeld: false, name: "scheduled while the server is down: sent on return" },
  { isHeld: true, name: "scheduled while the server is down for too long: held until a person resumes it" },
]) {
  scenario(
    name,
    async () => {
      using waxwing = await program();
      const ways = isFull ? (["stop", "kill"] as const) : [isHeld ? ("kill" as const) : ("stop" as const)];
      const people = isFull ? 500 : 20;
      await using installation = await makeLiveInstallation({
        people: people * ways.length,
        lists: ways.length,
        throughput: 400,
        command: waxwing.command,
      });
      for (const [list, way] of ways.entries()) {
        const before = installation.start();
        await before.started();
        const { broadcast, sendAt } = await schedule(installation, before, `after a ${way}`, list);
        await before[way]();
        expect(Date.now()).toBeLessThan(sendAt);
        await Bun.sleep(sendAt + (isHeld ? LATE_AFTER_MS + 300 : 300) - Date.now());
        expect(await requestsOf(installation, broadcast)).toEqual([]);

        const server = installation.start(isHeld ? { WAXWING_BROADCASTS_LATE_AFTER: `${LATE_AFTER_MS / 1000}s` } : {});
        await server.started();
        if (isHeld) {
          const held = await untilStatus(server, broadcast, "paused");
          expect(held.status_reason).toContain("late");
          await Bun.sleep(isFull ? 2_000 : 300);
          expect(await requestsOf(installation, broadcast)).toEqual([]);
          const resumed = await installation.command("broadcast", "resume", String(broadcast.id)).ended;
          expect(resumed).toMatchObject({ code: 0 });
        }
        await untilStatus(server, broadcast, "completed");
        const { wrong, delivered } = await checkEnd(installation, server, broadcast, () => false);
        expect({ wrong, delivered }).toEqual({ wrong: [], delivered: people });
        expect((await endings(installation, broadcast)).size).toBe(1);
        expect(await server.stop()).toBe(0);
      }
      const { found, expected } = await expectedMoney(installation, installation.people.length);
      expect(found).toEqual(expected);
      await expectSound(installation);
    },
    isFull ? 120_000 : 60_000,
  );
}

interface ThrottleForm {
  throughput: number;
  people: number;
  /** Recipients sent to before the network throttles. */
  before: number;
  throttledMs: number;
}

/** The pace has recovered this long after the last refusal. */
const RECOVERED_AFTER_MS = 60_000;
const WINDOW_MS = 5_000;
const COMES_TO_REST_MS = 10_000;
/** Short form: this many further messages show that the broadcast continues. */
const RESUMED_COUNT = 15;

const throttleForms: ThrottleForm[] = isFull
  ? [
      { throughput: 80, people: 4_500, before: 500, throttledMs: 60_000 },
      { throughput: 800, people: 45_000, before: 5_000, throttledMs: 60_000 },
    ]
  : [{ throughput: 80, people: 350, before: 50, throttledMs: 4_000 }];

for (const form of throttleForms) {
  const { throughput, people, before, throttledMs } = form;
  scenario(
    `turned away by the network for ${throttledMs / 1000} s at ${throughput} a second: nothing fails, requests are rare, the pace recovers, and no recipient gets two messages`,
    async () => {
      using waxwing = await program();
      await using installation = await makeLiveInstallation({
        people,
        throughput,
        command: waxwing.command,
      });
      const server = installation.start();
      await server.started();
      await installation.setMood({ maxAnswers: answersThatLeave(RESUMED_COUNT, form) });
      const broadcast = await begin(installation, server, "turned away", 0);
      await untilSeen(installation, broadcast, before);
      await installation.setMood({ throttledForMs: throttledMs, maxAnswers: null });
      const begunAt = Date.now();
      const endsAt = begunAt + throttledMs;
      await Bun.sleep(throttledMs);
      expect(await show(server, broadcast)).toMatchObject({ status: "running", counts: { failed: 0, skipped: 0 } });
      if (isFull) {
        const isCompleted = ({ status }: { status: string }) => status === "completed";
        await until("its end", () => show(server, broadcast), isCompleted, throttledMs + RECOVERED_AFTER_MS + 60_000);
      } else {
        // Sending to all recipients would take too long here.
        const seen = (await requestsOf(installation, broadcast)).length;
        await untilSeen(installation, broadcast, seen + RESUMED_COUNT);
        expect(await server.call("POST", `/broadcasts/${broadcast.id}/cancel`)).toMatchObject({ status: 200 });
      }
      const throttled = await installation.throttled();
      const end = await checkEnd(installation, server, broadcast, ({ status }) => !isFull && status === "skipped");
      expect(end.wrong).toEqual([]);
      expect(end.delivered).toBe(isFull ? people : end.requests.length);
      expect((await endings(installation, broadcast)).size).toBe(1);

      // At first the messages in flight, then half as many each second, until hardly any are left.
      const busiest = Math.max(...perSecond(throttled, begunAt).slice(1));
      const resting = perSecond(
        throttled.filter((at) => at > begunAt + COMES_TO_REST_MS),
        begunAt,
      ).slice(10);
      expect(throttled.length).toBeGreaterThan(0);
      expect(throttled.length).toBeLessThan(throughput * 3 + 30 * (throttledMs / 1000));
      expect(busiest).toBeLessThanOrEqual(throughput * 0.7);
      const times = end.requests.map(({ at }) => at);
      const rate = (from: number): number => times.filter((at) => at >= from && at < from + WINDOW_MS).length;
      let recovered = "";
      if (isFull) {
        const was = rate(begunAt - WINDOW_MS);
        const now = rate(endsAt + RECOVERED_AFTER_MS);
        recovered = `; pace ${was / 5} before, ${[10, 20, 30, 40, 50].map((s) => rate(endsAt + s * 1000) / 5).join(", ")} on the way, ${now / 5} a minute after`;
        expect(Math.max(...resting)).toBeLessThanOrEqual(5);
        expect(now).toBeGreaterThan(was * 0.9);
        expect(now).toBeLessThan(was * 1.1);
      }
      const { found, expected } = await expectedMoney(installation, end.delivered);
      expect(found).toEqual(expected);
      expect(await server.stop()).toBe(0);
      await expectSound(installation);
      console.log(
        `turned away for ${throttledMs / 1000} s at ${throughput} a second: ${throttled.length} requests in vain, by the second ${perSecond(throttled, begunAt).join(" ")}${recovered}`,
      );
    },
    isFull ? 300_000 : 60_000,
  );
}

function perSecond(times: readonly number[], from: number): number[] {
  const seconds: number[] = [];
  for (const at of times) {
    const second = Math.max(0, Math.floor((at - from) / 1000));
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  return Array.from(seconds, (count) => count ?? 0);
}
