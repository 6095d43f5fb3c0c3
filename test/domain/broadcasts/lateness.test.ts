/** What a late broadcast does, by the wall clock. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { endOfQuiet, evaluateLateness, type LatenessRules } from "#src/domain/broadcasts/lateness.ts";

const HOUR = 3_600_000;
/** A workspace without quiet hours of its own. */
const UTC = { timezone: "UTC", quiet: "" };
const rules: LatenessRules = { lateAfterMs: 12 * HOUR, quiet: { fromMinute: 21 * 60, toMinute: 8 * 60 } };
const at = (local: string, timezone: string): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds;

function check(local: string, lateByMs: number, more: { category?: "MARKETING" | "UTILITY"; timezone?: string } = {}) {
  const { category = "MARKETING", timezone = "Asia/Kolkata" } = more;
  const now = at(local, timezone);
  return evaluateLateness({ dueSince: now - lateByMs, templateCategory: category }, rules, now, {
    timezone,
    quiet: "",
  });
}

test("a broadcast that is on time, or at most one hour late, starts at any hour", () => {
  for (const lateBy of [0, HOUR]) expect(check("2026-11-21T23:00", lateBy)).toEqual({ kind: "on_time" });
});

test("a broadcast more than 12 hours late waits for a person, whatever the hour and the category", () => {
  for (const category of ["MARKETING", "UTILITY"] as const) {
    expect(check("2026-11-21T12:00", 12 * HOUR, { category })).toEqual({ kind: "on_time" });
    expect(check("2026-11-21T12:00", 12 * HOUR + 1, { category })).toEqual({ kind: "late", lateByMs: 12 * HOUR + 1 });
  }
});

for (const [now, end] of [
  ["2026-11-21T21:00", "2026-11-22T08:00"],
  ["2026-11-21T23:59", "2026-11-22T08:00"],
  ["2026-11-22T00:00", "2026-11-22T08:00"],
  ["2026-11-22T07:59", "2026-11-22T08:00"],
] as const) {
  test(`late marketing at ${now} waits until ${end}`, () => {
    expect(check(now, 2 * HOUR)).toEqual({ kind: "wait", until: at(end, "Asia/Kolkata") });
    expect(check(now, 2 * HOUR, { category: "UTILITY" })).toEqual({ kind: "on_time" });
  });
}

test("late marketing starts during the day, to the minute", () => {
  for (const now of ["2026-11-21T08:00", "2026-11-21T20:59"]) expect(check(now, 2 * HOUR)).toEqual({ kind: "on_time" });
});

test("without quiet hours late marketing starts at any hour; quiet hours within one day end on that day", () => {
  const now = at("2026-11-21T13:30", "UTC");
  const broadcast = { dueSince: now - 2 * HOUR, templateCategory: "MARKETING" } as const;
  expect(evaluateLateness(broadcast, { ...rules, quiet: null }, now, UTC)).toEqual({ kind: "on_time" });
  const siesta = { ...rules, quiet: { fromMinute: 13 * 60, toMinute: 14 * 60 + 30 } };
  expect(evaluateLateness(broadcast, siesta, now, UTC)).toEqual({
    kind: "wait",
    until: at("2026-11-21T14:30", "UTC"),
  });
});

test("a workspace's own quiet hours, or none, replace those of the server", () => {
  const now = at("2026-11-21T23:30", "UTC");
  const broadcast = { dueSince: now - 2 * HOUR, templateCategory: "MARKETING" } as const;
  const until = at("2026-11-22T07:15", "UTC");
  expect(evaluateLateness(broadcast, rules, now, { ...UTC, quiet: "22:30-07:15" })).toEqual({ kind: "wait", until });
  expect(evaluateLateness(broadcast, rules, now, { ...UTC, quiet: "01:00-05:00" })).toEqual({ kind: "on_time" });
  expect(evaluateLateness(broadcast, rules, now, { ...UTC, quiet: "off" })).toEqual({ kind: "on_time" });
  const own = { ...rules, quiet: null };
  expect(evaluateLateness(broadcast, own, now, { ...UTC, quiet: "22:30-07:15" })).toEqual({ kind: "wait", until });
});

test("in every zone, on every day, including clock changes, the end of quiet hours lies ahead, within their length, and is not quiet", () => {
  const zones = [
    "UTC",
    "Asia/Kolkata",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "America/New_York",
  ];
  const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2027, 0, 1) / 60_000 }),
      minute,
      minute,
      (timezone, minutes, fromMinute, toMinute) => {
        fc.pre(fromMinute !== toMinute);
        const quiet = { fromMinute, toMinute };
        const now = minutes * 60_000;
        const end = endOfQuiet(quiet, now, timezone);
        const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone);
        const wall = local.hour * 60 + local.minute;
        const isQuiet =
          fromMinute < toMinute ? wall >= fromMinute && wall < toMinute : wall >= fromMinute || wall < toMinute;
        expect(end !== null).toBe(isQuiet);
        if (end === null) return;
        const lengthMinutes = (toMinute - fromMinute + 24 * 60) % (24 * 60);
        expect(end).toBeGreaterThan(now);
        // One hour more for a clock that is set back.
        expect(end - now).toBeLessThanOrEqual((lengthMinutes + 60) * 60_000);
        // Evaluated again at the end, quiet hours are over after a few evaluations at most: a clock that is set back
        // repeats an hour.
        let later: number | null = end;
        for (let asked = 0; later !== null && asked < 70; asked++) later = endOfQuiet(quiet, later, timezone);
        expect(later).toBeNull();
      },
    ),
    { numRuns: 3_000 },
  );
});
