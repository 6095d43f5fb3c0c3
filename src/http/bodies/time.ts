/** A time of a request, with or without an offset. */
import type { FieldProblems } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";

/** The forms that `readInstant` accepts. */
export const TIME_PATTERN =
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$";

/** `send_at` in milliseconds; null if it is not there, or, with a problem in `fields`, is no time. */
export function readSendAt(raw: unknown, timezone: string, fields: FieldProblems): number | null {
  if (raw === undefined) return null;
  const sendAt = typeof raw === "string" ? readInstant(raw, timezone) : null;
  if (sendAt === null) {
    fields.send_at = [{ rule: "format", sentence: "Use an ISO 8601 time, for example 2026-11-27T10:00:00+05:30." }];
  }
  return sendAt;
}
