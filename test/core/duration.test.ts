import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Duration, durationBefore, formatDuration, readDuration } from "#src/core/duration.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("reading a duration", () => {
  test("a whole number and a unit are read, with or without a space", () => {
    const rows: [string, Duration][] = [
      ["500ms", { kind: "ms", ms: 500 }],
      ["0s", { kind: "ms", ms: 0 }],
      ["10s", { kind: "ms", ms: 10_000 }],
      ["10 seconds", { kind: "ms", ms: 10_000 }],
      ["5m", { kind: "ms", ms: 5 * MINUTE_MS }],
      ["5 min", { kind: "ms", ms: 5 * MINUTE_MS }],
      ["1 minute", { kind: "ms", ms: MINUTE_MS }],
      ["2h", { kind: "ms", ms: 2 * HOUR_MS }],
      ["2 hours", { kind: "ms", ms: 2 * HOUR_MS }],
      ["30 days", { kind: "ms", ms: 30 * DAY_MS }],
      ["1 day", { kind: "ms", ms: DAY_MS }],
      ["7d", { kind: "ms", ms: 7 * DAY_MS }],
      ["2 weeks", { kind: "ms", ms: 14 * DAY_MS }],
      ["18 months", { kind: "months", months: 18 }],
      ["1 month", { kind: "months", months: 1 }],
      ["2 years", { kind: "months", months: 24 }],
      ["100 years", { kind: "months", months: 1_200 }],
    ];
    for (const [text, duration] of rows) expect([text, readDuration(text)]).toEqual([text, duration]);
  });

  test("a text that is not a whole number of one known unit, or exceeds a hundred years, is refused", () => {
    const refused = [
      "",
      " ",
      "5",
      "s",
      "m5",
      "-5s",
      "+5s",
      "1.5h",
      "1,5h",
      "1e3s",
      "5M",
      "5 Days",
      "2h30m",
      "2 h 5 min",
      "5  s",
      " 5s",
      "5s ",
      "5s\n",
      "5 fortnights",
      "5 toString",
      "5 mo",
      "forever",
      "PT5M",
      "101 years",
      "1201 months",
      "36526 days",
      "9999999999999999s",
      `${"9".repeat(100_000)}s`,
    ];
    expect(refused.filter((text) => readDuration(text) !== null)).toEqual([]);
  });

  test("no text makes reading throw, and every result is a whole amount of at most a hundred years", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{1,9} ?[a-z]{1,7}$/)), (text) => {
        const duration = readDuration(text);
        if (duration?.kind === "ms") expect(duration.ms).toBeLessThanOrEqual(36_525 * DAY_MS);
        if (duration?.kind === "months") expect(duration.months).toBeLessThanOrEqual(1_200);
      }),
    );
  });
});

describe("an instant before now", () => {
  const before = (now: string, months: number): string =>
    new Date(durationBefore(Date.parse(now), { kind: "months", months })).toISOString();

  test("milliseconds are subtracted as they are", () => {
    expect(durationBefore(10_000, { kind: "ms", ms: 2_500 })).toBe(7_500);
  });

  test("months are calendar months in UTC and keep the time of day", () => {
    expect(before("2026-11-21T08:44:26.123Z", 18)).toBe("2025-05-21T08:44:26.123Z");
    expect(before("2026-01-15T00:00:00.000Z", 1)).toBe("2025-12-15T00:00:00.000Z");
    expect(before("2026-11-21T23:59:59.999Z", 0)).toBe("2026-11-21T23:59:59.999Z");
  });

  test("a day that the earlier month lacks becomes that month's last day", () => {
    expect(before("2026-03-31T12:00:00.000Z", 1)).toBe("2026-02-28T12:00:00.000Z");
    expect(before("2028-03-31T12:00:00.000Z", 1)).toBe("2028-02-29T12:00:00.000Z");
    expect(before("2028-02-29T12:00:00.000Z", 12)).toBe("2027-02-28T12:00:00.000Z");
    expect(before("2026-12-31T12:00:00.000Z", 1)).toBe("2026-11-30T12:00:00.000Z");
  });

  test("any months before any moment match Temporal's subtraction in UTC", () => {
    const now = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(now, fc.integer({ min: 0, max: 1_200 }), (ms, months) => {
        const expected = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("UTC").subtract({ months });
        expect(durationBefore(ms, { kind: "months", months })).toBe(expected.epochMilliseconds);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("printing a duration", () => {
  test("a duration is printed with at most two units", () => {
    const rows: [number, string][] = [
      [0, "0 ms"],
      [0.4, "0 ms"],
      [850, "850 ms"],
      [1_000, "1 s"],
      [1_449, "1.4 s"],
      [59_900, "59.9 s"],
      [MINUTE_MS, "1 min"],
      [5 * MINUTE_MS + 3_000, "5 min 3 s"],
      [2 * HOUR_MS + 5 * MINUTE_MS, "2 h 5 min"],
      [2 * HOUR_MS, "2 h"],
      [DAY_MS, "1 day"],
      [DAY_MS + 3 * HOUR_MS, "1 day 3 h"],
      [3 * DAY_MS + 4 * HOUR_MS, "3 days 4 h"],
      [400 * DAY_MS, "400 days"],
      [-1_400, "-1.4 s"],
    ];
    for (const [ms, text] of rows) expect([ms, formatDuration(ms)]).toEqual([ms, text]);
  });

  test("rounding carries into the next unit instead of filling up the smaller one", () => {
    expect(formatDuration(999.7)).toBe("1 s");
    expect(formatDuration(59_970)).toBe("1 min");
    expect(formatDuration(HOUR_MS - 1)).toBe("1 h");
    expect(formatDuration(DAY_MS - 1)).toBe("1 day");
    expect(formatDuration(2 * DAY_MS - 1)).toBe("2 days");
    fc.assert(
      fc.property(fc.double({ min: 0, max: 400 * DAY_MS, noNaN: true }), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b(1000 ms|60 s|60 min|24 h|1 days)\b/);
      }),
      { numRuns: 5_000 },
    );
  });
});
