/**
 * A network in trouble: consecutive failures on its side slow the number down and then pause its broadcasts, by answer
 * or by status, whatever their codes. And
 * statuses that concern every recipient: what they do when the broadcast is paused or finished, and when the message
 * belongs to no broadcast.
 */
import { expect, test } from "bun:test";
import { sleep } from "#src/core/clock.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { noStreak, type Result, streakAfter } from "#src/domain/messages/streak.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { markReady, markUnready } from "#src/domain/numbers/readiness.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import {
  broadcastOf,
  create,
  decide,
  expectClosed,
  HOUR,
  keptDirectory,
  MINUTE,
  notice,
  pause,
  phones,
  refusal,
  report,
  restart,
  resume,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { accepted, gate, pairThrottled, throttled, unknown } from "#test/support/fake-network.ts";

const taken = (outbound: OutboundMessage): Outcome => accepted(outbound);
const nameless = refusal("131000", "network");
const notThere = refusal("131026", "recipient");

/** Waits until this many messages are sent and none is reported on yet, and returns them. */
async function sendSome(scenario: Scenario, id: number, count: number): Promise<OutboundMessage[]> {
  await untilSent(scenario, count);
  expect((await show(scenario, id)).status).toBe("running");
  return scenario.network.sent.slice(0, count);
}

test("after any sequence of results the streak equals what a scan back over the sequence finds", () => {
  const failed = (code: string, scope: FailureScope): Result => ({
    kind: "failed",
    failure: { code, scope, message: `The network said ${code}.` },
  });
  const kinds: readonly (readonly [Result, "message" | "person" | "succeeded" | "unknown" | "other"])[] = [
    [{ kind: "succeeded" }, "succeeded"],
    [{ kind: "unknown" }, "unknown"],
    [failed("131000", "network"), "other"],
    [failed("131051", "message"), "message"],
    [failed("132012", "message"), "message"],
    [failed("131053", "message"), "message"],
    [failed("131026", "recipient"), "person"],
    [failed("131042", "account"), "other"],
  ];
  let seed = 1;
  const below = (max: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % max;
  };
  for (let round = 0; round < 2_000; round++) {
    const past = Array.from({ length: below(30) }, () => kinds[below(7) + below(2)] ?? kinds[0]).filter(
      (one) => one !== undefined,
    );
    const found = past.reduce((before, [result]) => streakAfter(before, result), noStreak);
    const since = past.slice(past.findLastIndex(([, kind]) => kind === "succeeded") + 1);
    // Neither failures of the recipient nor missing answers end a streak of failures of the message.
    const spoken = since.filter(([, kind]) => kind !== "person" && kind !== "unknown");
    const codes = spoken.map(([result, kind]) =>
      kind === "message" && result.kind === "failed" ? result.failure.code : null,
    );
    const parted = codes.findLastIndex((code) => code !== codes.at(-1));
    expect(found.repeats).toBe((codes.at(-1) ?? null) === null ? 0 : codes.length - 1 - parted);
    expect(found.code).toBe(codes.at(-1) ?? null);
  }
});

const FULL_PACE = 5;
/** One at a time: 1, 2, 4, … seconds apart. */
const SLOW = 10;

test("five failures on the network's side slow the number to one message at a time, and ten more pause the broadcast", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const between = [notThere, throttled(), pairThrottled()];
  scenario.network.next(unknown, nameless, refusal("17", "network"), ...between, unknown, unknown);
  scenario.network.always(unknown);
  const id = await run(scenario, notice(phones(60)));
  expect(scenario.network.sent.length).toBeLessThanOrEqual(FULL_PACE + between.length + 1);
  await scenario.app.clock.advance(30 * SECOND);
  // After 1, 2, 4, 8 and 16 seconds.
  expect(scenario.network.sent.length).toBeLessThanOrEqual(FULL_PACE + between.length + 5);
  expect((await show(scenario, id)).status).toBe("running");
  await scenario.app.clock.advance(6 * MINUTE);
  expect(broadcastOf(scenario, id)).toMatchObject({ status: "paused", pauseCause: "network" });
  expect((await show(scenario, id)).status_reason).toContain("the connection was reset");
  expect(scenario.network.sent.length).toBeLessThanOrEqual(FULL_PACE + between.length + SLOW);
  await expectClosed(scenario, id);
});

