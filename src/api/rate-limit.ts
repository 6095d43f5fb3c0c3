/** How many requests a workspace may make: a token bucket each, in memory. */
import type { Clock } from "#src/primitives/clock.ts";
import { Problem } from "#src/primitives/problem.ts";

export interface RateLimits {
  requestsPerSecond: number;
  /** Most requests at once after a quiet moment. */
  burst: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limits: RateLimits;
  readonly #buckets = new Map<number, { tokens: number; filledAt: number }>();

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts one request. Throws `rate_limited` with the time until the next one may come. */
  requireRoom(workspaceId: number): void {
    const { requestsPerSecond, burst } = this.#limits;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(workspaceId) ?? { tokens: burst, filledAt: now };
    this.#buckets.set(workspaceId, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * requestsPerSecond);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      throw new Problem("rate_limited", `Too many requests: this workspace may make ${requestsPerSecond} a second.`, {
        retryAfterMs: ((1 - bucket.tokens) / requestsPerSecond) * 1000,
      });
    }
    bucket.tokens -= 1;
  }
}
