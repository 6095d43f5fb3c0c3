/** The loop of every service: what it does about notifications, timers, faults and stops, tested once for all of them. */
import { describe, expect, test } from "bun:test";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { TestClock } from "#test/support/clock.ts";

const RETRY_AFTER_MS = 5_000;

/** A service whose runs last until the test ends them; `answers` says when the next one is due. */
class Probe extends ServiceLoop {
  readonly clock: TestClock;
  readonly errors: unknown[];
  runCount = 0;
  /** The most runs that were under way at the same time. */
  concurrencyMax = 0;
  #underWay: PromiseWithResolvers<NextRun>[] = [];

  constructor(clock: TestClock, errors: unknown[], firstRunAfterMs?: number) {
    super({
      name: "probe",
      clock,
      retryAfterMs: RETRY_AFTER_MS,
      onError: (error) => errors.push(error),
      ...(firstRunAfterMs === undefined ? {} : { firstRunAfterMs }),
    });
    this.clock = clock;
    this.errors = errors;
  }

  runOnce(): Promise<NextRun> {
    this.runCount += 1;
    const run = Promise.withResolvers<NextRun>();
    this.#underWay.push(run);
    this.concurrencyMax = Math.max(this.concurrencyMax, this.#underWay.length);
    return run.promise;
  }

  async end(next: NextRun = null): Promise<void> {
    this.#take().resolve(next);
    await this.clock.rest();
  }

  async fail(error: unknown): Promise<void> {
    this.#take().reject(error);
    await this.clock.rest();
  }

  #take(): PromiseWithResolvers<NextRun> {
    const run = this.#underWay.shift();
    if (run === undefined) throw new Error("no run is under way");
    return run;
  }
}

function probe(firstRunAfterMs?: number): Probe {
  return new Probe(new TestClock(), [], firstRunAfterMs);
}

/** Timers that the service has armed and not cancelled. */
function countTimers(clock: TestClock): () => number {
  let count = 0;
  const setTimer = clock.setTimer.bind(clock);
  clock.setTimer = (delayMs, fire) => {
    let isArmed = true;
    count += 1;
    const disarm = (): void => {
      if (isArmed) count -= 1;
      isArmed = false;
    };
    const timer = setTimer(delayMs, () => {
      disarm();
      fire();
    });
    return {
      cancel: () => {
        disarm();
        timer.cancel();
      },
    };
  };
  return () => count;
}

describe("a run", () => {
  test("begins in the turn of the start, and ends with the service at rest", async () => {
    const service = probe();
    expect(service.isActive).toBe(false);
    service.start();
    expect(service.runCount).toBe(1);
    expect(service.isActive).toBe(true);
    await service.end();
    expect(service.isActive).toBe(false);
    await service.clock.advance(3_600_000);
    expect(service.runCount).toBe(1);
  });

  test("is the first only after the delay that was asked for", async () => {
    const service = probe(600_000);
    service.start();
    expect(service.isActive).toBe(false);
    await service.clock.advance(599_999);
    expect(service.runCount).toBe(0);
    await service.clock.advance(1);
    expect(service.runCount).toBe(1);
  });

  test("follows at once, after a delay, or at a notification, as the run before it answered", async () => {
    const service = probe();
    service.start();
    await service.end("at_once");
    expect(service.runCount).toBe(2);
    await service.end(1_000);
    await service.clock.advance(999);
    expect(service.runCount).toBe(2);
    await service.clock.advance(1);
    expect(service.runCount).toBe(3);
    await service.end(null);
    await service.clock.advance(3_600_000);
    expect(service.runCount).toBe(3);
    service.notify();
    expect(service.runCount).toBe(4);
  });

  test("that a notification begins replaces the one that the timer would have begun", async () => {
    const service = probe();
    service.start();
    await service.end(1_000);
    await service.clock.advance(500);
    service.notify();
    await service.end(1_000);
    await service.clock.advance(999);
    expect(service.runCount).toBe(2);
    await service.clock.advance(1);
    expect(service.runCount).toBe(3);
  });

  test("that hangs is the only one, however often the service is notified or started", async () => {
    const service = probe();
    service.start();
    for (let i = 0; i < 10; i++) {
      service.notify();
      service.start();
      await service.clock.advance(3_600_000);
    }
    expect(service.runCount).toBe(1);
    expect(service.isActive).toBe(true);
    await service.end();
    expect(service.runCount).toBe(2);
    await service.end();
    expect(service).toMatchObject({ runCount: 2, concurrencyMax: 1, isActive: false });
  });
});

