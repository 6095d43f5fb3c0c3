/** Until when a conversation is snoozed, on the workspace's clock. */
import { expect, test } from "bun:test";
import { readInstant } from "#src/core/instant.ts";
import { localTime, shortTime, snoozeTimes } from "#src/web/features/inbox/snooze-times.ts";

const times = (at: string, zone: string) =>
  Object.fromEntries(snoozeTimes(Date.parse(at), zone).map(({ name, until }) => [name, until]));

test("the offered times are on the workspace's clock, and lie ahead", () => {
  // A Friday at 11:30 in India.
  expect(times("2026-11-27T06:00:00Z", "Asia/Kolkata")).toEqual({
    hour: "2026-11-27T07:00:00.000Z",
    evening: "2026-11-27T18:00",
    tomorrow: "2026-11-28T09:00",
    monday: "2026-11-30T09:00",
  });
  // A Sunday at 17:30: the evening has begun, and tomorrow is the Monday.
  expect(times("2026-11-29T12:00:00Z", "Asia/Kolkata")).toEqual({
    hour: "2026-11-29T13:00:00.000Z",
    tomorrow: "2026-11-30T09:00",
  });
  // A Monday shortly after midnight, while it is Sunday in London.
  expect(times("2026-11-29T15:30:00Z", "Asia/Tokyo").monday).toBe("2026-12-07T09:00");
  for (let hour = 0; hour < 24 * 8; hour += 1) {
    const now = Date.parse("2026-03-25T00:10:00Z") + hour * 3_600_000;
    for (const zone of ["Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Auckland"])
      for (const { name, until } of snoozeTimes(now, zone))
        expect([name, zone, (readInstant(until, zone) ?? 0) > now]).toEqual([name, zone, true]);
  }
});

test("a time is shown on the workspace's clock, with or without an offset", () => {
  expect(localTime(Date.parse("2026-11-27T20:00:00Z"), "Asia/Kolkata")).toBe("2026-11-28T01:30");
  for (const until of ["2026-11-28T09:00", "2026-11-28T03:30:00Z"])
    expect(shortTime({ until }, "Asia/Kolkata")).toBe("Sat 28 Nov, 09:00");
});
