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

/** What each status does to a message of which it is known what became of it. */
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

/** Where nobody knows what became of it, a failed message hears everything. */
const unknownFailed: Row = { sent: "enter", delivered: "enter", read: "enter", failed: "fill_error" };

const reports: Reported[] = ["sent", "delivered", "read", "failed"];

for (const current of messageStatuses) {
  for (const reported of reports) {
    for (const outcomeUnknown of [false, true]) {
      const expected = (current === "failed" && outcomeUnknown ? unknownFailed : known[current])[reported];
      test(`a ${current} message${outcomeUnknown ? " of unknown outcome" : ""} and the status ${reported}: ${expected}`, () => {
        expect(decideStatus(current, reported, { outcomeUnknown })).toBe(expected);
      });
    }
  }
}

test("our own moves go forward, but for the one that takes a throttled or unreached message back", () => {
  const order = ["pending", "queued", "sending", "sent"];
  for (const [name, { from, to }] of Object.entries(ownMoves)) {
    for (const source of from) {
      const isForward = to === "failed" || to === "skipped" || order.indexOf(to) > order.indexOf(source);
      expect([name, isForward]).toEqual([name, name !== "requeue"]);
    }
  }
});

test("only what is not handed over can be skipped, and nothing that the network has can fail by our own word", () => {
  expect([...ownMoves.skip.from]).toEqual(["pending", "queued"]);
  expect([...ownMoves.fail.from]).toEqual(["pending", "queued", "sending"]);
});