test("a recipient whom the network refuses for reasons of its own is sent to three more times, then the message has failed", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const [sick = "", ...others] = phones(30);
  scenario.network.always((outbound) => (outbound.to === sick ? nameless : accepted(outbound)));
  const id = await run(scenario, notice([sick, ...others]));
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 29, failed: 1 } });
  expect(scenario.network.sent.filter(({ to }) => to === sick)).toHaveLength(4);
});

test("a network that is well again after a pause is found by two probes a minute apart, and everybody gets one message", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const { network, app } = scenario;
  network.always(nameless);
  network.reachable(false);
  const id = await run(scenario, notice(phones(60)));
  await app.clock.advance(7 * MINUTE);
  expect(broadcastOf(scenario, id).pauseCause).toBe("network");
  const refusedCount = network.sent.length;
  await app.clock.advance(30 * MINUTE);
  expect(network.sent).toHaveLength(refusedCount);
  network.always(taken);
  network.reachable(true);
  await app.clock.advance(MINUTE);
  expect(network.sent).toHaveLength(refusedCount);
  await app.clock.advance(4 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 60, failed: 0 } });
});

test("after the pause one message at a time is sent, and the third pause within a day waits for a person", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const { network, app } = scenario;
  // The network answers queries, and refuses every message.
  network.always(unknown);
  const id = await run(scenario, notice(phones(200)));
  const pauses: number[] = [];
  for (let minute = 0; minute < 60 && broadcastOf(scenario, id).pauseCause !== "network_again"; minute++) {
    const before = broadcastOf(scenario, id).status;
    await app.clock.advance(MINUTE);
    if (before === "running" && broadcastOf(scenario, id).status === "paused") pauses.push(network.sent.length);
  }
  expect(broadcastOf(scenario, id).pauseCause).toBe("network_again");
  expect((await show(scenario, id)).status_reason).toContain("a person has to resume it");
  expect(network.sent.length).toBeLessThanOrEqual(FULL_PACE + 1 + 3 * (SLOW + 1));
  const sent = network.sent.length;
  await app.clock.advance(HOUR);
  expect(network.sent).toHaveLength(sent);
  network.always(taken);
  await resume(scenario, id);
  await app.clock.advance(15 * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
  expect(new Set(network.sent.map(({ to }) => to)).size).toBe(network.sent.length);
});

