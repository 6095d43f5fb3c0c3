import { expect, test } from "bun:test";
import { newEventId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const id = (now: number, latest: string | null) => newEventId(now, latest, systemRandom);

test("an event's id sorts after the previous one: later, within a millisecond, an hour back, and after the count is full", () => {
  const first = id(NOW, null);
  const full = `${first.slice(0, 14)}zzzzz${first.slice(19)}`;
  for (const latest of [first, full]) {
    for (const now of [NOW + 1, NOW, NOW - 3_600_000]) {
      const next = id(now, latest);
      expect(next).toMatch(/^evt_[0-9a-z]{26}$/);
      expect(next > latest).toBe(true);
    }
  }
});

test("copies of a database that count on from the same id make different ids", () => {
  const latest = id(NOW, null);
  expect(new Set(Array.from({ length: 100 }, () => id(NOW, latest))).size).toBe(100);
});

test("an id of another form is followed by one of the present time", () => {
  expect(id(NOW, "evt_1").slice(0, 14)).toBe(id(NOW, null).slice(0, 14));
});
