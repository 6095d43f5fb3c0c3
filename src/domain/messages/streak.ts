/**
 * Counts consecutive refusals in one broadcast: of the message itself with the same code, or with any codes that this
 * version does not know. Pure. Answers and statuses have a streak each. Failures on the network's side are counted for
 * the whole number (`numbers/network-health.ts`).
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
/** Stop it after this many consecutive refusals with codes that this version does not know, which may differ. */
const UNLISTED_MAX = 10;
/** Stands before such a code in a streak. */
const UNLISTED = "unlisted ";

export const noStreak: Streak = { code: null, repeats: 0 };

export function streakAfter(before: Streak, result: Result): Streak {
  if (result.kind === "succeeded") return noStreak;
  if (result.kind === "unknown") return before;
  const { broadcast } = decide(result.failure, "answer");
  // The person's own failures neither extend nor end a streak.
  if (broadcast.kind === "continue") return before;
  if (broadcast.kind !== "count" || broadcast.streak === "network") return noStreak;
  const code = `${broadcast.streak === "unlisted" ? UNLISTED : ""}${result.failure.code}`;
  return { code, repeats: continues(before.code, code) ? before.repeats + 1 : 1 };
}

/** Unlisted codes continue one another's streak: two that take turns would otherwise burn a whole list. */
function continues(before: string | null, code: string): boolean {
  return before === code || (code.startsWith(UNLISTED) && before?.startsWith(UNLISTED) === true);
}

/** Why this streak stops the broadcast; null if it does not. */
export function openReason({ code, repeats }: Streak): string | null {
  if (code?.startsWith(UNLISTED)) {
    if (repeats < UNLISTED_MAX) return null;
    const unknown = code.slice(UNLISTED.length);
    return `the network refused ${UNLISTED_MAX} consecutive messages with errors that this version does not know, the last one with error ${unknown}`;
  }
  if (repeats < REPEATS_MAX) return null;
  return `the network refused ${REPEATS_MAX} consecutive messages with error ${code}, which is about the message itself`;
}
