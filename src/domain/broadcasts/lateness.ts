/**
 * Decides whether a broadcast that can continue should: not during quiet hours because the server was down in the
 * evening, and not days later without a person's decision. Pure. Evaluated once, when the broadcast could continue.
 */
import { startOfDay } from "#src/core/instant.ts";
import { type QuietHours, readQuietHours } from "#src/core/quiet-hours.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { Workspace } from "../workspaces/table.ts";

export interface LatenessRules {
  /** A person decides about broadcasts later than this. */
  lateAfterMs: number;
  /** The server's quiet hours, for workspaces without their own; null if there are none. */
  quiet: QuietHours | null;
}

type Lateness = { kind: "on_time" } | { kind: "late"; lateByMs: number } | { kind: "wait"; until: number };

/** A broadcast that is late by less than this ignores quiet hours: it runs close to the time that was chosen. */
const QUIET_AFTER_MS = 60 * 60 * 1000;
const MINUTE_MS = 60_000;

export function evaluateLateness(
  { dueSince, templateCategory }: { dueSince: number; templateCategory: TemplateCategory },
  rules: LatenessRules,
  now: number,
  workspace: QuietWorkspace,
): Lateness {
  const lateByMs = now - dueSince;
  if (lateByMs > rules.lateAfterMs) return { kind: "late", lateByMs };
  if (templateCategory !== "MARKETING" || lateByMs <= QUIET_AFTER_MS) return { kind: "on_time" };
  const until = quietUntil(rules, now, workspace);
  return until === null ? { kind: "on_time" } : { kind: "wait", until };
}

type QuietWorkspace = Pick<Workspace, "timezone" | "quiet">;

/** The workspace's own quiet hours, or the server's; null: it has none. */
export function quietOf({ quiet }: Pick<Workspace, "quiet">, server: LatenessRules["quiet"]): QuietHours | null {
  return quiet === "" ? server : readQuietHours(quiet);
}

/** When the workspace's quiet hours that contain `now` end; null: `now` is not in quiet hours. */
export function quietUntil(rules: Pick<LatenessRules, "quiet">, now: number, workspace: QuietWorkspace): number | null {
  const quiet = quietOf(workspace, rules.quiet);
  return quiet === null ? null : endOfQuiet(quiet, now, workspace.timezone);
}

/** When the quiet hours that contain `now` end, by the wall clock of `timezone`; null: `now` is not in quiet hours. */
export function endOfQuiet({ fromMinute, toMinute }: QuietHours, now: number, timezone: string): number | null {
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
