/** Values that several calls take, read with sentences that say what would be right. Each throws `invalid_request`. */
import { readDuration } from "#src/core/duration.ts";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import { invalidField } from "./route.ts";

/** A number with its country's code. A `+` that was not encoded in a query arrives as a space. */
export function readE164(field: string, text: string): E164 {
  const digits = /^[ +]?(\d{5,15})$/.exec(text)?.[1];
  const phone = digits === undefined ? null : fromNetwork(digits);
  if (phone === null) throw invalidField(field, "This is not a phone number such as +919876543210.");
  return phone;
}

/** Milliseconds. */
export function readSpan(field: string, text: string, maxMs: number): number {
  const span = readDuration(text);
  if (span === null || span.kind !== "ms")
    throw invalidField(field, 'This is not a duration such as "800ms" or "30s".');
  if (span.ms > maxMs) throw invalidField(field, `This may be at most ${maxMs / 1_000} seconds.`);
  return span.ms;
}

export function readFlag(field: string, text: string): boolean {
  if (text !== "true" && text !== "false") throw invalidField(field, "This has to be true or false.");
  return text === "true";
}
