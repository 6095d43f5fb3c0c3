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
  words: string;
  scope: FailureScope;
}

export type Result =
  /** Accepted, for answers; delivered or read, for statuses. */
  | { kind: "well" }
  | { kind: "failed"; failure: Failure }
  /** No readable answer: what became of the message is not known. */
  | { kind: "unknown"; words: string };

export interface Streaks {
  /** The same refusal of the message, and how many people in a row. */
  code: string | null;
  row: number;
  /** Failures on the network's side, and what the network said last. */
  network: number;
  words: string | null;
}

/** How many people in a row with the same refusal of the message stop a broadcast. */
export const MESSAGE_STREAK_MAX = 20;
/** How many failures on the network's side in a row do, whatever their codes. */
export const NETWORK_STREAK_MAX = 10;

/** Codes that speak of the message: its values, its file, where it goes. */
const OF_THE_MESSAGE = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];

/** Codes that speak of the person: they neither count nor end a streak. */
const OF_THE_PERSON = ["131021", "131026", "131047", "131049", "131050", "130472"];

export const noStreaks: Streaks = { code: null, row: 0, network: 0, words: null };

export function streaksAfter(before: Streaks, result: Result): Streaks {
  if (result.kind === "well") return noStreaks;
  if (result.kind === "unknown") return { ...before, network: before.network + 1, words: result.words };
  const { code, scope } = result.failure;
  if (OF_THE_PERSON.includes(code)) return before;
  // A template whose link fails now and then mixes both kinds: neither may hide the other.
  if (OF_THE_MESSAGE.includes(code)) return { ...before, code, row: code === before.code ? before.row + 1 : 1 };
  const other = { ...before, code: null, row: 0 };
  // A refusal of the message that has no streak of its own must not go uncounted.
  if (scope !== "network" && scope !== "message") return other;
  return { ...other, network: before.network + 1, words: describeFailure(result.failure) };
}

/** Why these streaks stop a broadcast; null: they do not. */
export function brokenBy({ code, row, network, words }: Streaks): string | null {
  if (row >= MESSAGE_STREAK_MAX) {
    return `the network refused ${MESSAGE_STREAK_MAX} messages in a row with error ${code}, which speaks of the message itself`;
  }
  if (network < NETWORK_STREAK_MAX) return null;
  return `${NETWORK_STREAK_MAX} messages in a row failed on the network's side; it said: ${words}`;
}

export function describeFailure({ code, words }: Failure): string {
  return `${words} (error ${code})`;
}
