/**
 * A broadcast at full speed that is stopped from outside: cancelled by the API, or paused and resumed by the command
 * line in another process. Afterwards at most the messages in flight still arrive at the network, which records the
 * time of each request. The short form runs from source; the full form, on the executable:
 *
 *   bun run test:crash broadcast-cancel
 */
import { expect, test } from "bun:test";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import {
  answersThatLeave,
  begin,
  checkEnd,
  dispatchedBetween,
  endings,
  expectedMoney,
  expectSound,
  MAX_IN_FLIGHT,
  makeLiveInstallation,
  type Recipient,
  recipientsOf,
  requestsOf,
  untilSeen,
  untilStatus,
} from "#test/support/live-broadcast.ts";

const FAR_AHEAD_MS = 3_600_000;
/**
 * A network that answers soon, one with many open requests, and one that throttles every request from the moment of the
 * cancel.
 */
const moods = [
  { answerWithinMs: 40 },
  { answerWithinMs: isFull ? 600 : 300 },
  { answerWithinMs: 200, throttledForMs: 1_500 },
];
const isLeftOut = ({ status, reason }: Recipient): boolean => status === "skipped" && reason === "broadcast cancelled";
/** The short form runs its tests concurrently, because part of their time is waiting. */
const scenario = isFull ? test : test.concurrent;

const cancels = roundsOf(12, 3);
const cancelForm = isFull ? { people: 5_000, throughput: 900 } : { people: 500, throughput: 500 };

scenario(
  "a cancel at full speed: after its response nothing is sent, every recipient is accounted for, and only delivered messages are charged",
  async () => {
    using waxwing = await program();
    await using installation = await makeLiveInstallation({
      people: cancelForm.people * cancels,
      lists: cancels,
      throughput: cancelForm.throughput,
      command: waxwing.command,
    });
    const server = installation.start();
    await server.started();
    let deliveredInAll = 0;
    const measurements = { stopped: [] as number[], late: [] as number[] };
    for (let round = 0; round < cancels; round++) {
      const { answerWithinMs = 40, throttledForMs } = moods[round % moods.length] ?? {};
      const maxAnswers = answersThatLeave(1, cancelForm);
      await installation.setMood({ answerWithinMs, deliveredShare: 0.7, maxAnswers });
      const broadcast = await begin(installation, server, `round ${round}`, round);
      await untilSeen(installation, broadcast, Math.ceil(Math.random() * maxAnswers));
      if (throttledForMs !== undefined) {
        await installation.setMood({ throttledForMs });
        await Bun.sleep(Math.random() * answerWithinMs);
      }
      const answer = await server.call("POST", `/broadcasts/${broadcast.id}/cancel`);
      const answeredAt = Date.now();
      await installation.setMood({ maxAnswers: null });
      expect(answer).toMatchObject({ status: 200, body: { data: { id: broadcast.id, status: "cancelled" } } });

      const end = await checkEnd(installation, server, broadcast, isLeftOut);
      const late = end.requests.filter(({ at }) => at > answeredAt).length;
      expect(end.wrong).toEqual([]);
      expect(end.shown.status).toBe("cancelled");
      expect(end.requests.length).toBeLessThan(cancelForm.people);
      expect(late).toBeLessThanOrEqual(MAX_IN_FLIGHT);
      expect(dispatchedBetween(installation, broadcast, answeredAt + 1, answeredAt + FAR_AHEAD_MS)).toBe(0);
      expect((await endings(installation, broadcast)).size).toBe(1);
      deliveredInAll += end.delivered;
      measurements.stopped.push(end.requests.length);
      measurements.late.push(late);
    }
    const { found, expected } = await expectedMoney(installation, deliveredInAll);
    expect(found).toEqual(expected);
    expect(await server.stop()).toBe(0);
    await expectSound(installation);
    console.log(
      `${cancels} cancels of broadcasts to ${cancelForm.people} at ${cancelForm.throughput} a second, after ${measurements.stopped.join(", ")} people; ` +
        `arrived after the answer: ${measurements.late.join(", ")}; ${deliveredInAll} delivered and charged`,
    );
  },
  isFull ? 60_000 + cancels * 30_000 : 60_000,
);

const BUILT_WITHIN_MS = isFull ? 150 : 20;

