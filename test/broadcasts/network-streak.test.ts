/**
 * Consecutive failures on the network's side: ten pause a broadcast, by answer or by status, whatever their codes. And
 * statuses that concern every recipient: what they do when the broadcast is paused or finished, and when the message
 * belongs to no broadcast.
 */
import { expect, test } from "bun:test";
import { sleep } from "#src/core/clock.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { type Failure, noStreaks, type Result, streaksAfter } from "#src/domain/messages/streak.ts";
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
} from "#test/support/broadcast-stories.ts";
import { accepted, gate, pairThrottled, throttled, unknown } from "#test/support/fake-network.ts";

const taken = (outbound: OutboundMessage): Outcome => accepted(outbound);
const nameless = refusal("131000", "network");
const notThere = refusal("131026", "recipient");

function repeat<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

async function isBroken(scenario: Scenario, id: number): Promise<boolean> {
  await scenario.app.clock.advance(MINUTE);
  return (await show(scenario, id)).status === "paused" && broadcastOf(scenario, id).pauseCause === "breaker";
}

/** Waits until this many messages are sent and none is reported on yet, and returns them. */
async function sendSome(scenario: Scenario, id: number, count: number): Promise<OutboundMessage[]> {
  await untilSent(scenario, count);
  expect((await show(scenario, id)).status).toBe("running");
  return scenario.network.sent.slice(0, count);
}

test("after any sequence of results the streaks equal what a scan back over the sequence finds", () => {
  const failed = (code: string, scope: Failure["scope"]): Result => ({
    kind: "failed",
    failure: { code, scope, message: `The network said ${code}.` },
  });
  const kinds: readonly (readonly [Result, "network" | "message" | "person" | "succeeded" | "other"])[] = [
    [{ kind: "succeeded" }, "succeeded"],
    [{ kind: "unknown", message: "no answer" }, "network"],
    [failed("131000", "network"), "network"],
    [failed("139999", "network"), "network"],
    [failed("131051", "message"), "network"],
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
    const past = Array.from({ length: below(30) }, () => kinds[below(8) + below(2)] ?? kinds[0]).filter(
      (one) => one !== undefined,
    );
    const found = past.reduce((before, [result]) => streaksAfter(before, result), noStreaks);
    const since = past.slice(past.findLastIndex(([, kind]) => kind === "succeeded") + 1);
    expect(found.failures).toBe(since.filter(([, kind]) => kind === "network").length);
    // Neither failures of the recipient nor missing answers end a streak of failures of the message.
    const spoken = since.filter(([result, kind]) => kind !== "person" && result.kind !== "unknown");
    const codes = spoken.map(([result, kind]) =>
      kind === "message" && result.kind === "failed" ? result.failure.code : null,
    );
    const parted = codes.findLastIndex((code) => code !== codes.at(-1));
    expect(found.repeats).toBe((codes.at(-1) ?? null) === null ? 0 : codes.length - 1 - parted);
    expect(found.code).toBe(codes.at(-1) ?? null);
  }
});

test("ten consecutive network failures of any kinds pause a broadcast, with or without failures of recipients between them", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  const between = [notThere, throttled(), pairThrottled()];
  const failures = [unknown, nameless, refusal("17", "network"), refusal("131051", "message")];
  scenario.network.next(...failures, ...failures, ...between, unknown);
  scenario.network.always(nameless);
  const id = await run(scenario, notice(phones(60)));
  expect(await isBroken(scenario, id)).toBe(true);
  expect((await show(scenario, id)).status_reason).toContain("The network said 131000. (error 131000)");
  expect(scenario.network.sent).toHaveLength(10 + between.length);
  await expectClosed(scenario, id);
});

test("neither nine consecutive network failures nor eighteen around an acceptance pause a broadcast", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.next(...repeat(9, nameless), taken, ...repeat(9, unknown), taken);
  const id = await run(scenario, notice(phones(20)));
  expect(await isBroken(scenario, id)).toBe(false);
  await scenario.app.clock.advance(11 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 2, failed: 18 } });
});

