/**
 * Counts consecutive failures of one broadcast. Pure. Two streaks run side by side: refusals of the message with the
 * same code, and any failures on the network's side. Answers and statuses each have their own pair.
 */
/** What a failure applies to; see `RefusalScope` in `outcome.ts`. */
export type FailureScope = "recipient" | "message" | "template" | "number" | "account" | "network";

export interface Failure {
  /** The network's code as text. */
  code: string;
  /** Plain text that can be shown to a person. */
  message: string;
  scope: FailureScope;
}

export type Result =
  /** For an answer: accepted. For a status: delivered or read. */
  | { kind: "succeeded" }
  | { kind: "failed"; failure: Failure }
  /** There was no readable answer, so the outcome of the message is unknown. */
  | { kind: "unknown"; message: string };

export interface Streaks {
  /** The code of the current refusals of the message, and how many consecutive recipients were refused with it. */
  code: string | null;
  repeats: number;
  /** How many consecutive failures were on the network's side, and the text of the last one. */
  failures: number;
  message: string | null;
}

/** Stop a broadcast after this many consecutive refusals of the message with the same code. */
export const REPEATS_MAX = 20;
/** Stop a broadcast after this many consecutive failures on the network's side, whatever their codes. */
export const FAILURES_MAX = 10;

/** Codes that concern the message: its values, its file, its destination. */
const MESSAGE_CODES = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];

/** Codes that concern the person: they neither extend nor end a streak. */
const PERSON_CODES = ["131021", "131026", "131047", "131049", "131050", "130472"];

export const noStreaks: Streaks = { code: null, repeats: 0, failures: 0, message: null };

export function streaksAfter(before: Streaks, result: Result): Streaks {
  if (result.kind === "succeeded") return noStreaks;
  if (result.kind === "unknown") return { ...before, failures: before.failures + 1, message: result.message };
  const { code, scope } = result.failure;
  if (PERSON_CODES.includes(code)) return before;
  // A template whose link fails now and then produces both kinds of failure: neither kind may reset the other's streak.
  if (MESSAGE_CODES.includes(code)) return { ...before, code, repeats: code === before.code ? before.repeats + 1 : 1 };
  const other = { ...before, code: null, repeats: 0 };
  // A refusal of the message with any other code counts as a failure on the network's side, so that it is not lost.
  if (scope !== "network" && scope !== "message") return other;
  return { ...other, failures: before.failures + 1, message: describeFailure(result.failure) };
}

/** Why these streaks stop the broadcast; null if they do not. */
export function openReason({ code, repeats, failures, message }: Streaks): string | null {
  if (repeats >= REPEATS_MAX) {
    return `the network refused ${REPEATS_MAX} consecutive messages with error ${code}, which is about the message itself`;
  }
  if (failures < FAILURES_MAX) return null;
  return `${FAILURES_MAX} consecutive messages failed on the network's side; it said: ${message}`;
}

export function describeFailure({ code, message }: Failure): string {
  return `${message} (error ${code})`;
}