test("while the network is down a single message is refused at once, provably unsent, and its key stays unused", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const { app, shop, network } = scenario;
  network.always(nameless);
  network.reachable(false);
  await run(scenario, notice(phones(60)));
  await app.clock.advance(7 * MINUTE);
  const sent = network.sent.length;
  const body = { to: "+919876599999", template: "order_shipped" };
  const post = (more = {}) =>
    app.call("POST", "/api/v1/messages", {
      key: shop.key,
      body: { ...body, ...more },
      headers: { "idempotency-key": "one" },
    });
  const refusedAtOnce = await post();
  expect(refusedAtOnce.status).toBe(503);
  expect(refusedAtOnce.body.error.code).toBe("unavailable");
  expect(Number(refusedAtOnce.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(network.sent).toHaveLength(sent);
  const contact = await app.call("GET", "/api/v1/contacts/+919876599999", { key: shop.key });
  expect(contact.status).toBe(404);
  // What is wrong with the request itself is said first.
  expect((await post({ template: "unknown" })).body.error.code).toBe("template_not_found");
  network.always(taken);
  network.reachable(true);
  await app.clock.advance(3 * MINUTE);
  const body2 = app.call("POST", "/api/v1/messages", { key: shop.key, body, headers: { "idempotency-key": "two" } });
  await app.clock.advance(SECOND);
  expect((await body2).status).toBe(201);
});

test("by status: delivered and read end a streak; sent does not, nor does an answer", async () => {
  for (const [parting, isEnded] of [
    ["delivered", true],
    ["read", true],
    ["sent", false],
  ] as const) {
    await using scenario = await startScenario({ throughput: 45 });
    const id = await create(scenario, notice(phones(100)));
    const early = await sendSome(scenario, id, 9);
    await report(scenario, early.slice(0, 4), "failed", 131000);
    await report(scenario, early.slice(4, 5), parting);
    await report(scenario, early.slice(5, 6), "failed", 1);
    const sent = scenario.network.sent.length;
    await scenario.app.clock.advance(500);
    // At 45 a second, or one at most.
    expect([parting, scenario.network.sent.length - sent > 10]).toEqual([parting, isEnded]);
  }
});

test("the streak of a number survives a restart, and so does the number's being down", async () => {
  using kept = keptDirectory();
  const before = await startScenario({ throughput: 1 }, { directory: kept.directory });
  before.network.always(unknown);
  const id = await create(before, notice(phones(60)));
  await untilSent(before, 6);
  const after = await restart(before, SECOND);
  await after.app.clock.advance(6 * MINUTE);
  expect(broadcastOf(after, id).pauseCause).toBe("network");
  expect(after.network.sent.length).toBeLessThanOrEqual(FULL_PACE + SLOW + 2);
  after.network.reachable(false);
  await using last = await restart(after, SECOND);
  await last.app.clock.advance(10 * MINUTE);
  expect(broadcastOf(last, id).pauseCause).toBe("network");
  last.network.reachable(true);
  last.network.always(taken);
  await last.app.clock.advance(15 * MINUTE);
  expect((await show(last, id)).status).toBe("completed");
});

test("a network that falls silent leaves a second's worth of messages in doubt, not as many as may be in flight", async () => {
  await using scenario = await startScenario({ throughput: 80 });
  scenario.network.reachable(false);
  scenario.network.always(async () => {
    await sleep(scenario.app.clock, 10 * SECOND);
    return unknown;
  });
  const id = await create(scenario, notice(phones(600)));
  await scenario.app.clock.advance(15 * MINUTE);
  expect(broadcastOf(scenario, id).status).toBe("paused");
  expect(scenario.network.sent.length).toBeLessThanOrEqual(80 + 20 + SLOW);
});

test("once every message is dispatched, neither a streak of failures nor a status about the account keeps a broadcast from completing", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.always(unknown);
  const id = await run(scenario, notice(phones(10)));
  await scenario.app.clock.advance(15 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 10 } });
  await using other = await startScenario({ throughput: 10 });
  const all = await run(other, notice(phones(5)));
  await report(other, other.network.sent, "failed", 131042);
  await other.app.clock.advance(MINUTE);
  expect(await show(other, all)).toMatchObject({ status: "completed", counts: { failed: 5 } });
});

test("a status about the whole account also pauses a broadcast whose last recipient is throttled and requeued", async () => {
  await using scenario = await startScenario();
  const last = gate();
  scenario.network.next(taken, last.answer);
  const id = await create(scenario, notice(phones(2)));
  await scenario.app.clock.advance(SECOND);
  await report(scenario, scenario.network.sent.slice(0, 1), "failed", 131042);
  await scenario.app.clock.advance(SECOND);
  expect((await show(scenario, id)).status).toBe("running");
  last.open(throttled());
  await scenario.app.clock.advance(MINUTE);
  expect(broadcastOf(scenario, id)).toMatchObject({ status: "paused", pauseCause: "account" });
  expect(scenario.network.sent).toHaveLength(2);
});

test("a status about the account leaves a pause by a person, and replaces a pause that would end automatically", async () => {
  for (const [rest, cause] of [
    ["manual", "manual"],
    ["number", "account"],
  ] as const) {
    await using scenario = await startScenario({ throughput: 10 });
    const id = await create(scenario, notice(phones(60)));
    const early = await sendSome(scenario, id, 5);
    if (rest === "manual") await pause(scenario, id);
    else await scenario.app.store.write((tx) => void markUnready(tx, scenario.shop.numberId, "It was disconnected."));
    await scenario.app.clock.advance(SECOND);
    expect(broadcastOf(scenario, id).pauseCause).toBe(rest);
    await report(scenario, early.slice(0, 1), "failed", 131042);
    await scenario.app.clock.advance(SECOND);
    expect(broadcastOf(scenario, id).pauseCause).toBe(cause);
    await scenario.app.store.write((tx) => void markReady(tx, scenario.shop.numberId));
    const sent = scenario.network.sent.length;
    await scenario.app.clock.advance(HOUR);
    expect(scenario.network.sent).toHaveLength(sent);
  }
});

