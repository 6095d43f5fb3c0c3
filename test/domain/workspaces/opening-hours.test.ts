/** Opening hours as people write them, and what they say of a moment in the workspace's timezone. */
import { describe, expect, test } from "bun:test";
import { findHoursProblem, isAway, isClosedDay, normalizeHours } from "#src/domain/workspaces/opening-hours.ts";

describe("reading", () => {
  const same: Record<string, string> = {
    "mon-fri 10:00-19:00; sat closed": "mon-fri 10:00-19:00; sat-sun closed",
    " MON-FRI 9:00-13:00,15:00-19:30 ;Saturday 10:00 - 14:00":
      "mon-fri 09:00-13:00, 15:00-19:30; sat 10:00-14:00; sun closed",
    "fri-mon 18:00-02:00": "mon 18:00-02:00; tue-thu closed; fri-sun 18:00-02:00",
    "sat, sun 00:00-24:00": "mon-fri closed; sat-sun 00:00-24:00",
    "mon 15:00-19:00, 09:00-13:00": "mon 09:00-13:00, 15:00-19:00; tue-sun closed",
    "mon-sun closed": "mon-sun closed",
    "": "",
    " ; ": "",
  };
  for (const [given, stored] of Object.entries(same)) {
    test(`${JSON.stringify(given)} is stored as ${JSON.stringify(stored)}`, () => {
      expect(findHoursProblem(given)).toBeNull();
      expect(normalizeHours(given)).toBe(stored);
      expect(normalizeHours(stored)).toBe(stored);
    });
  }

  const wrong = [
    ...["always", "mon", "mon-fri", "10:00-19:00", "mo 10:00-19:00", "mon 10-19", "mon 25:00-26:00", "mon 10:60-11:00"],
    ...["mon 10:00-10:00", "mon 09:00-13:00, 12:00-15:00", "mon 18:00-02:00, 20:00-21:00", "mon-tue-wed 10:00-11:00"],
    ...["mon 10:00-24:01", "mon 10:00-19:00 sat closed", "feiertag closed"],
  ];
  test.each(wrong)("%p is refused with what would be right", (given) => {
    expect(findHoursProblem(given)).toContain("mon-fri 09:00-13:00, 15:00-19:00; sat 10:00-14:00; sun closed");
  });
  test("a day that is named twice is named", () => {
    expect(findHoursProblem("mon-fri 10:00-19:00; wed closed")).toBe("wed is named twice.");
  });

  test("closed days are dates, of one year or of every year", () => {
    expect(["2026-12-26", "12-25", "02-29", "2028-02-29"].filter((day) => !isClosedDay(day))).toEqual([]);
    expect(["2026-02-29", "13-01", "00-10", "04-31", "26.12.2026", "25-12", "2026-12"].filter(isClosedDay)).toEqual([]);
  });
});

describe("away", () => {
  const away = (openingHours: string, at: string, timezone = "Europe/Berlin", closedDays: string[] = []): boolean =>
    isAway({ openingHours, closedDays, timezone, awayMessage: "Closed." }, Date.parse(at));

  test("hours begin with their first minute and end before their last, in the timezone", () => {
    const hours = "mon-fri 10:00-19:00";
    const moments = ["09:59:59", "10:00:00", "18:59:59", "19:00:00"];
    expect(moments.map((time) => away(hours, `2026-11-27T${time}+01:00`))).toEqual([true, false, false, true]);
    expect(away(hours, "2026-11-27T10:00:00+01:00", "Asia/Kolkata")).toBe(false);
    expect(away(hours, "2026-11-27T15:00:00+01:00", "Asia/Kolkata")).toBe(true);
    expect(away(hours, "2026-11-28T12:00:00+01:00")).toBe(true);
  });

  test("hours past midnight belong to the day on which they begin, also before a closed one", () => {
    const hours = "fri 18:00-02:00";
    const moments = ["2026-11-27T18:00", "2026-11-28T01:59", "2026-11-28T02:00", "2026-11-27T01:00"];
    expect(moments.map((time) => away(hours, `${time}:00+01:00`))).toEqual([false, false, true, true]);
    expect(away(hours, "2026-11-28T01:00:00+01:00", "Europe/Berlin", ["2026-11-28"])).toBe(false);
    expect(away(hours, "2026-11-28T01:00:00+01:00", "Europe/Berlin", ["2026-11-27"])).toBe(true);
  });

  test("a closed day has no hours, of one year or of every year", () => {
    const hours = "mon-sun 10:00-19:00";
    const noon = (day: string, closed: string[]) => away(hours, `${day}T12:00:00+01:00`, "Europe/Berlin", closed);
    expect(noon("2026-12-25", ["12-25"])).toBe(true);
    expect(noon("2027-12-25", ["12-25"])).toBe(true);
    expect(noon("2026-12-25", ["2026-12-25"])).toBe(true);
    expect(noon("2027-12-25", ["2026-12-25"])).toBe(false);
  });

  test("on the days when clocks change, the wall clock counts", () => {
    // 2026-10-25 in Berlin: 02:00 to 03:00 occurs twice. 2026-03-29: it does not occur.
    const hours = "mon-sun 02:30-08:00";
    expect(away(hours, "2026-10-25T02:30:00+02:00")).toBe(false);
    expect(away(hours, "2026-10-25T02:10:00+01:00")).toBe(true);
    expect(away(hours, "2026-10-25T07:59:00+01:00")).toBe(false);
    expect(away(hours, "2026-03-29T01:59:00+01:00")).toBe(true);
    expect(away(hours, "2026-03-29T03:00:00+02:00")).toBe(false);
    expect(away("mon-sun 00:00-24:00", "2026-10-25T02:10:00+01:00")).toBe(false);
  });

  test("a workspace without hours, or without a message, is never away", () => {
    expect(away("", "2026-11-28T03:00:00+01:00")).toBe(false);
    const closed = { openingHours: "mon-sun closed", closedDays: [], timezone: "UTC", awayMessage: "" };
    expect(isAway(closed, Date.now())).toBe(false);
  });
});
