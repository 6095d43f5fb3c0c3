import { expect, test } from "bun:test";
import { InFlightLimit } from "#src/sending/in-flight-limit.ts";

function after(latencyMs: number, answers = 500): InFlightLimit {
  const limit = new InFlightLimit();
  for (let i = 0; i < answers; i += 1) limit.noteAccepted(latencyMs);
  return limit;
}

test.each([0, 150, 300, 800])("at answers after %d ms a number of 1,000 a second has room for its whole pace", (ms) => {
  const max = after(ms).max(1_000);
  expect(max).toBeGreaterThanOrEqual(ms * 1.25 + 64);
  // Whatever is in flight at a crash is in doubt.
  expect(max).toBeLessThanOrEqual(ms * 1.5 + 128 + 1);
});

test("a slow number has few messages in flight, however fast the answers are", () => {
  expect(after(1).max(80)).toBeLessThanOrEqual(20);
  expect(after(1).max(1)).toBeLessThanOrEqual(20);
});

test("a number has at most 2,000 messages in flight, however slow the answers are and however fast the number is", () => {
  expect(after(30_000).max(1_000)).toBe(2_000);
  expect(after(30_000).max(100_000)).toBe(2_000);
});

test("a single slow answer changes the room by at most a twentieth of its latency", () => {
  const limit = after(100);
  const before = limit.max(1_000);
  limit.noteAccepted(10_000);
  expect(limit.max(1_000) - before).toBeLessThanOrEqual(9_900 * 0.05 * 1.5 + 1);
});
