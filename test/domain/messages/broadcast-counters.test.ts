/**
 * The sum of all counter deltas equals the counts of the rows, for every sequence of transitions and every pair of
 * states.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  addDelta,
  computeDelta,
  effectiveState,
  isClosed,
  openCost,
  type RecipientMoney,
  type RecipientState,
  type RecipientStatus,
  totalOf,
  zeroDelta,
} from "#src/domain/messages/broadcast-counters.ts";

const statuses: readonly RecipientStatus[] = [
  "pending",
  "queued",
  "sending",
  "sent",
  "delivered",
  "read",
  "failed",
  "skipped",
];
const moneys: readonly RecipientMoney[] = ["none", "held", "charged", "released"];
const RATE = 7;

/** Counts row by row, without the code under test. */
function count(rows: readonly RecipientState[]) {
  const those = (...wanted: RecipientStatus[]): number => rows.filter(({ status }) => wanted.includes(status)).length;
  return {
    pending: those("pending", "queued"),
    sending: those("sending"),
    sent: those("sent", "delivered", "read"),
    delivered: those("delivered", "read"),
    read: those("read"),
    failed: those("failed"),
    skipped: those("skipped"),
    heldBack: rows.filter(({ status, heldBack }) => status === "sent" && heldBack === true).length,
    held: RATE * rows.filter(({ money }) => money === "held").length,
    charged: RATE * rows.filter(({ money }) => money === "charged").length,
  };
}

const recipient = fc.record({
  status: fc.constantFrom(...statuses),
  money: fc.constantFrom(...moneys),
  heldBack: fc.constantFrom(null, true, false),
});

test("the counter deltas of any transitions of any recipients add up to the counts of their rows", () => {
  fc.assert(
    fc.property(
      fc.array(recipient, { minLength: 1, maxLength: 8 }),
      fc.array(fc.record({ who: fc.nat(), to: recipient }), { maxLength: 40 }),
      (people, moves) => {
        const rows = [...people];
        const sum = { ...zeroDelta };
        for (const row of rows) addDelta(sum, computeDelta(null, row, RATE));
        for (const { who, to } of moves) {
          const index = who % rows.length;
          const before = rows[index];
          if (before === undefined) throw new Error("no counters");
          addDelta(sum, computeDelta(before, to, RATE));
          rows[index] = to;
        }
        expect(sum).toEqual(count(rows));
        expect(totalOf(sum)).toBe(rows.length);
      },
    ),
  );
});

test("a row's effective state depends on its broadcast, for every state and money", () => {
  for (const status of statuses) {
    for (const money of moneys) {
      const row = { status, money, heldBack: true };
      const isUnsent = status === "pending" || status === "queued";
      const held = (counts: boolean): RecipientMoney => (money === "held" && !counts ? "released" : money);
      const open = { isHeld: true, isFinished: false, settledAt: null };
      expect([row, effectiveState(row, open)]).toEqual([row, row]);
      expect(effectiveState(row, { ...open, isHeld: false })).toEqual({ ...row, money: held(false) });
      expect(effectiveState(row, { ...open, isFinished: true })).toEqual({
        ...row,
        status: isUnsent ? "skipped" : status,
        money: held(!isUnsent),
      });
      expect(effectiveState(row, { isHeld: true, isFinished: true, settledAt: 1 })).toEqual({
        ...row,
        status: isUnsent ? "skipped" : status,
        money: held(false),
      });
    }
  }
});

test("the open cost covers unfinished recipients; a broadcast is closed once none is sending and all sent are delivered", () => {
  const counters = { pending: 3, sending: 1, sent: 5, delivered: 2, rate: RATE };
  expect(openCost(counters)).toBe(RATE * (3 + 1 + 3));
  expect(isClosed(counters)).toBe(false);
  expect(isClosed({ sending: 0, sent: 5, delivered: 5 })).toBe(true);
  expect(isClosed({ sending: 1, sent: 5, delivered: 5 })).toBe(false);
});
