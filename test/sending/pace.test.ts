import { expect, test } from "bun:test";
import fc from "fast-check";
import { Pace } from "#src/sending/pace.ts";
import { TestClock } from "#test/support/clock.ts";

const NUMBER = 1;

/** Takes until none is there. */
function drain(pace: Pace, throughput: number): number {
  let taken = 0;
  while (pace.tryAcquire(NUMBER, throughput)) taken += 1;
  return taken;
}

async function settle(clock: TestClock, ms: number): Promise<void> {
  await clock.advance(ms);
}

test("a number starts with an empty bucket", () => {
  expect(new Pace(new TestClock()).tryAcquire(NUMBER, 1_000)).toBe(false);
});

for (const [throughput, saved] of [
  [80, 8],
  [1_000, 100],
  [5, 1],
  [1, 1],
] as const) {
  test(`a number of ${throughput} a second that was idle for long may send ${saved} at once`, async () => {
    const clock = new TestClock();
    const pace = new Pace(clock);
    pace.tryAcquire(NUMBER, throughput);
    await settle(clock, 3_600_000);
    expect(drain(pace, throughput)).toBe(saved);
  });
}

test("numbers do not share a bucket", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  pace.tryAcquire(1, 1);
  pace.tryAcquire(2, 1);
  await settle(clock, 1_000);
  expect([pace.tryAcquire(1, 1), pace.tryAcquire(2, 1), pace.tryAcquire(1, 1)]).toEqual([true, true, false]);
});

test("a released token goes to the first waiter and never overfills the bucket", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  const order: string[] = [];
  const first = pace.acquire(NUMBER, 1, 60_000).then(() => order.push("first"));
  const second = pace.acquire(NUMBER, 1, 60_000).then(() => order.push("second"));
  pace.release(NUMBER);
  await first;
  expect(order).toEqual(["first"]);
  await clock.until(second);
  for (let i = 0; i < 5; i++) pace.release(NUMBER);
  expect(drain(pace, 1)).toBe(1);
});

test("no caller overtakes a waiting one, not even when a token is available", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  const waiting = pace.acquire(NUMBER, 10, 60_000);
  expect(pace.tryAcquire(NUMBER, 10)).toBe(false);
  expect(await clock.until(waiting)).toEqual({ isGranted: true });
});

test("a turn that could not come before the deadline is refused at once, with the time that it would take", async () => {
  const pace = new Pace(new TestClock());
  expect(await pace.acquire(NUMBER, 1, 999)).toEqual({ isGranted: false, waitMs: 1_000 });
});

/** Messages a second that leave over ten seconds. */
async function rateNow(clock: TestClock, pace: Pace, throughput: number, seconds = 1): Promise<number> {
  drain(pace, throughput);
  let taken = 0;
  for (let step = 0; step < seconds * 50; step++) {
    await clock.advance(20);
    taken += drain(pace, throughput);
  }
  return taken / seconds;
}

test("a throttle slows the number down, several within a second count once, and the full pace is back within a minute", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  pace.tryAcquire(NUMBER, 80);
  await settle(clock, 1_000);
  for (let i = 0; i < 10; i++) pace.slowDown(NUMBER);
  const slowed = await rateNow(clock, pace, 80);
  expect(slowed).toBeGreaterThanOrEqual(38);
  expect(slowed).toBeLessThanOrEqual(44);
  await settle(clock, 59_000);
  expect(await rateNow(clock, pace, 80)).toBeGreaterThanOrEqual(79);
}, 60_000);

test("however often the network throttles, one message a second may still leave", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  pace.tryAcquire(NUMBER, 80);
  for (let i = 0; i < 30; i++) {
    await settle(clock, 1_000);
    pace.slowDown(NUMBER);
  }
  const deadline = clock.monotonic() + 1_000;
  expect(await clock.until(pace.acquire(NUMBER, 80, deadline))).toEqual({ isGranted: true });
  expect(clock.monotonic()).toBeLessThanOrEqual(deadline);
});

