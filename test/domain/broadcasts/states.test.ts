/** Every state of a broadcast under every trigger. A pair that this table does not list changes nothing. */
import { describe, expect, test } from "bun:test";
import {
  type BroadcastStatus,
  broadcastStatuses,
  finishedStatuses,
  isFinished,
  nextStatus,
  type PauseCause,
  pauseCauses,
  resumesAutomatically,
  type Trigger,
} from "#src/domain/broadcasts/broadcast.ts";

const triggers: readonly Trigger[] = ["start", "built", "drained", "pause", "resume", "cancel", "fail"];
const contexts = [
  { isBuilt: false, isScheduledAhead: false },
  { isBuilt: false, isScheduledAhead: true },
  { isBuilt: true, isScheduledAhead: false },
  { isBuilt: true, isScheduledAhead: true },
] as const;

/** The next state; a function where it depends on how far the broadcast has got. */
type Move = BroadcastStatus | ((context: { isBuilt: boolean; isScheduledAhead: boolean }) => BroadcastStatus);

const always = { pause: "paused", cancel: "cancelled", fail: "failed" } as const;
const moves: Record<BroadcastStatus, Partial<Record<Trigger, Move>>> = {
  scheduled: { ...always, start: "queueing" },
  queueing: { ...always, built: "running" },
  running: { ...always, drained: "completed" },
  paused: {
    cancel: "cancelled",
    fail: "failed",
    resume: ({ isBuilt, isScheduledAhead }) => (isScheduledAhead ? "scheduled" : isBuilt ? "running" : "queueing"),
  },
  completed: {},
  cancelled: {},
  failed: {},
};

for (const status of broadcastStatuses) {
  describe(status, () => {
    for (const trigger of triggers) {
      const move = moves[status][trigger];
      test(`${trigger} leads to: ${typeof move === "function" ? "as far as it was" : (move ?? "nothing")}`, () => {
        for (const context of contexts) {
          const expected = typeof move === "function" ? move(context) : (move ?? null);
          expect([context, nextStatus(status, trigger, context)]).toEqual([context, expected]);
        }
      });
    }
  });
}

test("no trigger leaves a finished state, and every other state can be left", () => {
  for (const status of broadcastStatuses) {
    const exits = triggers.flatMap((trigger) => contexts.map((context) => nextStatus(status, trigger, context)));
    expect([status, exits.some((exit) => exit !== null)]).toEqual([status, !isFinished(status)]);
  }
  expect(finishedStatuses.every(isFinished)).toBe(true);
});

test("a broadcast resumes automatically only after a cause that the network or the account can clear", () => {
  const byItself: readonly PauseCause[] = [
    "number",
    "workspace",
    "balance",
    "template",
    "unreachable",
    "network",
    "wait",
  ];
  for (const cause of pauseCauses)
    expect([cause, resumesAutomatically(cause)]).toEqual([cause, byItself.includes(cause)]);
  expect(resumesAutomatically(null)).toBe(false);
});