scenario(
  "a cancel while the recipients are being built: no recipient is added or sent to, and nothing stays held",
  async () => {
    using waxwing = await program();
    await using installation = await makeLiveInstallation({
      people: cancelForm.people * cancels,
      lists: cancels,
      throughput: cancelForm.throughput,
      command: waxwing.command,
    });
    const server = installation.start();
    await server.started();
    let deliveredInAll = 0;
    const built: number[] = [];
    for (let round = 0; round < cancels; round++) {
      const broadcast = await begin(installation, server, `round ${round}`, round);
      await Bun.sleep(Math.random() * BUILT_WITHIN_MS);
      expect(await server.call("POST", `/broadcasts/${broadcast.id}/cancel`)).toMatchObject({ status: 200 });
      const there = (await recipientsOf(server, broadcast.id)).map(({ to }) => to);
      expect(broadcast.people).toEqual(expect.arrayContaining(there));
      const end = await checkEnd(installation, server, { ...broadcast, people: there }, isLeftOut);
      expect(end.wrong).toEqual([]);
      expect((await endings(installation, broadcast)).size).toBe(1);
      deliveredInAll += end.delivered;
      built.push(there.length);
    }
    const { found, expected } = await expectedMoney(installation, deliveredInAll);
    expect(found).toEqual(expected);
    expect(await server.stop()).toBe(0);
    await expectSound(installation);
    console.log(`${cancels} cancels while ${cancelForm.people} recipients were being built, after ${built.join(", ")}`);
  },
  isFull ? 60_000 + cancels * 10_000 : 60_000,
);

/** How another process stops the broadcast and lets it continue. */
const ways = [
  { stop: (id: string) => ["broadcast", "pause", id], go: (id: string) => ["broadcast", "resume", id] },
  { stop: () => ["workspace", "suspend", "1", "--reason", "unpaid"], go: () => ["workspace", "resume", "1"] },
  { stop: () => ["number", "unready", "1", "--reason", "moved"], go: () => ["number", "ready", "1"] },
] as const;
const pauses = roundsOf(12, 2);
const pauseForm = isFull ? { people: 5_000, throughput: 800 } : { people: 500, throughput: 250 };

scenario(
  "paused, suspended or set to not ready by a command at full speed: nothing is sent until the broadcast resumes, and every recipient gets one message",
  async () => {
    using waxwing = await program();
    await using installation = await makeLiveInstallation({
      ...pauseForm,
      command: waxwing.command,
    });
    await installation.setMood({ answerWithinMs: 200 });
    const server = installation.start();
    await server.started();
    const broadcast = await begin(installation, server, "paused often", 0);
    const late: number[] = [];
    for (let pause = 0; pause < pauses; pause++) {
      const before = (await requestsOf(installation, broadcast)).length;
      // The broadcast has made progress each time, and enough recipients are left for the next pauses.
      const share = (pauseForm.people - before) / (pauses - pause + 1);
      await installation.setMood({ maxAnswers: answersThatLeave(1, pauseForm) });
      await untilSeen(installation, broadcast, before + Math.ceil(Math.random() * share * 0.7));
      const { stop, go } = ways[pause % ways.length] ?? ways[0];
      const stopped = await installation.command(...stop(String(broadcast.id))).ended;
      const pausedAt = Date.now();
      await installation.setMood({ maxAnswers: null });
      expect(stopped).toMatchObject({ code: 0 });
      await Bun.sleep(Math.random() * 300);
      const resumedAt = Date.now();
      expect(await installation.command(...go(String(broadcast.id))).ended).toMatchObject({ code: 0 });
      expect(dispatchedBetween(installation, broadcast, pausedAt, resumedAt)).toBe(0);
      const requests = await requestsOf(installation, broadcast);
      late.push(requests.filter(({ at }) => at > pausedAt && at < resumedAt).length);
    }
    await untilStatus(server, broadcast, "completed");
    const end = await checkEnd(installation, server, broadcast, () => false);
    expect(end.wrong).toEqual([]);
    expect(end.delivered).toBe(pauseForm.people);
    expect(Math.max(...late)).toBeLessThanOrEqual(MAX_IN_FLIGHT);
    expect((await endings(installation, broadcast)).size).toBe(1);
    const { found, expected } = await expectedMoney(installation, end.delivered);
    expect(found).toEqual(expected);
    expect(await server.stop()).toBe(0);
    await expectSound(installation);
    console.log(`${pauses} stops by the command line; arrived while it was stopped: ${late.join(", ")}`);
  },
  isFull ? 60_000 + pauses * 10_000 : 60_000,
);