for (const throughput of [80, 1_000]) {
  test(`a network that takes nothing for a minute is soon asked hardly more than once a second, at ${throughput} a second too`, () => {
    let now = 0;
    const pace = new Pace({ now: () => now, monotonic: () => now, setTimer: () => ({ cancel: () => undefined }) });
    const asked = (seconds: number, isThrottled: boolean): number[] =>
      Array.from({ length: seconds }, () => {
        let count = 0;
        for (const end = now + 1_000; now < end; ) {
          now += 10;
          const left = drain(pace, throughput);
          count += left;
          if (left > 0 && isThrottled) pace.slowDown(NUMBER);
        }
        return count;
      });
    pace.tryAcquire(NUMBER, throughput);
    expect(Math.max(...asked(60, true).slice(12))).toBeLessThanOrEqual(2);
    expect(asked(61, false).at(-1)).toBeGreaterThanOrEqual(throughput * 0.98);
  });
}

test("a number of one a second is never slowed below one a second", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  pace.tryAcquire(NUMBER, 1);
  await settle(clock, 1_000);
  pace.slowDown(NUMBER);
  expect(await clock.until(pace.acquire(NUMBER, 1, clock.monotonic() + 1_000))).toEqual({ isGranted: true });
});

test("who was let in to wait has an answer by the deadline, also when the number is slowed down meanwhile", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  const deadline = 8_000;
  const ends: number[] = [];
  const turns = Array.from({ length: 70 }, async () => {
    await pace.acquire(NUMBER, 10, deadline);
    ends.push(clock.monotonic());
  });
  for (let i = 0; i < 5; i++) {
    await clock.advance(1_000);
    pace.slowDown(NUMBER);
  }
  await clock.until(Promise.all(turns));
  expect(Math.max(...ends)).toBeLessThanOrEqual(deadline);
});

test("whatever the pattern of asking and giving back, no more leave in any span than the bucket saved and the rate allows", async () => {
  const step = fc.record({ waitMs: fc.nat(400), asks: fc.nat(20), releases: fc.nat(1) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.array(step, { maxLength: 25 }), async (throughput, steps) => {
      let now = 0;
      const pace = new Pace({ now: () => now, monotonic: () => now, setTimer: () => ({ cancel: () => undefined }) });
      const left: number[] = [];
      const saved = Math.max(1, throughput * 0.1);
      for (const { waitMs, asks, releases } of steps) {
        now += waitMs;
        for (let i = 0; i < asks; i++) if (pace.tryAcquire(NUMBER, throughput)) left.push(now);
        if (releases === 1 && left.pop() !== undefined) pace.release(NUMBER);
      }
      left.forEach((from, first) => {
        left.slice(first).forEach((to, extra) => {
          expect(extra + 1).toBeLessThanOrEqual(saved + ((to - from) / 1_000) * throughput + 1e-6);
        });
      });
    }),
    { numRuns: 200 },
  );
});

test("a broadcast takes what is there, in whole messages, and nothing while a single send waits", async () => {
  const clock = new TestClock();
  const pace = new Pace(clock);
  expect(pace.acquireUpTo(NUMBER, 100, 50)).toBe(0);
  await settle(clock, 55);
  expect(pace.acquireUpTo(NUMBER, 100, 2)).toBe(2);
  expect(pace.acquireUpTo(NUMBER, 100, 50)).toBe(3);
  const single = pace.acquire(NUMBER, 100, 60_000);
  expect(pace.acquireUpTo(NUMBER, 100, 50)).toBe(0);
  await clock.until(single);
  await settle(clock, 1_000);
  expect(pace.acquireUpTo(NUMBER, 100, 50)).toBe(10);
});

test("a broadcast that waits as long as it is told finds a token, and is told of no shorter wait", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2_000 }),
      fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 }),
      async (throughput, takes) => {
        const clock = new TestClock();
        clock.rest = async () => undefined;
        const pace = new Pace(clock);
        pace.tryAcquire(NUMBER, throughput);
        let taken = 0;
        for (const max of takes) {
          const waitMs = pace.msUntilNext(NUMBER, throughput);
          expect(waitMs).toBeGreaterThanOrEqual(1);
          expect(waitMs).toBeLessThanOrEqual(Math.ceil(1000 / throughput) + 1);
          await clock.advance(waitMs);
          const got = pace.acquireUpTo(NUMBER, throughput, max);
          expect(got).toBeGreaterThanOrEqual(1);
          taken += got;
        }
        expect(taken).toBeLessThanOrEqual(Math.floor((clock.monotonic() / 1000) * throughput + 1e-6));
      },
    ),
    { numRuns: 200 },
  );
});