test("refusals of the message end no streak of network failures: a mixture of both kinds pauses the broadcast too", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.next(...repeat(30, [refusal("131053", "message"), nameless]).flat());
  const id = await run(scenario, notice(phones(60)));
  expect(await isBroken(scenario, id)).toBe(true);
  expect(scenario.network.sent).toHaveLength(20);
});

test("only a person resumes a broadcast after network failures, and then it takes ten again", async () => {
  await using scenario = await startScenario({ throughput: 10 });
  scenario.network.next(...repeat(19, nameless), taken);
  const id = await run(scenario, notice(phones(20)));
  expect(await isBroken(scenario, id)).toBe(true);
  await scenario.app.clock.advance(HOUR);
  expect(scenario.network.sent).toHaveLength(10);
  await resume(scenario, id);
  await scenario.app.clock.advance(MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 1, failed: 19 } });
});

test("by status: delivered and read end a streak; sent does not, nor does an answer", async () => {
  for (const [parting, isEnded] of [
    ["delivered", true],
    ["read", true],
    ["sent", false],
  ] as const) {
    await using scenario = await startScenario({ throughput: 45 });
    const id = await create(scenario, notice(phones(100)));
    const early = await sendSome(scenario, id, 11);
    await report(scenario, early.slice(0, 5), "failed", 131000);
    await report(scenario, early.slice(5, 6), parting);
    await report(scenario, early.slice(6, 10), "failed", 139999);
    await scenario.app.clock.advance(100);
    expect([parting, (await show(scenario, id)).status]).toEqual([parting, "running"]);
    await report(scenario, early.slice(10), "failed", 130429);
    await scenario.app.clock.advance(100);
    expect([parting, (await show(scenario, id)).status]).toEqual([parting, isEnded ? "running" : "paused"]);
  }
});

test("network failures by answer and by status are counted separately, and a status that comes twice counts once", async () => {
  await using scenario = await startScenario({ throughput: 45 });
  scenario.network.next(...repeat(9, taken), ...repeat(9, nameless));
  const id = await create(scenario, notice(phones(100)));
  const early = await sendSome(scenario, id, 9);
  for (let times = 0; times < 2; times++) await report(scenario, early, "failed", 131000);
  expect(await isBroken(scenario, id)).toBe(false);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("the streaks survive a restart", async () => {
  using kept = keptDirectory();
  const before = await startScenario({ throughput: 1 }, { directory: kept.directory });
  before.network.always(nameless);
  const id = await create(before, notice(phones(60)));
  await untilSent(before, 6);
  await using after = await restart(before, SECOND);
  expect(await isBroken(after, id)).toBe(true);
  expect(after.network.sent).toHaveLength(10);
});

test("with many messages in flight, no more than those are sent before the broadcast pauses", async () => {
  await using scenario = await startScenario({ throughput: 1_000 });
  scenario.network.always(async () => {
    await sleep(scenario.app.clock, SECOND);
    return unknown;
  });
  const id = await run(scenario, notice(phones(600)));
  expect(await isBroken(scenario, id)).toBe(true);
  // 200 in flight, and one more for each of the nine answers that came before the tenth.
  expect(scenario.network.sent).toHaveLength(209);
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

test("a status that makes the number unready leaves a finished broadcast as it is", async () => {
  await using scenario = await startScenario();
  const isReady = (): boolean => scenario.app.store.read((reading) => getNumber(reading, scenario.shop.numberId).ready);
  const id = await run(scenario, notice(phones(3)));
  await report(scenario, scenario.network.sent.slice(0, 1), "failed", 131042);
  expect([(await show(scenario, id)).status, isReady()]).toEqual(["completed", true]);
  await report(scenario, scenario.network.sent.slice(1), "failed", 133010);
  await scenario.app.clock.advance(SECOND);
  expect([(await show(scenario, id)).status, isReady()]).toEqual(["completed", false]);
});

test("a single message pauses nothing, whether its answer or a status refuses the account", async () => {
  await using scenario = await startScenario({ throughput: 5 });
  const { app, shop, network } = scenario;
  const body = { to: "+919876599999", template: "order_shipped" };
  const post = () => app.call("POST", "/api/v1/messages", { key: shop.key, body });
  network.next(refusal("133010", "number"));
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
