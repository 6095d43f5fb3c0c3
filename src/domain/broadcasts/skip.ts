/** Why somebody is left out: the interface's words for a list's numbers, and sentences for people. */
export const skipReasons = [
  "opted_out",
  "invalid_number",
  "duplicate",
  "no_opt_in",
  "missing_variable",
  "daily_cap",
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** What a skipped recipient carries as its code: the above, and what can only come later. */
export type SkipCode = SkipReason | "day_passed" | "number_changed" | "erased" | "cancelled" | "broadcast_failed";

const SENTENCES: Readonly<Record<Exclude<SkipCode, "broadcast_failed" | "missing_variable">, string>> = {
  opted_out: "opted out",
  invalid_number: "not a phone number",
  duplicate: "the same person is in the broadcast already",
  no_opt_in: "no recorded opt-in",
  daily_cap: "daily cap",
  day_passed: "the day has passed",
  number_changed: "the person has another number now",
  erased: "the person was erased",
  cancelled: "broadcast cancelled",
};

/** In words fit to show a person. `detail`: the field that is missing, or why the broadcast failed. */
export function describeSkip(code: SkipCode, detail: string | null = null): string {
  if (code === "missing_variable") return detail === null ? "a value is missing" : `no value for ${detail}`;
  if (code === "broadcast_failed") return detail === null ? "broadcast failed" : `broadcast failed: ${detail}`;
  return SENTENCES[code];
}
