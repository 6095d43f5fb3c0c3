import { expect, test } from "bun:test";
import {
  decideStatus,
  type MessageStatus,
  messageStatuses,
  ownMoves,
  type StatusEffect,
} from "#src/domain/messages/message.ts";

type Reported = "sent" | "delivered" | "read" | "failed";
type Row = Record<Reported, StatusEffect>;

const onItsWay: Row = { sent: "enter", delivered: "enter", read: "enter", failed: "enter" };

/** The effect of each reported status on a message whose outcome is known. */
const known: Record<MessageStatus, Row> = {
  pending: onItsWay,
  queued: onItsWay,
  sending: onItsWay,
  sent: { sent: "fill_in", delivered: "enter", read: "enter", failed: "enter" },
  delivered: { sent: "fill_in", delivered: "fill_in", read: "enter", failed: "ignore" },
  read: { sent: "fill_in", delivered: "fill_in", read: "fill_in", failed: "ignore" },
  failed: { sent: "ignore", delivered: "enter", read: "enter", failed: "ignore" },
  skipped: { sent: "enter", delivered: "enter", read: "enter", failed: "ignore" },
};

/** A failed message of unknown outcome accepts every status. */
const unknownFailed: Row = { sent: "enter", delivered: "enter", read: "enter", failed: "fill_error" };

const reports: Reported[] = ["sent", "delivered", "read", "failed"];

for (const current of messageStatuses) {
  for (const reported of reports) {
    for (const outcomeUnknown of [false, true]) {
      const expected = (current === "failed" && outcomeUnknown ? unknownFailed : known[current])[reported];
      test(`a ${current} message${outcomeUnknown ? " of unknown outcome" : ""} and a reported ${reported}: ${expected}`, () => {
        expect(decideStatus(current, reported, { outcomeUnknown })).toBe(expected);
      });
    }
  }
}

test("our own transitions go forward, except those after a throttled or unreachable outcome", () => {
  const order = ["pending", "queued", "sending", "sent"];
  for (const [name, { from, to }] of Object.entries(ownMoves)) {
    for (const source of from) {
      const isForward = to === "failed" || to === "skipped" || order.indexOf(to) > order.indexOf(source);
      expect([name, isForward]).toEqual([name, name !== "requeue" && name !== "putBack"]);
    }
  }
});

test("only undispatched messages can be skipped, and a message that the network has accepted cannot fail by a transition of our own", () => {
  expect([...ownMoves.skip.from]).toEqual(["pending", "queued"]);
  expect([...ownMoves.fail.from]).toEqual(["pending", "queued", "sending"]);
});
