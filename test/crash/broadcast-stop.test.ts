/**
 * A server that is asked to stop (SIGTERM) repeatedly in the middle of a broadcast, while the network is slow to
 * answer; and two broadcasts on one number, with single messages in between. The short form runs from source; the full
 * form, on the executable, with answers that take up to nine seconds:
 *
 *   bun run test:crash broadcast-stop
 */
import { expect, test } from "bun:test";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { LABELLED } from "#test/support/installation.ts";
import {
  answersThatLeave,
  begin,
  checkEnd,
  countOpen,
  endings,
  expectedMoney,
  expectSound,
  makeLiveInstallation,
  requestsOf,
  show,
  untilSeen,
  untilStatus,
} from "#test/support/live-broadcast.ts";

/** The short form runs its tests concurrently, because part of their time is waiting. */
const scenario = isFull ? test : test.concurrent;
const FINISHED = ["completed", "cancelled", "failed"];

const stops = roundsOf(12, 2);
const stopForm = isFull ? { people: 6_000, throughput: 400 } : { people: 600, throughput: 300 };
const answers = isFull ? [40, 1_000, 9_000] : [40, 1_000];
/** From the last answer to the end of the process, and from the start to the first message, on a busy machine. */
const PROMPT_MS = 3_000;

scenario(
  "stopped in the middle of a broadcast: messages in flight are awaited, none is left in doubt, and the next start continues at once",
  async () => {
    using waxwing = await program();
    await using installation = await makeLiveInstallation({
      ...stopForm,
      command: waxwing.command,
      inDoubtAfter: "10m",
    });
    let server = installation.start();
    await server.started();
    const broadcast = await begin(installation, server, "stopped often", 0);
    const measurements = { stopMs: [] as number[], goOnMs: [] as number[] };
    for (let stop = 0; stop < stops; stop++) {
      const answerWithinMs = answers[stop % answers.length] ?? 0;
      await installation.setMood({ answerWithinMs, maxAnswers: answersThatLeave(1, stopForm) });
      const before = (await requestsOf(installation, broadcast)).length;
      const share = (stopForm.people - before) / (stops - stop + 1);
      // The first stop may happen while the recipients are still being built.
      const more = stop === 0 && Math.random() < 0.5 ? 0 : Math.ceil(Math.random() * Math.min(share, 150));
      await untilSeen(installation, broadcast, before + more);
      const askedAt = performance.now();
      const stopped = server.stop();
      await installation.setMood({ maxAnswers: null });
      expect(await stopped).toBe(0);
      const stopMs = performance.now() - askedAt;
      expect(stopMs).toBeLessThan(answerWithinMs + PROMPT_MS);
      expect(await server.complaints()).not.toContain('"error"');
      expect(countOpen(installation)).toBe(0);
      await expectSound(installation);

      await installation.setMood({ answerWithinMs: 40 });
      const seen = (await requestsOf(installation, broadcast)).length;
      server = installation.start();
      await server.started();
      const listenedAt = performance.now();
      await untilSeen(installation, broadcast, seen + 1);
      const goOnMs = performance.now() - listenedAt;
      expect(goOnMs).toBeLessThan(PROMPT_MS);
      measurements.stopMs.push(stopMs);
      measurements.goOnMs.push(goOnMs);
    }
    await untilStatus(server, broadcast, "completed");
    const end = await checkEnd(installation, server, broadcast, () => false);
    expect({ wrong: end.wrong, delivered: end.delivered }).toEqual({ wrong: [], delivered: stopForm.people });
    expect((await endings(installation, broadcast)).size).toBe(1);
    const { found, expected } = await expectedMoney(installation, end.delivered);
    expect(found).toEqual(expected);
    expect(await server.stop()).toBe(0);
    const whole = (values: readonly number[]): string => values.map((value) => value.toFixed(0)).join(", ");
    console.log(
      `${stops} stops while the network answers within ${answers.join(", ")} ms: ended after ${whole(measurements.stopMs)} ms, ` +
        `none in doubt; the next life sent ${whole(measurements.goOnMs)} ms after it listened`,
    );
  },
  isFull ? 60_000 + stops * 20_000 : 60_000,
);

