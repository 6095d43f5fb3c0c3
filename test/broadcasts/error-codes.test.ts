/**
 * Every error code of Meta's, as the answer and as a failed status, for a single message and for a broadcast: what is
 * sent, in which state everybody ends, why the broadcast stopped, who is in doubt, and what resumes automatically. The
 * expectations are `test/support/error-codes.ts`.
 */
import { expect, test } from "bun:test";
import { findNumber } from "#src/domain/numbers/read.ts";
import { markReady } from "#src/domain/numbers/readiness.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import {
  broadcastOf,
  create,
  MINUTE,
  notice,
  phones,
  rowsOf,
  type Scenario,
  SECOND,
  show,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import {
  answerOf,
  type BroadcastEnd,
  type CodeClass,
  type CodeClassName,
  classes,
  codes,
  DETAILS,
  isFull,
  reportFailed,
} from "#test/support/error-codes.ts";
import { accepted, networkIdOf } from "#test/support/fake-network.ts";
import { isLong } from "#test/support/long-form.ts";
import { reportStatus } from "#test/support/report.ts";

/**
 * The short form plays one code of each kind to fewer people, in longer steps once the number has slowed down, and not
 * longer than the broadcast needs to end. Each person of the kind "pair" is sent to again and again for half an hour.
 */
const peopleFor = (name: CodeClassName): number => (isLong ? 600 : (FEW[name] ?? 100));
const FEW: Partial<Record<CodeClassName, number>> = { pair: 10, person: 30, not_on_network: 30, window: 30 };
const LISTS = Object.entries(codes).map(([name, list]) => [name, isFull ? list : list.slice(-1)] as const);
const THROUGHPUT = 80;
const STEP_MS = 50;
const STATUS_AFTER_MS = 200;
const FAST_MS = isLong ? 10_000 : 4_000;
const SLOW_STEP_MS = isLong ? STATUS_AFTER_MS : 2_000;
const LIMIT_MS = isFull ? 1_800_000 : 60_000;
async function start(): Promise<Scenario> {
  const scenario = await startScenario({ throughput: THROUGHPUT });
  await scenario.app.clock.advance(SECOND);
  return scenario;
}

/** Lets the broadcast run for `ms`, and reports each message as failed shortly after it was sent. */
async function runFailing(scenario: Scenario, ms: number, code: number): Promise<void> {
  const { app, network } = scenario;
  const sentBy: number[] = [];
  let reported = 0;
  for (let passed = 0; passed < ms; ) {
    // Once the number has slowed down, the pauses are long.
    const step = passed < FAST_MS ? STEP_MS : SLOW_STEP_MS;
    passed += step;
    await app.clock.advance(step);
    sentBy.push(network.sent.length);
    const due = sentBy.at(-1 - Math.max(1, STATUS_AFTER_MS / step)) ?? 0;
    if (due === reported) continue;
    await reportFailed(scenario, network.sent.slice(reported, due), code);
    reported = due;
  }
}

/** Long enough for a network in trouble to be found down: its pauses grow to a minute. */
const LONG_MS = 7 * MINUTE;

async function expectEnd(
  scenario: Scenario,
  id: number,
  end: BroadcastEnd,
  { code, people }: { code: number; people: number },
): Promise<void> {
  const shown = await show(scenario, id);
  const { network } = scenario;
  const sends = network.sent.length;
  expect({ status: shown.status, cause: broadcastOf(scenario, id).pauseCause }).toEqual({
    status: end.status,
    cause: end.cause as never,
  });
  if (end.sends === "all") expect(new Set(network.sent.map(({ to }) => to)).size).toBe(people);
  else expect(sends).toBeLessThanOrEqual(end.sends);
  const inDoubt = rowsOf(scenario, id).filter(({ status, outcomeUnknown }) => outcomeUnknown && status === "sending");
  const failed = rowsOf(scenario, id).filter(({ status }) => status === "failed");
  const expected = { none: 0, in_doubt: 0, sent: end.sends === "all" ? people : sends }[end.failed];
  expect(failed.length).toBe(expected);
  for (const { errorMessage } of failed) expect(errorMessage).toContain(DETAILS);
  if (end.failed !== "in_doubt") expect(inDoubt).toHaveLength(0);
  else {
    expect(inDoubt.length).toBeGreaterThan(0);
    const doubtful = rowsOf(scenario, id).filter(({ outcomeUnknown }) => outcomeUnknown).length;
    expect(doubtful).toBe(sends);
  }
  if (end.status !== "completed") {
    if (end.cause !== "throttled") expect(shown.status_reason).toContain(String(code));
    expect(shown.status_reason).toContain(DETAILS);
  }
}

