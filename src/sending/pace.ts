/**
 * Limits the rate of each number with a token bucket. A bucket starts empty, so that a restart causes no burst, and holds
 * the tokens of at most a tenth of a second. A throttled request halves the rate, at most once a second and never below one
 * message a second; a minute after the last one the full rate is back. In memory, because it limits only the next second.
 * Single messages wait in turn; broadcasts get the tokens that they leave.
 */
import type { Clock, Timer } from "#src/core/clock.ts";

/** Capacity of a bucket, in seconds of its rate. */
const BURST_SECONDS = 0.1;
/** After a throttled request the rate stays reduced this long, so that a number still throttled at one message a second stays there. */
const STEADY_MS = 3_000;
/** Time in which the rate grows from zero to full; with the time above, a minute. */
const RECOVERY_MS = 57_000;
const SLOW_DOWN_EVERY_MS = 1_000;
const SLOWEST_PER_SECOND = 1;

interface Bucket {
  throughput: number;
  tokens: number;
  /** Fraction of the throughput that is allowed now, 0 to 1. */
  factor: number;
  filledAt: number;
  slowedAt: number | null;
  waiters: Waiter[];
  timer: Timer | null;
}

interface Waiter {
  isServed: boolean;
  serve: (grant: Grant) => void;
}

type Grant = { isGranted: true } | { isGranted: false; waitMs: number };

export class Pace {
  readonly #clock: Clock;
  /** All buckets are empty at this time, including those that are first used much later. */
  readonly #startedAt: number;
  readonly #buckets = new Map<number, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Takes a token if one is available and no message waits for it. `throughput`: messages a second. */
  tryAcquire(numberId: number, throughput: number): boolean {
    const bucket = this.#bucket(numberId, throughput);
    if (bucket.waiters.length > 0 || bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Waits for a token in turn. Refuses at once if none can be available before `deadline` (monotonic milliseconds). */
  async acquire(numberId: number, throughput: number, deadline: number): Promise<Grant> {
    if (this.tryAcquire(numberId, throughput)) return { isGranted: true };
    const bucket = this.#bucket(numberId, throughput);
    const missing = bucket.waiters.length + 1 - bucket.tokens;
    const waitMs = Math.ceil((missing / rate(bucket)) * 1000);
    if (this.#clock.monotonic() + waitMs > deadline) return { isGranted: false, waitMs };
    return new Promise<Grant>((resolve) => {
      const waiter: Waiter = {
        isServed: false,
        serve: (grant) => {
          waiter.isServed = true;
          timer.cancel();
          resolve(grant);
        },
      };
      // The rate may be reduced while a message waits; it still gets an answer by its deadline.
      const timer = this.#clock.setTimer(deadline - this.#clock.monotonic(), () => {
        // A token that becomes available at the deadline is in time.
        this.#serve(bucket);
        if (waiter.isServed) return;
        bucket.waiters = bucket.waiters.filter((other) => other !== waiter);
        waiter.serve({ isGranted: false, waitMs: Math.ceil(1000 / rate(bucket)) });
      });
      bucket.waiters.push(waiter);
      this.#arm(bucket);
    });
  }

  /** Takes up to `max` tokens for a broadcast's recipients; none while a single message waits. */
  acquireUpTo(numberId: number, throughput: number, max: number): number {
    const bucket = this.#bucket(numberId, throughput);
    if (bucket.waiters.length > 0) return 0;
    const acquired = Math.min(max, Math.floor(bucket.tokens));
    bucket.tokens -= acquired;
    return acquired;
  }

  /** Milliseconds until a token may be available; at least 1. */
  msUntilNext(numberId: number, throughput: number): number {
    const bucket = this.#bucket(numberId, throughput);
    const missing = bucket.waiters.length + 1 - bucket.tokens;
    return Math.max(1, Math.ceil((missing / rate(bucket)) * 1000));
  }

  /** Returns tokens that were not used. */
  release(numberId: number, count = 1): void {
    const bucket = this.#buckets.get(numberId);
    if (bucket === undefined || count === 0) return;
    bucket.tokens = Math.min(bucket.tokens + count, capacity(bucket));
    this.#serve(bucket);
  }

  /** Resets the number's token bucket, unless a message waits for it. */
  forget(numberId: number): void {
    if (this.#buckets.get(numberId)?.waiters.length === 0) this.#buckets.delete(numberId);
  }

  /** The network asked this number to slow down. */
  slowDown(numberId: number): void {
    const bucket = this.#buckets.get(numberId);
    if (bucket === undefined) return;
    this.#fill(bucket);
    const now = this.#clock.monotonic();
    if (bucket.slowedAt !== null && now - bucket.slowedAt < SLOW_DOWN_EVERY_MS) return;
    bucket.slowedAt = now;
    bucket.factor = Math.max(bucket.factor / 2, Math.min(1, SLOWEST_PER_SECOND / bucket.throughput));
    bucket.tokens = Math.min(bucket.tokens, 0);
  }

  #bucket(numberId: number, throughput: number): Bucket {
    let bucket = this.#buckets.get(numberId);
    if (bucket === undefined) {
      bucket = {
        throughput,
        tokens: 0,
        factor: 1,
        filledAt: this.#startedAt,
        slowedAt: null,
        waiters: [],
        timer: null,
      };
      this.#buckets.set(numberId, bucket);
    }
    bucket.throughput = throughput;
    this.#fill(bucket);
    return bucket;
  }

  #fill(bucket: Bucket): void {
    const now = this.#clock.monotonic();
    const passedMs = now - bucket.filledAt;
    const recoversFrom = Math.max(bucket.filledAt, (bucket.slowedAt ?? 0) + STEADY_MS);
    bucket.filledAt = now;
    bucket.factor = Math.min(1, bucket.factor + Math.max(0, now - recoversFrom) / RECOVERY_MS);
    bucket.tokens = Math.min(capacity(bucket), bucket.tokens + (passedMs / 1000) * rate(bucket));
  }

  #serve(bucket: Bucket): void {
    this.#fill(bucket);
    while (bucket.tokens >= 1) {
      const next = bucket.waiters.shift();
      if (next === undefined) return;
      bucket.tokens -= 1;
      next.serve({ isGranted: true });
    }
    if (bucket.waiters.length > 0) this.#arm(bucket);
  }

  #arm(bucket: Bucket): void {
    if (bucket.timer !== null) return;
    const untilNextMs = Math.ceil(((1 - bucket.tokens) / rate(bucket)) * 1000);
    bucket.timer = this.#clock.setTimer(Math.max(1, untilNextMs), () => {
      bucket.timer = null;
      this.#serve(bucket);
    });
  }
}

/** The current rate, in messages a second. */
function rate({ throughput, factor }: Bucket): number {
  return Math.max(SLOWEST_PER_SECOND, throughput * factor);
}

function capacity(bucket: Bucket): number {
  return Math.max(1, rate(bucket) * BURST_SECONDS);
}
