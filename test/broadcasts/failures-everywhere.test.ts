/**
 * One message meets an error code: a single message, or the only recipient of a list; as the answer, or later by status;
 * before, during or after another broadcast of the same number and template. What follows for everybody else does not
 * depend on source and time: `test/support/error-codes.ts` says it for each kind of code. All codes under `ERROR_CODES_FULL=1`; else one
 * of each kind, in three of the twelve cases, so that every case is played.
 */
import { expect, test } from "bun:test";
import { findNumber } from "#src/domain/numbers/read.ts";
import { markReady } from "#src/domain/numbers/readiness.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import {
  create,
  MINUTE,
  notice,
  phones,
  post,
  resume,
  type Scenario,
  SECOND,
  show,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import {
  answerOf,
  type CodeClass,
  type CodeClassName,
  classes,
  codes,
  DETAILS,
  isFull,
  reportFailed,
} from "#test/support/error-codes.ts";
import { accepted } from "#test/support/fake-network.ts";

type Source = "answer" | "status";
type Phase = "before" | "during" | "after";
type What = "single" | "list";

const TARGET = "+919876599991";
const PEOPLE = 20;
const cases = (["answer", "status"] as const).flatMap((source) =>
  (["before", "during", "after"] as const).flatMap((phase) =>
    (["single", "list"] as const).map((what) => ({ source, phase, what })),
  ),
);

function stateOf({ app, shop }: Scenario) {
  return app.store.read((tx) => ({
    number: findNumber(tx, shop.numberId),
    template: findTemplate(tx, shop.id, "order_shipped", "en_US"),
  }));
}

/** The template's status and that of a broadcast under way. */
function after(stops: CodeClass["stops"]): { templateStatus: string; paused: string } {
  switch (stops) {
    case undefined:
      return { templateStatus: "APPROVED", paused: "completed" };
    case "number":
      return { templateStatus: "APPROVED", paused: "paused" };
    case "template":
      return { templateStatus: "PAUSED", paused: "paused" };
    case "template_for_good":
      return { templateStatus: "DISABLED", paused: "failed" };
  }
}

/** One message leaves and meets the code. */
async function meet(scenario: Scenario, code: number, source: Source, what: What): Promise<void> {
  const { app, shop, network } = scenario;
  const answer = source === "answer" ? answerOf(code) : null;
  network.always((outbound) => (outbound.to === TARGET && answer !== null ? answer : accepted(outbound)));
  if (what === "list") {
    await create(scenario, notice([TARGET]));
    await app.clock.advance(3 * SECOND);
  } else {
    const asked = app.call("POST", "/api/v1/messages", {
      key: shop.key,
      body: { to: TARGET, template: "order_shipped" },
    });
    await app.clock.advance(10 * SECOND);
    await asked;
  }
  if (source === "answer") return;
  const met = network.sent.filter(({ to }) => to === TARGET);
  expect(met).toHaveLength(1);
  await reportFailed(scenario, met, code);
  await app.clock.advance(SECOND);
}