describe("a notification", () => {
  test("during a run is one more run after it, and so are several", async () => {
    const service = probe();
    service.start();
    for (let i = 0; i < 5; i++) service.notify();
    await service.end();
    expect(service.runCount).toBe(2);
    await service.end();
    expect(service).toMatchObject({ runCount: 2, concurrencyMax: 1, isActive: false });
  });

  test("is not lost at any point of a run that is ending", async () => {
    // The promise of a run settles some microtasks before the loop continues: notify in each of them.
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      const service = probe();
      service.start();
      const ended = service.end();
      for (let i = 0; i < microtasks; i++) await null;
      service.notify();
      await ended;
      expect({ microtasks, runCount: service.runCount }).toEqual({ microtasks, runCount: 2 });
    }
  });

  test("before the start and after a stop does nothing", async () => {
    const service = probe();
    service.notify();
    expect(service.runCount).toBe(0);
    service.start();
    await service.end();
    service.stop();
    service.notify();
    await service.clock.advance(3_600_000);
    expect(service.runCount).toBe(1);
  });
});

describe("a run that throws", () => {
  test("is reported and repeated after the delay, as often as it throws", async () => {
    const service = probe();
    service.start();
    for (let runCount = 1; runCount <= 3; runCount++) {
      await service.fail(new Error(`fault ${runCount}`));
      expect(service.isActive).toBe(false);
      await service.clock.advance(RETRY_AFTER_MS - 1);
      expect(service.runCount).toBe(runCount);
      await service.clock.advance(1);
      expect(service.runCount).toBe(runCount + 1);
    }
    expect(service.errors).toEqual([new Error("fault 1"), new Error("fault 2"), new Error("fault 3")]);
    await service.end();
    await service.clock.advance(3_600_000);
    expect(service.runCount).toBe(4);
  });

  test("synchronously is reported like any other", async () => {
    const errors: unknown[] = [];
    class Broken extends ServiceLoop {
      runOnce(): Promise<NextRun> {
        throw new Error("at once");
      }
    }
    const clock = new TestClock();
    const service = new Broken({ name: "broken", clock, retryAfterMs: 1, onError: (error) => errors.push(error) });
    expect(() => service.start()).not.toThrow();
    await clock.rest();
    expect(errors).toEqual([new Error("at once")]);
    expect(service.isActive).toBe(false);
  });

  test("does not wait for its delay when the service is notified", async () => {
    const service = probe();
    service.start();
    await service.fail(new Error("a fault"));
    service.notify();
    expect(service.runCount).toBe(2);
  });
});

describe("a stop", () => {
  test("at rest cancels the timer; a second one changes nothing", async () => {
    const service = probe();
    const timers = countTimers(service.clock);
    service.start();
    await service.end(1_000);
    expect(timers()).toBe(1);
    service.stop();
    service.stop();
    expect(timers()).toBe(0);
    expect(service).toMatchObject({ runCount: 1, isActive: false, isStopped: true });
  });

  test("during a run lets it finish, begins no other and leaves no timer, whatever the run answers", async () => {
    for (const next of ["at_once", 1_000, null] as const) {
      const service = probe();
      const timers = countTimers(service.clock);
      service.start();
      service.notify();
      service.stop();
      expect(service.isActive).toBe(true);
      await service.end(next);
      expect({ next, timers: timers(), ...state(service) }).toEqual({ next, timers: 0, runCount: 1, isActive: false });
    }
  });

  test("during a run that then throws reports it, and does not repeat it", async () => {
    const service = probe();
    const timers = countTimers(service.clock);
    service.start();
    service.stop();
    await service.fail(new Error("closed"));
    expect(service.errors).toEqual([new Error("closed")]);
    expect(timers()).toBe(0);
    await service.clock.advance(3_600_000);
    expect(service.runCount).toBe(1);
  });

  test("and a new start during a run is one more run after it", async () => {
    const service = probe();
    service.start();
    service.stop();
    service.start();
    expect(service.runCount).toBe(1);
    await service.end();
    expect(service.runCount).toBe(2);
    await service.end();
    expect(service).toMatchObject({ concurrencyMax: 1, isActive: false });
  });
});

function state({ runCount, isActive }: Probe): { runCount: number; isActive: boolean } {
  return { runCount, isActive };
}
