/** Why a recipient is skipped: the reasons of the API for a list's numbers, and sentences for people. */
export const skipReasons = [
  "opted_out",
  "invalid_number",
  "duplicate",
  "no_opt_in",
  "missing_variable",
  "daily_cap",
] as const;
/** A preview tells a doubt from an opt-out. The answer to a created broadcast has the reasons of the API alone. */
export const previewReasons = [...skipReasons, "may_want_to_stop"] as const;
export type SkipReason = (typeof previewReasons)[number];

/** The code of a skipped recipient: a reason above, or one that can only arise later. */
export type SkipCode =
  | SkipReason
  | "day_passed"
  | "offer_over"
  | "number_changed"
  | "erased"
  | "cancelled"
  | "broadcast_failed";

const SENTENCES: Readonly<Record<Exclude<SkipCode, "broadcast_failed" | "missing_variable">, string>> = {
  opted_out: "opted out",
  may_want_to_stop: "may want to stop",
  invalid_number: "not a phone number",
  duplicate: "the same person is already in the broadcast",
  no_opt_in: "no recorded opt-in",
  daily_cap: "daily cap",
  day_passed: "the day has passed",
  offer_over: "the offer has ended",
  number_changed: "the person has changed their number",
  erased: "the person was erased",
  cancelled: "broadcast cancelled",
};

/**
 * Plain text that can be shown to a person. `detail`: the missing field, why a user id does not do, which broadcast has
 * reached the person already, or why the broadcast failed.
 */
export function describeSkip(code: SkipCode, detail: string | null = null): string {
  if (code === "missing_variable") return detail === null ? "a value is missing" : `no value for ${detail}`;
  if ((code === "invalid_number" || code === "duplicate") && detail !== null) return detail;
  if (code === "broadcast_failed") return detail === null ? "broadcast failed" : `broadcast failed: ${detail}`;
  if (code === "daily_cap" && detail !== null) return `${SENTENCES[code]} ${detail}`;
  return SENTENCES[code];
}
