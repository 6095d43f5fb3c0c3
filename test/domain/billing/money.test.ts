import { expect, test } from "bun:test";
import fc from "fast-check";
import { available, credit, setPrice } from "#src/domain/billing/account.ts";
import { chargeHeld, chargeReleased, hold, release } from "#src/domain/billing/hold.ts";
import { inForm } from "#test/support/long-form.ts";
import { accountOf, ledgerOf } from "#test/support/rows.ts";
import { openTestStore, RATE } from "#test/support/store.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("hold" as const), price: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ kind: fc.constantFrom("release" as const, "charge" as const), of: fc.nat(20) }),
  fc.record({ kind: fc.constant("credit" as const), amount: fc.integer({ min: -300, max: 1_000 }) }),
);

test("over any holds, charges, releases and credits, available, held and charged add up to the credits, to the millionth", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2_000 }), fc.array(step, { maxLength: 25 }), async (start, steps) => {
      using at = await openTestStore(start);
      const { store, shop } = at;
      const model = { credited: start, held: 0, charged: 0 };
      const open: { id: number; price: number; isHeld: boolean }[] = [];
      let id = 0;
      for (const one of steps) {
        if (one.kind === "hold") {
          id += 1;
          const messageId = id;
          const held = store.write((tx) => hold(tx, shop.id, messageId, one.price));
          if (one.price > model.credited - model.held - model.charged) {
            const rest = model.credited - model.held - model.charged;
            await expect(held).rejects.toMatchObject({
              code: "insufficient_balance",
              details: { needed: one.price, available: rest },
            });
          } else {
            await held;
            model.held += one.price;
            open.push({ id, price: one.price, isHeld: true });
          }
        } else if (one.kind === "credit") {
          await store.write((tx) => credit(tx, shop.id, { amount: one.amount, note: null, ref: null }));
          model.credited += one.amount;
        } else {
          const message = open[one.of % Math.max(1, open.length)];
          if (message === undefined || (one.kind === "release" && !message.isHeld)) continue;
          await store.write((tx) => {
            if (one.kind === "release") release(tx, shop.id, message.id, message.price);
            else if (message.isHeld) chargeHeld(tx, shop.id, message.id, message.price);
            else chargeReleased(tx, shop.id, message.id, message.price);
          });
          if (message.isHeld) model.held -= message.price;
          message.isHeld = false;
          if (one.kind === "charge") {
            model.charged += message.price;
            open.splice(open.indexOf(message), 1);
          }
        }
        const account = accountOf(at, shop);
        expect(account).toMatchObject(model);
        expect(available(account) + account.held + account.charged).toBe(account.credited);
      }
    }),
    { numRuns: inForm({ short: 15, long: 400 }) },
  );
}, 60_000);

test("every movement is in the ledger, in order", async () => {
  using at = await openTestStore(1_000);
  await at.store.write((tx) => {
    hold(tx, at.shop.id, 1, 100);
    chargeHeld(tx, at.shop.id, 1, 100);
    hold(tx, at.shop.id, 2, 50);
    release(tx, at.shop.id, 2, 50);
    chargeReleased(tx, at.shop.id, 2, 50);
  });
  expect(ledgerOf(at, at.shop)).toEqual([
    ["credit", 1_000],
    ["hold", 100],
    ["charge", 100],
    ["hold", 50],
    ["release", 50],
    ["charge", 50],
  ]);
});

test("the same ref credits once per workspace, and every credit without a ref counts", async () => {
  using at = await openTestStore(0);
  const payment = { amount: 500, note: "invoice 7", ref: "pay-7" };
  for (let i = 0; i < 3; i++) await at.store.write((tx) => credit(tx, at.shop.id, payment));
  await Promise.all(Array.from({ length: 10 }, () => at.store.write((tx) => credit(tx, at.shop.id, payment))));
  expect(accountOf(at, at.shop).credited).toBe(500);
  for (let i = 0; i < 2; i++) await at.store.write((tx) => credit(tx, at.shop.id, { ...payment, ref: null }));
  expect(accountOf(at, at.shop).credited).toBe(1_500);
});

test("a new price applies to later holds only", async () => {
  using at = await openTestStore(100_000);
  await at.store.write((tx) => hold(tx, at.shop.id, 1, RATE));
  await at.store.write((tx) => setPrice(tx, at.shop.id, "USD", 1));
  expect(accountOf(at, at.shop)).toMatchObject({ rate: 1, held: RATE, credited: 100_000 });
});

test("a workspace that is not charged cannot be credited", async () => {
  using at = await openTestStore(0);
  await expect(
    at.store.write((tx) => credit(tx, at.shop.id + 1, { amount: 1, note: null, ref: null })),
  ).rejects.toMatchObject({ code: "invalid_request" });
});
