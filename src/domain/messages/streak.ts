/**
 * Counts consecutive refusals of the message itself with the same code, in one broadcast. Pure. Answers and statuses have
 * a streak each. Failures on the network's side, and refusals with codes that this version does not know, are counted for
 * the whole number (`numbers/network-health.ts`, `numbers/unlisted-refusals.ts`).
 */
import { decide, type Failure } from "./failure.ts";

export type Result =
  /** For an answer: accepted. For a status: delivered or read. */
  | { kind: "succeeded" }
  | { kind: "failed"; failure: Pick<Failure, "code" | "message" | "scope"> }
  /** There was no readable answer, so the outcome of the message is unknown. */
  | { kind: "unknown" };

export interface Streak {
  /** The code of the last refusal, and the number of consecutive recipients whose refusals belong to the streak. */
  code: string | null;
  repeats: number;
}

/** Stop a broadcast after this many consecutive refusals of the message with the same code. */
export const REPEATS_MAX = 20;
export const noStreak: Streak = { code: null, repeats: 0 };

export function streakAfter(before: Streak, result: Result): Streak {
  if (result.kind === "succeeded") return noStreak;
  if (result.kind === "unknown") return before;
  const { broadcast } = decide(result.failure, "answer");
  // The person's own failures neither extend nor end a streak.
  if (broadcast.kind === "continue") return before;
  if (broadcast.kind !== "count" || broadcast.streak !== "message") return noStreak;
  const { code } = result.failure;
  return { code, repeats: before.code === code ? before.repeats + 1 : 1 };
}

/** Why this streak stops the broadcast; null if it does not. */
export function openReason({ code, repeats }: Streak): string | null {
  if (repeats < REPEATS_MAX) return null;
  return `the network refused ${REPEATS_MAX} consecutive messages with error ${code}, which is about the message itself`;
}
