/**
 * Limits requests per workspace, or per user of the console, with one token bucket each, in memory. A caller that keeps
 * sending at full speed despite refusals is answered with a delay, so a program that waits for each answer hardly takes
 * server time from others.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";

export interface RateLimits {
  requestsPerSecond: number;
  /** Requests allowed at once after a pause. */
  burst: number;
}

/** How much of the limit is used. */
export interface RateStanding {
  /** Requests allowed at once after a pause. */
  limit: number;
  /** Requests allowed at once now. */
  remaining: number;
  /** Seconds until `remaining` is `limit` again, if nothing is requested. */
  resetS: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
  /** Recent refusals. They decay twice as fast as tokens are granted. */
  refusals: number;
}

/** Refusals that are answered at once: a caller who hits the limit and backs off is never delayed. */
const PROMPT_REFUSALS_MAX = 100;
const REFUSAL_DELAY_MS = 250;
/**
 * With this many answers delayed at once, further refusals are not delayed: holding them would cost more than
 * answering.
 */
const DELAYED_MAX = 1_000;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limits: RateLimits;
  readonly #subject: string;
  readonly #buckets = new Map<number, Bucket>();
  #delayedCount = 0;

  /** `subject`: whose requests are counted, for the error message. */
  constructor(clock: Clock, limits: RateLimits, subject: "workspace" | "person") {
    this.#clock = clock;
    this.#limits = limits;
    this.#subject = subject;
  }

  /** For the headers of an answer. Call it after `requireToken`, whether or not that threw. */
  standing(id: number): RateStanding {
    const { requestsPerSecond, burst } = this.#limits;
    const tokens = this.#buckets.get(id)?.tokens ?? burst;
    return {
      limit: burst,
      remaining: Math.floor(tokens),
      resetS: Math.ceil((burst - tokens) / requestsPerSecond),
    };
  }

  /** Counts one request. Throws `rate_limited` with the time until the next request is allowed. */
  requireToken(id: number): void {
    const { requestsPerSecond, burst } = this.#limits;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(id) ?? { tokens: burst, filledAt: now, refusals: 0 };
    this.#buckets.set(id, bucket);
    const granted = ((now - bucket.filledAt) / 1000) * requestsPerSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + granted);
    bucket.refusals = Math.max(0, bucket.refusals - 2 * granted);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      bucket.refusals = Math.min(bucket.refusals + 1, 2 * PROMPT_REFUSALS_MAX);
      throw new Problem(
        "rate_limited",
        `Too many requests: this ${this.#subject} may make ${requestsPerSecond} a second.`,
        {
          retryAfterMs: ((1 - bucket.tokens) / requestsPerSecond) * 1000,
        },
      );
    }
    bucket.tokens -= 1;
  }

  /** Call before answering a refusal. Null: answer at once; else wait for the promise. */
  delayRefusal(id: number): Promise<void> | null {
    const refusals = this.#buckets.get(id)?.refusals ?? 0;
    if (refusals <= PROMPT_REFUSALS_MAX || this.#delayedCount >= DELAYED_MAX) return null;
    this.#delayedCount += 1;
    return sleep(this.#clock, REFUSAL_DELAY_MS).then(() => {
      this.#delayedCount -= 1;
    });
  }
}