/** The network is well from now on: everybody who is left gets exactly one message, if the class says so. */
async function expectResumption(scenario: Scenario, id: number, code: CodeClass): Promise<void> {
  const { app, network } = scenario;
  network.always((outbound) => accepted(outbound));
  const before = network.sent.length;
  const minutes = code.resumesAfterMinutes;
  await app.clock.advance((minutes ?? 60) * MINUTE);
  if (minutes === null) {
    expect(network.sent.length).toBe(before);
    return;
  }
  // A recipient in doubt keeps the broadcast running until the wait for an echo ends.
  await app.clock.advance((code.answer.failed === "in_doubt" ? 15 : 3) * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
}

/** Broadcasts that end in another way than stopping take their own time. */
function durationOf(name: CodeClassName, source: "answer" | "status"): number {
  if (source === "answer" && name === "pair") return isLong ? 40 * MINUTE : 32 * MINUTE;
  if (source === "answer" && name === "throttled") return isLong ? 40 * MINUTE : 17 * MINUTE;
  const { cause, sends } = classes[name][source];
  if (cause === "network") return LONG_MS;
  return (sends === "all" ? peopleFor(name) / THROUGHPUT : 0) * SECOND + (isLong ? 5 : 2) * SECOND;
}

for (const [name, list] of LISTS as [CodeClassName, readonly number[]][]) {
  const expected: CodeClass = classes[name];
  const people = peopleFor(name);

  test(
    `codes of the kind "${name}" as the answer stop a broadcast as the table says`,
    async () => {
      for (const code of list) {
        await using scenario = await start();
        scenario.network.always(answerOf(code));
        const id = await create(scenario, notice(phones(people)));
        await scenario.app.clock.advance(durationOf(name, "answer"));
        await expectEnd(scenario, id, expected.answer, { code, people });
        const number = scenario.app.store.read((tx) => findNumber(tx, scenario.shop.numberId));
        expect([code, number?.ready]).toEqual([code, expected.stops !== "number"]);
        if (expected.answer.status === "paused") await expectResumption(scenario, id, expected);
      }
    },
    LIMIT_MS,
  );

  test(
    `codes of the kind "${name}" in statuses stop a broadcast as the table says`,
    async () => {
      for (const code of list) {
        await using scenario = await start();
        const id = await create(scenario, notice(phones(people)));
        await runFailing(scenario, durationOf(name, "status"), code);
        await expectEnd(scenario, id, expected.status, { code, people });
      }
    },
    LIMIT_MS,
  );

  test(
    `codes of the kind "${name}" answer a single message as the table says`,
    async () => {
      for (const code of list) {
        await using scenario = await start();
        const { app, shop, network } = scenario;
        network.always(answerOf(code));
        const [to = ""] = phones(1);
        const asked = app.call("POST", "/api/v1/messages", { key: shop.key, body: { to, template: "order_shipped" } });
        await app.clock.advance(10 * SECOND);
        const { status, body } = await asked;
        expect([code, status, body.error.code]).toEqual([code, ...expected.single]);
        if (status !== 429) expect(body.error.message).toContain(name === "doubtful" ? "may have arrived" : DETAILS);
      }
    },
    LIMIT_MS,
  );
}

test("a single message that a status fails with any code says why, in the network's own words too", async () => {
  await using scenario = await start();
  await scenario.app.store.write((tx) => {
    const number = findNumber(tx, scenario.shop.numberId);
    if (number !== undefined) updateNumber(tx, number, { throughput: 1_000 });
  });
  const { app, shop, network } = scenario;
  const all = Object.values(codes).flat();
  const people = phones(all.length);
  for (const [index, code] of all.entries()) {
    const body = { to: people[index], template: "order_shipped" };
    const asked = app.call("POST", "/api/v1/messages", { key: shop.key, body });
    await app.clock.advance(SECOND);
    const { body: sent } = await asked;
    await reportFailed(scenario, network.sent.slice(-1), code);
    const shown = await app.call("GET", `/api/v1/messages/${sent.data.id}`, { key: shop.key });
    expect(shown.body.data).toMatchObject({ status: "failed", error: { whatsapp_code: String(code) } });
    expect(shown.body.data.error.message).toContain(DETAILS);
    await mend(scenario);
    // Five consecutive failures of the network would slow the number down.
    if (index % 3 === 2) await report(scenario);
  }
});

/** What a code has stopped is right again. */
async function mend({ app, shop }: Scenario): Promise<void> {
  await app.store.write((tx) => {
    markReady(tx, shop.numberId);
    decideByName(tx, shop.id, "order_shipped", "en_US", "APPROVED", null);
  });
}

/** Ends the streak of failures: one message is delivered. */
async function report(scenario: Scenario): Promise<void> {
  const { app, shop, network } = scenario;
  const body = { to: "+919876599998", template: "order_shipped" };
  const asked = app.call("POST", "/api/v1/messages", { key: shop.key, body });
  await app.clock.advance(SECOND);
  await asked;
  const [last] = network.sent.slice(-1);
  if (last === undefined) throw new Error("nothing was sent");
  await reportStatus(app, shop, { id: networkIdOf(last), status: "delivered", sendToken: last.sendToken });
}