test("a status of a message sent before the broadcast was resumed does not pause it again", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const id = await create(scenario, notice(phones(60)));
  const early = await sendSome(scenario, id, 15);
  await report(scenario, early.slice(0, 1), "failed", 131042);
  await scenario.app.clock.advance(SECOND);
  expect((await show(scenario, id)).status).toBe("paused");
  await resume(scenario, id);
  await report(scenario, early.slice(1, 2), "failed", 131042);
  await report(scenario, early.slice(2), "failed", 131000);
  await scenario.app.clock.advance(SECOND);
  expect((await show(scenario, id)).status).toBe("running");
  await report(scenario, scenario.network.sent.slice(-1), "failed", 131042);
  await scenario.app.clock.advance(100);
  expect((await show(scenario, id)).status).toBe("paused");
});

test("a clock that is set back after a resume hides no status of what is sent after it", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const id = await create(scenario, notice(phones(60)));
  await sendSome(scenario, id, 5);
  await pause(scenario, id);
  await scenario.app.clock.advance(SECOND);
  await resume(scenario, id);
  const before = scenario.network.sent.length;
  scenario.app.clock.setWall(-MINUTE);
  await scenario.app.clock.advance(2 * SECOND);
  expect(scenario.network.sent.length).toBeGreaterThan(before);
  await report(scenario, scenario.network.sent.slice(-1), "failed", 131042);
  await scenario.app.clock.advance(100);
  expect((await show(scenario, id)).status).toBe("paused");
});

test("a template paused by status: the broadcast continues when the template is approved again, and not before", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const id = await create(scenario, notice(phones(30)));
  await report(scenario, await sendSome(scenario, id, 3), "failed", 132015);
  await scenario.app.clock.advance(SECOND);
  expect(broadcastOf(scenario, id).pauseCause).toBe("template");
  const sent = scenario.network.sent.length;
  await scenario.app.clock.advance(HOUR);
  expect(scenario.network.sent).toHaveLength(sent);
  await decide(scenario, "order_shipped", "PAUSED");
  await decide(scenario, "order_shipped", "APPROVED");
  await scenario.app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { failed: 3, sent: 27 } });
});

test("an unknown outcome that a status turns into a refusal of the account pauses the broadcast too", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  scenario.network.next(unknown);
  const id = await create(scenario, notice(phones(900)));
  await untilSent(scenario, 1);
  await scenario.app.clock.advance(11 * MINUTE);
  expect((await show(scenario, id)).counts.failed).toBe(1);
  await report(scenario, scenario.network.sent.slice(0, 1), "failed", 131031);
  await scenario.app.clock.advance(SECOND);
  expect(broadcastOf(scenario, id).pauseCause).toBe("account");
});

test("a late refusal of the account or the number makes the number unready, and a finished broadcast stays completed", async () => {
  await using scenario = await startScenario();
  const isReady = (): boolean => scenario.app.store.read((reading) => getNumber(reading, scenario.shop.numberId).ready);
  const id = await run(scenario, notice(phones(3)));
  await report(scenario, scenario.network.sent.slice(0, 1), "failed", 131042);
  expect([(await show(scenario, id)).status, isReady()]).toEqual(["completed", false]);
  await report(scenario, scenario.network.sent.slice(1), "failed", 133010);
  await scenario.app.clock.advance(SECOND);
  expect([(await show(scenario, id)).status, isReady()]).toEqual(["completed", false]);
});

test("a single message pauses nothing, whether its answer or a status refuses the account", async () => {
  await using scenario = await startScenario({ throughput: 5 });
  const { app, shop, network } = scenario;
  const body = { to: "+919876599999", template: "order_shipped" };
  const post = () => app.call("POST", "/api/v1/messages", { key: shop.key, body });
  network.next(refusal("131031", "account"));
  expect((await post()).status).toBe(502);
  const id = await create(scenario, notice(phones(30)));
  await untilSent(scenario, 4);
  await app.clock.advance(10 * SECOND);
  const single = (await post()).body.data.id;
  await report(scenario, network.sent.slice(-1), "failed", 131042);
  await app.clock.advance(SECOND);
  const shown = await app.call("GET", `/api/v1/messages/${single}`, { key: shop.key });
  expect(shown.body.data).toMatchObject({ status: "failed", error: { whatsapp_code: "131042" } });
  expect(app.store.read((reading) => getNumber(reading, shop.numberId).ready)).toBe(true);
  expect(["running", "completed"]).toContain((await show(scenario, id)).status);
});
