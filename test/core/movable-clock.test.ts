/** The clock of a server under test control: moves, freezing and resets. */
import { expect, test } from "bun:test";
import { sleep, systemClock } from "#src/core/clock.ts";
import { MovableClock } from "#src/core/movable-clock.ts";

const HOUR = 3_600_000;

test("a move fires what comes due on the way, in the order of its time, timers of timers included", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const start = clock.now();
  const fired: [string, number][] = [];
  const note = (name: string) => fired.push([name, clock.now() - start]);
  clock.setTimer(3 * HOUR, () => note("late"));
  clock.setTimer(HOUR, () => {
    note("first");
    clock.setTimer(HOUR, () => note("of the first"));
  });
  clock.setTimer(HOUR, () => note("second of the same moment"));
  clock.setTimer(5 * HOUR, () => note("after the move"));
  clock.setTimer(2 * HOUR, () => note("cancelled")).cancel();
  await clock.moveTo(start + 4 * HOUR);
  expect(fired).toEqual([
    ["first", HOUR],
    ["second of the same moment", HOUR],
    ["of the first", 2 * HOUR],
    ["late", 3 * HOUR],
  ]);
  expect(clock.now()).toBe(start + 4 * HOUR);
});

test("between two timers, the work that the first began comes to its end", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const start = clock.now();
  let inFlight = 0;
  const ended: number[] = [];
  clock.activity = { isWorking: () => inFlight > 0, isRequested: () => false, progress: () => ended.length };
  for (const hours of [1, 2, 3]) {
    clock.setTimer(hours * HOUR, async () => {
      inFlight += 1;
      // Work on a real socket: its time is not this clock's.
      await sleep(systemClock, 20);
      ended.push(clock.now() - start);
      inFlight -= 1;
    });
  }
  await clock.moveTo(start + 4 * HOUR);
  expect(ended).toEqual([HOUR, 2 * HOUR, 3 * HOUR]);
});

test("a frozen clock stands still and fires nothing; unfrozen, it continues from there", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const frozenAt = clock.now();
  let count = 0;
  clock.setTimer(1, () => {
    count += 1;
  });
  await sleep(systemClock, 30);
  expect([clock.now(), count]).toEqual([frozenAt, 0]);
  await clock.moveTo(frozenAt + HOUR);
  expect([clock.now(), count]).toEqual([frozenAt + HOUR, 1]);
  const fired = Promise.withResolvers<void>();
  clock.setTimer(5, fired.resolve);
  await clock.unfreeze();
  await fired.promise;
  expect(clock.now()).toBeGreaterThanOrEqual(frozenAt + HOUR + 5);
  expect(clock.now()).toBeLessThan(frozenAt + 2 * HOUR);
});

test("the clock never goes back by a move, and neither clock loses a millisecond over two thousand timers", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const [wall, monotonic] = [clock.now(), clock.monotonic()];
  await clock.moveTo(wall - HOUR);
  expect(clock.now()).toBe(wall);
  const dues: number[] = [];
  const arm = (left: number): void => {
    const due = clock.now() + 7;
    clock.setTimer(7, () => {
      if (clock.now() !== due) dues.push(clock.now() - due);
      if (left > 0) arm(left - 1);
    });
  };
  arm(2_000);
  await clock.moveTo(wall + 20_000);
  expect(dues).toEqual([]);
  expect(clock.now()).toBe(wall + 20_000);
  expect(clock.monotonic() - monotonic).toBeCloseTo(20_000, 3);
});

test("a frozen clock moves for a request that waits for it, and no further", async () => {
  const clock = new MovableClock(systemClock);
  let requests = 1;
  clock.activity = { isWorking: () => false, isRequested: () => requests > 0, progress: () => requests };
  await clock.freeze();
  const start = clock.now();
  let isLateFired = false;
  clock.setTimer(HOUR, () => {
    isLateFired = true;
  });
  const answered = sleep(clock, 250).then(() => {
    requests -= 1;
  });
  clock.serveRequests();
  await answered;
  await clock.settle();
  expect([clock.now() - start, isLateFired]).toEqual([250, false]);
});

test("a reset drops the timers and returns to the real time, and the monotonic clock does not go back", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  let count = 0;
  clock.setTimer(2 * HOUR, () => {
    count += 1;
  });
  await clock.moveTo(clock.now() + HOUR);
  const before = clock.monotonic();
  clock.reset(null, false);
  expect(Math.abs(clock.now() - systemClock.now())).toBeLessThan(1_000);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(before);
  expect(clock.isFrozen).toBe(false);
  await clock.moveTo(clock.now() + 5 * HOUR);
  expect(count).toBe(0);
});

test("upkeep of an empty year runs when it is due for the first time and once at the end", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const start = clock.now();
  const runs: number[] = [];
  const cleanUp = () => {
    runs.push(clock.now() - start);
    clock.setTimer(24 * HOUR, cleanUp, { isUpkeep: true });
  };
  clock.setTimer(HOUR, cleanUp, { isUpkeep: true });
  await clock.moveTo(start + 365 * 24 * HOUR);
  expect(runs).toEqual([HOUR, 365 * 24 * HOUR]);
});

test("upkeep keeps its own times while anything else is due", async () => {
  const clock = new MovableClock(systemClock);
  await clock.freeze();
  const start = clock.now();
  const runs: string[] = [];
  const cleanUp = () => {
    runs.push(`upkeep ${(clock.now() - start) / HOUR}`);
    clock.setTimer(HOUR, cleanUp, { isUpkeep: true });
  };
  clock.setTimer(HOUR, cleanUp, { isUpkeep: true });
  clock.setTimer(3.5 * HOUR, () => runs.push("job 3.5"));
  await clock.moveTo(start + 10 * HOUR);
  expect(runs).toEqual(["upkeep 1", "upkeep 2", "upkeep 3", "job 3.5", "upkeep 10"]);
});

test("a clock that starts at a time of its own returns to it, or to another one, by a reset", async () => {
  const startsAt = Date.UTC(2026, 11, 24, 9);
  const clock = new MovableClock(systemClock, startsAt);
  expect([clock.now(), clock.isFrozen]).toEqual([startsAt, true]);
  await clock.moveTo(startsAt + HOUR);
  clock.reset(null, false);
  expect(Math.abs(clock.now() - startsAt)).toBeLessThan(1_000);
  clock.reset(startsAt - 365 * 24 * HOUR, false);
  expect(Math.abs(clock.now() - startsAt + 365 * 24 * HOUR)).toBeLessThan(1_000);
});
