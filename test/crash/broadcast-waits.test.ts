/**
 * Broadcasts that meet a closed door: their time comes while the server is down, or the network turns everything away for
 * a while. Short form: from source, side by side, for nearly all of it is waiting. In full, on the executable, with a
 * minute of being turned away and the minute after it:
 *
 *   bun run test:crash broadcast-waits
 */
import { expect, test } from "bun:test";
import { isFull, program } from "#test/support/crash-form.ts";
import { type Installation, makeInstallation, type RunningServer } from "#test/support/installation.ts";
import {
  begin,
  endings,
  expectedMoney,
  expectSound,
  judgeEnd,
  type LiveBroadcast,
  requestsOf,
  show,
  until,
  untilSeen,
  untilStatus,
} from "#test/support/live-broadcast.ts";

/** Alone where figures are measured. */
const story = isFull ? test : test.concurrent;
const SETTLE = { WAXWING_BROADCASTS_SETTLE_AFTER: "1s" };
/** Long enough for a broadcast to be accepted and the server to end before. */
const AHEAD_MS = 2_000;

/** For a whole second, some time ahead. Nobody has been asked when it is answered. */
async function schedule(installation: Installation, server: RunningServer, label: string, list: number) {
  const sendAt = Math.ceil((Date.now() + AHEAD_MS) / 1000) * 1000;
  const broadcast = await begin(installation, server, label, list, { send_at: new Date(sendAt).toISOString() });
  expect((await show(server, broadcast)).status).toBe("scheduled");
  return { broadcast, sendAt };
}

story(
  "scheduled while the server is down: sent on return, or held for a person when that is too late",
  async () => {
    using waxwing = await program();
    const people = isFull ? 500 : 20;
    const endingsOfServer = ["stop", "kill"] as const;
    await using installation = await makeInstallation({
      people: people * 4,
      lists: 4,
      throughput: 400,
      command: waxwing.command,
      env: SETTLE,
      inDoubtAfter: "2s",
      isTalkative: true,
    });
    /** Its time comes while nobody is there; returns the next life of the server, `lateMs` after that. */
    const missed = async (label: string, list: number, how: "stop" | "kill", lateMs: number, lateAfter?: string) => {
      const before = installation.start();
      await before.started();
      const { broadcast, sendAt } = await schedule(installation, before, label, list);
      await before[how]();
      expect(Date.now()).toBeLessThan(sendAt);
      await Bun.sleep(sendAt + lateMs - Date.now());
      expect(await requestsOf(installation, broadcast)).toEqual([]);
      const server = installation.start(lateAfter === undefined ? {} : { WAXWING_BROADCASTS_LATE_AFTER: lateAfter });
      await server.started();
      return { server, broadcast };
    };
    const judgeSent = async (server: RunningServer, broadcast: LiveBroadcast): Promise<void> => {
      await untilStatus(server, broadcast, "completed");
      const { wrong, delivered } = await judgeEnd(installation, server, broadcast, () => false);
      expect({ wrong, delivered }).toEqual({ wrong: [], delivered: people });
      expect((await endings(installation, broadcast)).size).toBe(1);
    };
    let list = 0;
    for (const how of endingsOfServer) {
      // In the short form one end each: a stop before one that is sent, a kill before one that is held.
      if (isFull || how === "stop") {
        const { server, broadcast } = await missed(`in time after a ${how}`, list++, how, 300);
        await judgeSent(server, broadcast);
        expect(await server.stop()).toBe(0);
      }
      if (isFull || how === "kill") {
        const { server, broadcast } = await missed(`late after a ${how}`, list++, how, 1_300, "1s");
        const held = await untilStatus(server, broadcast, "paused");
        expect(held.status_reason).toContain("late");
        await Bun.sleep(isFull ? 2_000 : 300);
        expect(await requestsOf(installation, broadcast)).toEqual([]);
        const resumed = await installation.command("broadcast", "resume", String(broadcast.id)).ended;
        expect(resumed).toMatchObject({ code: 0 });
        await judgeSent(server, broadcast);
        expect(await server.stop()).toBe(0);
      }
    }
    const { found, expected } = await expectedMoney(installation, list * people);
    expect(found).toEqual(expected);
    await expectSound(installation);
  },
  isFull ? 120_000 : 60_000,
);

interface ThrottleForm {
  throughput: number;
  people: number;
  /** Sent before the network turns them away. */
  before: number;
  throttledMs: number;
}

/** Within so long after the last refusal the pace is what it was. */
const RECOVERED_AFTER_MS = 60_000;
const WINDOW_MS = 5_000;
const COMES_TO_REST_MS = 10_000;

const throttleForms: ThrottleForm[] = isFull
  ? [
      { throughput: 80, people: 4_500, before: 500, throttledMs: 60_000 },
      { throughput: 800, people: 45_000, before: 5_000, throttledMs: 60_000 },
    ]
  : [{ throughput: 80, people: 130, before: 60, throttledMs: 5_000 }];

for (const form of throttleForms) {
  const { throughput, people, before, throttledMs } = form;
  story(
    `turned away by the network for ${throttledMs / 1000} s at ${throughput} a second: nothing fails, it asks seldom, the pace comes back, each gets one`,
    async () => {
      using waxwing = await program();
      await using installation = await makeInstallation({
        people,
        throughput,
        command: waxwing.command,
        env: SETTLE,
        inDoubtAfter: "2s",
        isTalkative: true,
      });
      const server = installation.start();
      await server.started();
      const broadcast = await begin(installation, server, "turned away", 0);
      await untilSeen(installation, broadcast, before);
      await installation.setMood({ throttledForMs: throttledMs });
      const begunAt = Date.now();
      const endsAt = begunAt + throttledMs;
      await Bun.sleep(throttledMs);
      expect(await show(server, broadcast)).toMatchObject({ status: "running", counts: { failed: 0, skipped: 0 } });
      await until(
        "it is to be completed",
        () => show(server, broadcast),
        ({ status }) => status === "completed",
        throttledMs + RECOVERED_AFTER_MS + 60_000,
      );
      const throttled = await installation.throttled();
      const end = await judgeEnd(installation, server, broadcast, () => false);
      expect({ wrong: end.wrong, delivered: end.delivered }).toEqual({ wrong: [], delivered: people });
      expect((await endings(installation, broadcast)).size).toBe(1);

      // Whoever is on the way at first, then half as many each second, until hardly anybody is left.
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
      const { found, expected } = await expectedMoney(installation, people);
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
