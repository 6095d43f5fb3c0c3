/**
 * Decides whether a broadcast that can continue should: not during quiet hours because the server was down in the
 * evening, and not days later without a person's decision. Pure. Evaluated once, when the broadcast could continue.
 */
import { startOfDay } from "#src/core/instant.ts";
import type { TemplateCategory } from "../templates/template.ts";

export interface LatenessRules {
  /** A person decides about broadcasts later than this. */
  lateAfterMs: number;
  /** Quiet hours in minutes of the day, the end exclusive; null if there are none. */
  quiet: { fromMinute: number; toMinute: number } | null;
}

type Lateness = { kind: "on_time" } | { kind: "late"; lateByMs: number } | { kind: "wait"; until: number };

/** A broadcast that is late by less than this ignores quiet hours: it runs close to the time that was chosen. */
const QUIET_AFTER_MS = 60 * 60 * 1000;
const MINUTE_MS = 60_000;

export function evaluateLateness(
  { dueSince, templateCategory }: { dueSince: number; templateCategory: TemplateCategory },
  rules: LatenessRules,
  now: number,
  timezone: string,
): Lateness {
  const lateByMs = now - dueSince;
  if (lateByMs > rules.lateAfterMs) return { kind: "late", lateByMs };
  if (templateCategory !== "MARKETING" || lateByMs <= QUIET_AFTER_MS || rules.quiet === null)
    return { kind: "on_time" };
  const until = endOfQuiet(rules.quiet, now, timezone);
  return until === null ? { kind: "on_time" } : { kind: "wait", until };
}

/** When the quiet hours that contain `now` end, by the wall clock of `timezone`; null: `now` is not in quiet hours. */
export function endOfQuiet(
  { fromMinute, toMinute }: { fromMinute: number; toMinute: number },
  now: number,
  timezone: string,
): number | null {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone);
  const minute = local.hour * 60 + local.minute;
  const overMidnight = fromMinute > toMinute;
  const isQuiet = overMidnight ? minute >= fromMinute || minute < toMinute : minute >= fromMinute && minute < toMinute;
  if (!isQuiet) return null;
  const endsToday = minute < toMinute;
  const day = Temporal.Instant.fromEpochMilliseconds(startOfDay(now, timezone))
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
  const end = day
    .add({ days: endsToday ? 0 : 1 })
    .toZonedDateTime({ timeZone: timezone, plainTime: { hour: Math.floor(toMinute / 60), minute: toMinute % 60 } });
  // When daylight saving time ends, the computed end may lie before `now`: check again a minute later.
  return Math.max(end.epochMilliseconds, now + MINUTE_MS);
}
