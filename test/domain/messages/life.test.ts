import { expect, test } from "bun:test";
import fc from "fast-check";
import { acceptMessage } from "#src/domain/messages/accept.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import type { MessageOrigin } from "#src/domain/messages/message.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import {
  recordAnswered,
  recordFailure,
  redispatch,
  requeue,
  requireMessage,
} from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { MessageModel, type Reported, type Step } from "#test/support/message-model.ts";
import { accountOf, contactOf, eventTypesOf, ledgerOf, messagesOf, required } from "#test/support/rows.ts";
import { BY_A_KEY, INSTANCE, openTestStore, RATE, type TestStore } from "#test/support/store.ts";
import { summerSale } from "#test/support/templates.ts";

const CREDITED = 100_000_000;

const status = fc.record({
  kind: fc.constant("status" as const),
  status: fc.constantFrom<Reported>("sent", "delivered", "read", "failed"),
  byReference: fc.boolean(),
  agoMs: fc.nat(10_000),
});
const answer = fc.record({
  kind: fc.constant("answer" as const),
  answer: fc.constantFrom("accepted" as const, "refused" as const, "unknown" as const, "throttled" as const),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof({ arbitrary: status, weight: 3 }, { arbitrary: answer, weight: 2 }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

/** The history of one message, on a store that earlier histories have used. */
class Scenario {
  readonly model = new MessageModel();
  readonly at: TestStore;
  readonly #phone: string;
  #id = 0;
  /** As it was stored, whatever happened to it since. */
  #dispatched: Message | undefined;

  constructor(at: TestStore, index: number) {
    this.at = at;
    this.#phone = `+9198765${String(10_000 + index)}`;
  }

  async begin(origin: MessageOrigin = "api"): Promise<void> {
    const { store, shop } = this.at;
    const content = { type: "template", name: summerSale.name, language: null, media: null } as const;
    const input = {
      to: this.#phone,
      from: null,
      reference: null,
      content: { ...content, variables: { isList: true, header: [], body: [] } },
    };
    const { message } = await store.write((tx) =>
      acceptMessage(tx, planSend(tx, shop.id, input), {
        origin,
        reference: null,
        sentBy: BY_A_KEY,
        instanceId: INSTANCE,
        idempotencyKey: null,
      }),
    );
    this.#id = message.id;
    this.#dispatched = message;
    // The row that is returned was not read from the file.
    expect(this.message).toEqual(message);
  }

  get message(): Message {
    const { variables, ...message } = required(
      messagesOf(this.at).find(({ id }) => id === this.#id),
      "the message is gone",
    );
    expect(variables).toBeNull();
    return message;
  }

  async take(step: Step): Promise<boolean> {
    if (step.kind === "answer" && !this.model.isOpen) return false;
    this.at.clock.advance(700);
    const { sendToken } = this.message;
    const networkMessageId = `wamid.${sendToken}`;
    await this.at.store.write((tx) => {
      if (step.kind === "status") {
        const error =
          step.status === "failed" ? { code: "131026", message: "not there", scope: "recipient" as const } : null;
        const report = {
          kind: "status",
          phoneNumberId: this.at.number.phoneNumberId,
          networkMessageId,
          error,
        } as const;
        const at = tx.now - step.agoMs;
        const named = {
          sendToken: step.byReference ? sendToken : null,
          recipientId: null,
          recipientNetworkUserId: null,
        };
        applyStatus(tx, this.at.number, { ...report, ...named, status: step.status, at }, INSTANCE);
      } else if (step.answer === "accepted") {
        const dispatched = required(this.#dispatched, "the message was not dispatched");
        const named = { recipientId: null, recipientNetworkUserId: null };
        const recorded = recordAnswered(tx, dispatched, { kind: "accepted", networkMessageId, ...named });
        expect(recorded).toEqual(requireMessage(tx, this.#id));
      } else if (step.answer === "throttled") {
        if (requeue(tx, this.#id)) redispatch(tx, this.#id, null);
      } else {
        const isUnknown = step.answer === "unknown";
        const code = isUnknown ? "timeout" : "131000";
        recordFailure(tx, this.#id, { code, message: "no", outcomeUnknown: isUnknown });
      }
    });
    this.model.apply(step);
    return true;
  }

  check(eventsBefore: number): void {
    const { message, model } = this;
    const { consent } = contactOf(this.at, this.#phone);
    expect({
      status: message.status,
      isUnknown: message.outcomeUnknown,
      errorCode: message.errorCode,
      money: message.money,
      consent,
      events: eventTypesOf(this.at, this.at.shop).slice(eventsBefore),
    }).toEqual({
      status: model.status,
      isUnknown: model.isUnknown,
      errorCode: model.errorCode,
      money: model.money,
      consent: model.consent,
      events: model.events,
    });
    this.#checkTimes(message);
    this.#checkMoney();
  }

  #checkTimes({ status, sentAt, deliveredAt, readAt }: Message): void {
    const times = [sentAt, deliveredAt, readAt];
    const reached = ["sent", "delivered", "read"].indexOf(status);
    times.forEach((time, index) => {
      if (index <= reached) expect(time).not.toBeNull();
      const next = times[index + 1];
      if (time !== null && next != null) expect(time).toBeLessThanOrEqual(next);
      if (time !== null) expect(time).toBeLessThanOrEqual(this.at.clock.now());
    });
  }

  #checkMoney(): void {
    const { credited, held, charged } = accountOf(this.at, this.at.shop);
    const all = messagesOf(this.at);
    const of = (money: Message["money"]): number => all.filter((one) => one.money === money).length * RATE;
    expect([credited, held, charged]).toEqual([CREDITED, of("held"), of("charged")]);
    const sum = { credit: 0, hold: 0, release: 0, charge: 0 };
    for (const [kind, amount] of ledgerOf(this.at, this.at.shop)) sum[kind as keyof typeof sum] += amount;
    expect([sum.credit, sum.charge]).toEqual([credited, charged]);
    expect(sum.hold).toBe(all.length * RATE);
  }
}

async function playScenarios(isTold: (scenario: Step[]) => boolean): Promise<void> {
  using at = await openTestStore(CREDITED);
  let index = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (planned) => {
      fc.pre(isTold(planned));
      const scenario = new Scenario(at, index++);
      const eventsBefore = eventTypesOf(at, at.shop).length;
      await scenario.begin();
      for (const step of planned) if (await scenario.take(step)) scenario.check(eventsBefore);
    }),
    { numRuns: 120 },
  );
}

test("whatever the network answers and reports, twice, late and in any order: state, times, events, consent and money are right", async () => {
  await playScenarios((scenario) => scenario.every((step) => step.kind === "answer" || step.byReference));
}, 60_000);

test("statuses without a send token are parked until the network's message id is known, and then have the same effect", async () => {
  await playScenarios(() => true);
}, 60_000);

test("a message that fails again after a late status revived it emits another event, because the customer believed it sent", async () => {
  using at = await openTestStore(CREDITED);
  const scenario = new Scenario(at, 0);
  await scenario.begin();
  await scenario.take({ kind: "answer", answer: "unknown" });
  for (const reported of ["sent", "failed"] as const) {
    await scenario.take({ kind: "status", status: reported, byReference: true, agoMs: 0 });
  }
  expect(eventTypesOf(at, at.shop)).toEqual(["message.failed", "message.sent", "message.failed"]);
});

test("a delivery after the hold was released is still charged, and the available balance may become negative", async () => {
  using at = await openTestStore(RATE);
  const scenario = new Scenario(at, 0);
  await scenario.begin();
  await scenario.take({ kind: "answer", answer: "unknown" });
  const next = new Scenario(at, 1);
  await next.begin();
  await scenario.take({ kind: "status", status: "delivered", byReference: true, agoMs: 0 });
  const { credited, held, charged } = accountOf(at, at.shop);
  expect(credited - held - charged).toBe(-RATE);
  await expect(new Scenario(at, 2).begin()).rejects.toMatchObject({ code: "insufficient_balance" });
});

test("no time of a status lies in the future, whatever the network's clock says", async () => {
  using at = await openTestStore(CREDITED);
  const scenario = new Scenario(at, 0);
  await scenario.begin();
  await scenario.take({ kind: "answer", answer: "accepted" });
  await scenario.take({ kind: "status", status: "read", byReference: true, agoMs: -3_600_000 });
  const { deliveredAt, readAt } = scenario.message;
  expect([deliveredAt, readAt]).toEqual([at.clock.now(), at.clock.now()]);
});

test("a message sent from the console goes through the same states and emits no event", async () => {
  using at = await openTestStore(CREDITED);
  const scenario = new Scenario(at, 0);
  await scenario.begin("console");
  await scenario.take({ kind: "answer", answer: "accepted" });
  await scenario.take({ kind: "status", status: "read", byReference: true, agoMs: 0 });
  expect([scenario.message.status, scenario.message.money, eventTypesOf(at, at.shop)]).toEqual(["read", "charged", []]);
});
