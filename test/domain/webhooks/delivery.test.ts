/** When the next attempt is due: for all schedules, all jitters and all clocks. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Random } from "#src/core/random.ts";
import { nextAttemptAt, type RetrySchedule } from "#src/domain/webhooks/delivery.ts";

const DAY_MS = 86_400_000;

function chance(fraction: number): Random {
  return { bytes: (count) => new Uint8Array(count), fraction: () => fraction };
}

const middle = chance(0.5);
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const times = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 * DAY_MS }), { minLength: 1, maxLength: 12 })
  .map((list) => list.toSorted((a, b) => a - b));
const jitter = fc.double({ min: 0, max: 0.5, noNaN: true });
const schedules: fc.Arbitrary<RetrySchedule> = fc.record({ retryAfterMs: times, jitter });
const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });

test("the standard schedule without jitter is 1, 5 and 30 minutes, 2, 6 and 24 hours, and then ends", () => {
  const minutes = [1, 5, 30, 120, 360, 1_440];
  const schedule = { retryAfterMs: minutes.map((count) => count * 60_000), jitter: 0 };
  const due = [1, 2, 3, 4, 5, 6, 7].map((count) => nextAttemptAt(schedule, 1_000, count, 1_000, middle));
  expect(due).toEqual([...minutes.map((count) => 1_000 + count * 60_000), null]);
});

test("a schedule allows one further attempt per delay, and none without delays", () => {
  fc.assert(
    fc.property(schedules, instant, (schedule, first) => {
      let attempts = 1;
      while (nextAttemptAt(schedule, first, attempts, first, middle) !== null) attempts++;
      expect(attempts).toBe(schedule.retryAfterMs.length + 1);
    }),
  );
  expect(nextAttemptAt({ retryAfterMs: [], jitter: 0.1 }, 0, 1, 0, middle)).toBeNull();
});

test("an attempt that is still ahead is due within its jitter, whenever the attempts before it ended", () => {
  fc.assert(
    fc.property(schedules, instant, fraction, fc.nat(11), fc.nat(), (schedule, first, share, place, elapsed) => {
      const index = place % schedule.retryAfterMs.length;
      const after = schedule.retryAfterMs[index] ?? 0;
      const earliest = first + Math.floor(after * (1 - schedule.jitter));
      const now = first + (elapsed % Math.max(1, earliest - first));
      const due = nextAttemptAt(schedule, first, index + 1, now, chance(share)) ?? Number.NaN;
      expect(due).toBeGreaterThanOrEqual(earliest);
      expect(due).toBeLessThanOrEqual(first + Math.ceil(after * (1 + schedule.jitter)));
    }),
  );
});

test("the next attempt is due at a whole millisecond, never in the past, and without jitter always in the future", () => {
  fc.assert(
    fc.property(schedules, instant, instant, fraction, (schedule, first, now, share) => {
      for (let count = 1; count <= schedule.retryAfterMs.length; count++) {
        const due = nextAttemptAt(schedule, first, count, now, chance(share)) ?? Number.NaN;
        expect(Number.isSafeInteger(due)).toBe(true);
        expect(due).toBeGreaterThanOrEqual(now);
        const exact = nextAttemptAt({ ...schedule, jitter: 0 }, first, count, now, chance(share)) ?? Number.NaN;
        expect(exact).toBeGreaterThan(now);
      }
    }),
  );
});

test("attempts that are overdue follow after the minimum interval, however long ago they were due", () => {
  fc.assert(
    fc.property(times, instant, fc.integer({ min: 1, max: 1_000 * DAY_MS }), (retryAfterMs, first, late) => {
      const now = first + (retryAfterMs.at(-1) ?? 0) + late;
      for (let count = 1; count <= retryAfterMs.length; count++) {
        expect(nextAttemptAt({ retryAfterMs, jitter: 0 }, first, count, now, middle)).toBe(
          now + (retryAfterMs[0] ?? 0),
        );
      }
    }),
  );
});

test("the jitter reaches both of its ends", () => {
  const schedule = { retryAfterMs: [100_000], jitter: 0.1 };
  expect(nextAttemptAt(schedule, 0, 1, 0, chance(0))).toBe(90_000);
  expect(nextAttemptAt(schedule, 0, 1, 0, chance(1 - 2 ** -53))).toBe(110_000);
});
