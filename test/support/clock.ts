/**
 * A clock that stands still until a test moves it. Timers fire in the order of their time; between two of them the real
 * event loop runs until all work on real sockets and on the database has come to rest. A test that measures what work
 * costs releases it: time then passes as it does outside.
 */
import type { Clock, Timer, TimerOptions } from "#src/core/clock.ts";

/** Real milliseconds without any change after which things count as at rest. */
const QUIET_MS = 2;
/** The same while something is in flight on a real socket, which may be slow on a busy machine. */
const QUIET_WHILE_BUSY_MS = 25;
/** So long before a move's end, or before other work, upkeep repeats for the last time: its run has pauses. */
const UPKEEP_MS = 60_000;

interface Pending {
  at: number;
  order: number;
  fire: () => void;
  isUpkeep: boolean;
  /** Of the runtime, once the clock was released. */
  handle?: ReturnType<typeof setTimeout>;
}

export class TestClock implements Clock {
  /** Set by the server's owner: true while work is in flight that may or may not be waiting for a timer. */
  isBusy: () => boolean = () => false;
  /** Set by the server's owner: true while work is in flight that ends without a timer, however long it takes. */
  isCertain: () => boolean = () => false;
  /** Set by the server's owner: changes whenever anything has happened. */
  progress: () => number = () => 0;
  #wall: number;
  #monotonic = 0;
  #timers: Pending[] = [];
  #order = 0;
  /** Since when time passes without the test; null: it stands still. */
  #releasedAt: number | null = null;

  constructor(start: string | number = "2026-11-21T08:00:00Z") {
    this.#wall = new Date(start).getTime();
  }

  /** A clock so far from the machine's: for tests beside commands, which write with the machine's time. */
  static atPresent(offsetMs = 0): TestClock {
    return new TestClock(Date.now() + offsetMs);
  }

  now(): number {
    return this.#wall + Math.floor(this.#passed());
  }

  monotonic(): number {
    return this.#monotonic + this.#passed();
  }

  setTimer(delayMs: number, fire: () => void, { isUpkeep = false }: TimerOptions = {}): Timer {
    const timer: Pending = { at: this.monotonic() + Math.max(0, delayMs), order: this.#order++, fire, isUpkeep };
    this.#timers.push(timer);
    if (this.#releasedAt !== null) this.#arm(timer);
    return {
      cancel: () => {
        clearTimeout(timer.handle);
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  /** From now on, time passes as it does outside, and timers fire when they are due. */
  release(): void {
    this.#releasedAt = performance.now();
    for (const timer of this.#timers) this.#arm(timer);
  }

  #passed(): number {
    return this.#releasedAt === null ? 0 : performance.now() - this.#releasedAt;
  }

  #arm(timer: Pending): void {
    timer.handle = setTimeout(
      () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        timer.fire();
      },
      Math.max(0, timer.at - this.monotonic()),
    );
  }

  /** Sets the wall clock forward or back, as an operator does; no time passes. */
  setWall(byMs: number): void {
    this.#wall += byMs;
  }

  /** Moves time forward, firing the timers that come due, and returns when all consequences have come to rest. */
  advance(ms: number): Promise<void> {
    return this.#move(ms, () => false);
  }

  /**
   * Moves time forward over hours in which upkeep has little to do. As with the clock of test control, it runs when it is
   * due for the first time; from then on only before the next other timer, and before the end. A time that upkeep keeps
   * exactly, such as that of a backup, needs `advance`.
   */
  pass(ms: number): Promise<void> {
    const first = this.#order;
    return this.#move(ms, ({ isUpkeep, order }) => isUpkeep && order >= first);
  }

  async #move(ms: number, mayWait: (timer: Pending) => boolean): Promise<void> {
    if (this.#releasedAt !== null) {
      await Bun.sleep(ms);
      return this.rest();
    }
    const until = this.#monotonic + ms;
    for (;;) {
      await this.rest();
      const next = this.#next();
      if (next === undefined || next.at > until) break;
      if (mayWait(next)) this.#moveTo(this.#nextWork(until) - UPKEEP_MS);
      this.#fire(next);
    }
    // Code under test notices the passing of time only through timers.
    this.#moveTo(until);
  }

  /** Moves time forward only as far as needed for `promise` to settle. */
  async until<T>(promise: Promise<T>, limitMs = 10 * 60_000): Promise<T> {
    if (this.#releasedAt !== null) return promise;
    let settled = false;
    const done = (): void => {
      settled = true;
    };
    promise.then(done, done);
    const end = this.#monotonic + limitMs;
    for (;;) {
      await this.rest();
      if (settled) return promise;
      const next = this.#next();
      if (next === undefined || next.at > end) throw new Error("nothing that could happen would settle this promise");
      await this.advance(next.at - this.#monotonic);
    }
  }

  /** Waits, in real time, until nothing moves without a timer. */
  async rest(): Promise<void> {
    let seen = this.#stateOfThings();
    for (let quiet = 0; quiet < (this.isBusy() ? QUIET_WHILE_BUSY_MS : QUIET_MS); quiet++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const now = this.#stateOfThings();
      if (now !== seen || this.isCertain()) quiet = -1;
      seen = now;
    }
  }

  #stateOfThings(): string {
    return `${this.#order} ${this.#timers.length} ${this.progress()}`;
  }

  #next(): Pending | undefined {
    return this.#timers.reduce<Pending | undefined>(
      (first, timer) =>
        first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)
          ? timer
          : first,
      undefined,
    );
  }

  /** When the first timer is due that is no upkeep; `until` at the latest. */
  #nextWork(until: number): number {
    return Math.min(until, ...this.#timers.filter(({ isUpkeep }) => !isUpkeep).map(({ at }) => at));
  }

  #fire(timer: Pending): void {
    this.#moveTo(timer.at);
    this.#timers = this.#timers.filter((other) => other !== timer);
    timer.fire();
  }

  #moveTo(monotonic: number): void {
    if (monotonic <= this.#monotonic) return;
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}
