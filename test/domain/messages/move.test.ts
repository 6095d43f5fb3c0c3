/** A move stores whatever it changes, in every combination: each of its statements names a part of the columns. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { acceptMessage } from "#src/domain/messages/accept.ts";
import { move } from "#src/domain/messages/move.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import { requireMessage } from "#src/domain/messages/record-outcome.ts";
import { BY_A_KEY, INSTANCE, openTestStore } from "#test/support/store.ts";
import { summerSale } from "#test/support/templates.ts";

const time = fc.option(fc.integer({ min: 1, max: 2_000_000_000_000 }));
const text = fc.option(fc.string({ minLength: 1, maxLength: 20 }));
const pricing = fc.record({
  billable: fc.boolean(),
  category: fc.constantFrom("marketing", "utility"),
  type: fc.constant("regular"),
  model: text,
});
const changes = fc.record(
  {
    status: fc.constantFrom("sending" as const, "sent" as const, "delivered" as const, "read" as const),
    outcomeUnknown: fc.boolean(),
    errorCode: text,
    errorMessage: text,
    money: fc.constantFrom("held" as const, "charged" as const, "released" as const),
    sentAt: time,
    deliveredAt: time,
    readAt: time,
    failedAt: time,
    pricing: fc.option(pricing),
    networkMessageId: text,
    dispatchedAt: time,
  },
  { requiredKeys: [] },
);

test("a move stores each of its changes", async () => {
  await using at = await openTestStore(100_000_000);
  const { store, shop } = at;
  const { id } = await store.write((tx) => {
    const content = { type: "template", name: summerSale.name, language: null, media: null } as const;
    const variables = { isList: true, header: [], body: [] };
    const input = { to: "+919876510001", from: null, reference: null, content: { ...content, variables } };
    const options = {
      origin: "api",
      reference: null,
      sentBy: BY_A_KEY,
      instanceId: INSTANCE,
      idempotencyKey: null,
    } as const;
    return acceptMessage(tx, planSend(tx, shop.id, input), options).message;
  });
  await fc.assert(
    fc.asyncProperty(changes, async (changed) => {
      const [before, after, stored] = await store.write((tx) => {
        const message = requireMessage(tx, id);
        return [message, move(tx, message, changed), requireMessage(tx, id)] as const;
      });
      expect(after).toEqual({ ...before, ...changed });
      expect(stored).toEqual({ ...before, ...changed });
    }),
    { numRuns: 300 },
  );
});