const turnForm = isFull ? { people: 6_000, throughput: 500 } : { people: 500, throughput: 250 };
const SINGLE_EVERY_MS = 40;
/** A single message waits only for its own turn: behind the lists it would be seconds. Other tests take the processors. */
const SINGLE_MEDIAN_MS = isFull ? 400 : 1_000;
/**
 * A recipient of both broadcasts gets the second message this much later; the tolerance covers when the network reads
 * its requests.
 */
const PAIR_PACE_MS = 5_900;

scenario(
  "two broadcasts on one number and single messages in between: they take turns, singles go first, each gets what was meant for them",
  async () => {
    using waxwing = await program();
    await using installation = await makeLiveInstallation({
      ...turnForm,
      lists: 2,
      command: waxwing.command,
    });
    const server = installation.start();
    await server.started();
    const first = await begin(installation, server, "first", 0);
    const second = await begin(installation, server, "second", 1);
    // Some people are recipients of two broadcasts; the short form has no time for that.
    const shared = (installation.lists[0]?.people ?? []).slice(0, isFull ? 200 : 0);
    if (isFull) {
      const order = { name: "third", template: LABELLED, variables: ["third"], to: shared };
      expect(await server.call("POST", "/broadcasts", order)).toMatchObject({ status: 202 });
    }
    const singles: Promise<{ ms: number; status: number | undefined }>[] = [];
    for (let count = 0; ; count++) {
      const to = `+9197${String(count).padStart(8, "0")}`;
      const askedAt = performance.now();
      const body = { to, template: LABELLED, variables: ["single"] };
      singles.push(
        server
          .call("POST", "/messages", body)
          .then((answer) => ({ ms: performance.now() - askedAt, status: answer?.status })),
      );
      await Bun.sleep(SINGLE_EVERY_MS);
      if (FINISHED.includes((await show(server, first)).status)) break;
    }
    const answered = await Promise.all(singles);
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([201]));
    const slow = answered.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const median = slow[Math.floor(slow.length / 2)] ?? 0;
    expect(median).toBeLessThan(SINGLE_MEDIAN_MS);
    for (const broadcast of [first, second]) {
      await untilStatus(server, broadcast, "completed");
      const end = await checkEnd(installation, server, broadcast, () => false);
      expect({ wrong: end.wrong, delivered: end.delivered }).toEqual({ wrong: [], delivered: turnForm.people / 2 });
      expect((await endings(installation, broadcast)).size).toBe(1);
    }
    if (isFull) {
      const third = { id: 3, label: "third", people: shared };
      await untilStatus(server, third, "completed");
      expect((await checkEnd(installation, server, third, () => false)).wrong).toEqual([]);
    }
    const requests = await installation.requests();
    // While both broadcasts had recipients left, each had its share.
    const ends = [first, second].map(({ label }) => requests.findLastIndex((request) => request.label === label));
    const begins = [first, second].map(({ label }) => requests.findIndex((request) => request.label === label));
    const together = requests.slice(Math.max(...begins), Math.min(...ends));
    const ofFirst = together.filter(({ label }) => label === first.label).length;
    const ofSecond = together.filter(({ label }) => label === second.label).length;
    expect(ofFirst / ofSecond).toBeGreaterThan(0.7);
    expect(ofFirst / ofSecond).toBeLessThan(1.5);
    expect(requests.filter(({ label }) => label === "single").length).toBe(answered.length);
    let closest = Number.POSITIVE_INFINITY;
    for (const person of shared) {
      const [one, two] = requests.filter(({ to }) => to === person);
      closest = Math.min(closest, (two?.at ?? 0) - (one?.at ?? 0));
    }
    expect(closest).toBeGreaterThan(PAIR_PACE_MS);
    expect(await server.stop()).toBe(0);
    await expectSound(installation);
    console.log(
      `two broadcasts at ${turnForm.throughput} a second together: ${ofFirst} and ${ofSecond} while both ran; ${answered.length} single messages, ` +
        `median ${median.toFixed(0)} ms, slowest ${slow.at(-1)?.toFixed(0)} ms${shared.length === 0 ? "" : `; ${shared.length} people in two, at least ${closest} ms apart`}`,
    );
  },
  isFull ? 180_000 : 60_000,
);