async function play(code: number, kind: CodeClass, source: Source, phase: Phase, what: What): Promise<void> {
  // A single message is refused alone.
  const stops = what === "list" || kind.stopsBySingle === true ? kind.stops : undefined;
  await using scenario = await startScenario({ throughput: phase === "during" ? 1 : 80 });
  const { app, network } = scenario;
  await app.clock.advance(2 * SECOND);
  const sendAt = new Date(app.clock.now() + 60 * MINUTE).toISOString();
  const id = await create(scenario, notice(phones(PEOPLE), phase === "before" ? { send_at: sendAt } : {}));
  await app.clock.advance(3 * SECOND);
  await meet(scenario, code, source, what);

  const { number, template } = stateOf(scenario);
  expect(number?.ready).toBe(stops !== "number");
  const { templateStatus, paused } = after(stops);
  expect(template?.status as string).toBe(templateStatus);
  const said = stops === "number" ? number?.unreadyReason : template?.statusReason;
  if (stops !== undefined) expect(said).toContain(DETAILS);

  const others = () => network.sent.filter(({ to }) => to !== TARGET).length;
  const sent = others();
  if (phase === "before") {
    const isTold = stops === "template_for_good";
    expect((await show(scenario, id)).status_reason).toEqual(isTold ? expect.stringContaining(DETAILS) : null);
    await app.clock.advance(61 * MINUTE);
  } else if (phase === "during") {
    await app.clock.advance(3 * MINUTE);
    if (stops !== undefined) expect(others()).toBeLessThanOrEqual(sent + 1);
  }
  const shown = await show(scenario, id);
  if (phase === "after") expect(shown).toMatchObject({ status: "completed", status_reason: null });
  else {
    expect(shown.status).toBe(paused);
    if (stops !== undefined) expect(shown.status_reason).toContain(DETAILS);
    else expect(others()).toBe(PEOPLE);
  }
  const next = await post(scenario, notice(phones(1, 500)));
  const refusal = stops === "number" ? "number_not_ready" : "template_not_sendable";
  if (stops === undefined) expect(next.status).toBe(202);
  else expect([next.status, next.body.error.code, next.text]).toEqual([422, refusal, expect.stringContaining(DETAILS)]);
  expect(next.text).not.toMatch(/\.\.|\. \.|\.[:;,]/);
}

for (const [index, name] of (Object.keys(classes) as CodeClassName[]).entries()) {
  const list = isFull ? codes[name] : codes[name].slice(-1);
  const chosen = isFull ? cases : [0, 5, 10].map((offset) => cases[(index + offset) % cases.length]);
  test(
    `one message that meets a code of the kind "${name}" stops for others what the table says, whatever it was and whenever`,
    async () => {
      for (const code of list)
        for (const one of chosen) {
          if (one === undefined) continue;
          try {
            await play(code, classes[name], one.source, one.phase, one.what);
          } catch (error) {
            throw new Error(`${code} ${one.source} ${one.phase} ${one.what}`, { cause: error });
          }
        }
    },
    isFull ? 600_000 : 60_000,
  );
}

test("a late status of a message that left before the number and the template were set right stops neither again", async () => {
  await using scenario = await startScenario();
  const { app, shop, network } = scenario;
  const mend = () =>
    app.store.write((tx) => {
      markReady(tx, shop.numberId);
      decideByName(tx, shop.id, "order_shipped", "en_US", "APPROVED", null);
    });
  await app.clock.advance(SECOND);
  for (const to of phones(2)) {
    await app.call("POST", "/api/v1/messages", { key: shop.key, body: { to, template: "order_shipped" } });
  }
  await create(scenario, notice(phones(2, 10)));
  await app.clock.advance(3 * SECOND);
  const [first, second, third, fourth] = network.sent.map((outbound) => [outbound]);
  await reportFailed(scenario, first ?? [], 133010);
  await reportFailed(scenario, third ?? [], 132015);
  await app.clock.advance(SECOND);
  expect(stateOf(scenario)).toMatchObject({ number: { ready: false }, template: { status: "PAUSED" } });
  await mend();
  await reportFailed(scenario, second ?? [], 133010);
  await reportFailed(scenario, fourth ?? [], 132015);
  await app.clock.advance(SECOND);
  expect(stateOf(scenario)).toMatchObject({ number: { ready: true }, template: { status: "APPROVED" } });
});

test("a person who resumes a broadcast after a refusal of the account starts the number again", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  const { app, network } = scenario;
  await app.clock.advance(SECOND);
  network.next(answerOf(131031));
  const id = await create(scenario, notice(phones(3)));
  await app.clock.advance(5 * SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "paused", counts: { sent: 0, failed: 0 } });
  expect(stateOf(scenario).number?.ready).toBe(false);
  await resume(scenario, id);
  await app.clock.advance(10 * SECOND);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { sent: 3 } });
  expect(stateOf(scenario).number?.ready).toBe(true);
});
