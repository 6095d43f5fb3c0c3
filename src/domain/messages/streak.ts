/**
 * Consecutive failures of one broadcast, pure. Two streaks run side by side: the same refusal of the message, and any
 * failure on the network's side. Answers and statuses have their own pair.
 */
/** What a failure speaks of; see `messages/outcome.ts`. */
export type FailureScope = "recipient" | "message" | "template" | "number" | "account" | "network";

export interface Failure {
  /** The network's code as text. */
  code: string;
  /** In words fit to show a person. */
  message: string;
  scope: FailureScope;
}

export type Result =
  /** Accepted, for answers; delivered or read, for statuses. */
  | { kind: "well" }
  | { kind: "failed"; failure: Failure }
  /** No readable answer: what became of the message is not known. */
  | { kind: "unknown"; message: string };

export interface Streaks {
  /** The same refusal of the message, and how many people in a row. */
  code: string | null;
  repeats: number;
  /** Failures on the network's side, and what the network said last. */
  failures: number;
  message: string | null;
}

/** How many people in a row with the same refusal of the message stop a broadcast. */
export const REPEATS_MAX = 20;
/** How many failures on the network's side in a row do, whatever their codes. */
export const FAILURES_MAX = 10;

/** Codes that speak of the message: its values, its file, where it goes. */
const MESSAGE_CODES = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];

/** Codes that speak of the person: they neither count nor end a streak. */
const PERSON_CODES = ["131021", "131026", "131047", "131049", "131050", "130472"];

export const noStreaks: Streaks = { code: null, repeats: 0, failures: 0, message: null };

export function streaksAfter(before: Streaks, result: Result): Streaks {
  if (result.kind === "well") return noStreaks;
  if (result.kind === "unknown") return { ...before, failures: before.failures + 1, message: result.message };
  const { code, scope } = result.failure;
  if (PERSON_CODES.includes(code)) return before;
  // A template whose link fails now and then mixes both kinds: neither may hide the other.
  if (MESSAGE_CODES.includes(code)) return { ...before, code, repeats: code === before.code ? before.repeats + 1 : 1 };
  const other = { ...before, code: null, repeats: 0 };
  // A refusal of the message that has no streak of its own must not go uncounted.
  if (scope !== "network" && scope !== "message") return other;
  return { ...other, failures: before.failures + 1, message: describeFailure(result.failure) };
}

/** Why these streaks stop a broadcast; null: they do not. */
export function openReason({ code, repeats, failures, message }: Streaks): string | null {
  if (repeats >= REPEATS_MAX) {
    return `the network refused ${REPEATS_MAX} messages in a row with error ${code}, which speaks of the message itself`;
  }
  if (failures < FAILURES_MAX) return null;
  return `${FAILURES_MAX} messages in a row failed on the network's side; it said: ${message}`;
}

export function describeFailure({ code, message }: Failure): string {
  return `${message} (error ${code})`;
}
