/**
 * How fast a number may send: a token bucket each. It starts empty, so that a restart never bursts, and holds at most a
 * tenth of a second's worth. A throttling answer halves the rate, at most once a second and never below one message a
 * second; the full rate is back within a minute. In memory: what it protects against is the next second.
 */
import type { Clock, Timer } from "#src/primitives/clock.ts";

/** Share of a second that an unused bucket saves up. */
const SAVED_SECONDS = 0.1;
const RECOVERY_MS = 60_000;
const SLOW_DOWN_EVERY_MS = 1_000;
const SLOWEST_PER_SECOND = 1;

interface Bucket {
  throughput: number;
  tokens: number;
  /** Share of the throughput that is allowed now, 0 to 1. */
  factor: number;
  filledAt: number;
  slowedAt: number | null;
  waiting: { resolve: () => void }[];
  timer: Timer | null;
}

export type Turn = { isYours: true } | { isYours: false; waitMs: number };

export class Pace {
  readonly #clock: Clock;
  readonly #buckets = new Map<number, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token if one is there and nobody waits for it. `throughput`: messages a second. */
  tryTake(numberId: number, throughput: number): boolean {
    const bucket = this.#bucket(numberId, throughput);
    if (bucket.waiting.length > 0 || bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Waits for a token in turn. Refuses at once when it could not come before `deadline` (monotonic milliseconds). */
  async take(numberId: number, throughput: number, deadline: number): Promise<Turn> {
    if (this.tryTake(numberId, throughput)) return { isYours: true };
    const bucket = this.#bucket(numberId, throughput);
    const missing = bucket.waiting.length + 1 - bucket.tokens;
    const waitMs = Math.ceil((missing / rate(bucket)) * 1000);
    if (this.#clock.monotonic() + waitMs > deadline) return { isYours: false, waitMs };
    await new Promise<void>((resolve) => {
      bucket.waiting.push({ resolve });
      this.#arm(bucket);
    });
    return { isYours: true };
  }

  /** The token was not needed: nothing left with it. */
  giveBack(numberId: number): void {
    const bucket = this.#buckets.get(numberId);
    if (bucket === undefined) return;
    bucket.tokens = Math.min(bucket.tokens + 1, capacity(bucket));
    this.#serve(bucket);
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
      const filledAt = this.#clock.monotonic();
      bucket = { throughput, tokens: 0, factor: 1, filledAt, slowedAt: null, waiting: [], timer: null };
      this.#buckets.set(numberId, bucket);
    }
    bucket.throughput = throughput;
    this.#fill(bucket);
    return bucket;
  }

  #fill(bucket: Bucket): void {
    const now = this.#clock.monotonic();
    const passedMs = now - bucket.filledAt;
    bucket.filledAt = now;
    bucket.factor = Math.min(1, bucket.factor + passedMs / RECOVERY_MS);
    bucket.tokens = Math.min(capacity(bucket), bucket.tokens + (passedMs / 1000) * rate(bucket));
  }

  #serve(bucket: Bucket): void {
    this.#fill(bucket);
    while (bucket.tokens >= 1) {
      const next = bucket.waiting.shift();
      if (next === undefined) return;
      bucket.tokens -= 1;
      next.resolve();
    }
    if (bucket.waiting.length > 0) this.#arm(bucket);
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

/** Messages a second that are allowed now. */
function rate({ throughput, factor }: Bucket): number {
  return Math.max(SLOWEST_PER_SECOND, throughput * factor);
}

function capacity(bucket: Bucket): number {
  return Math.max(1, rate(bucket) * SAVED_SECONDS);
}
