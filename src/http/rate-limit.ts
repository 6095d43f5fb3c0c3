/**
 * Limits what requests of a workspace, or of a user of the console, cost, with one token bucket each, in memory. A list
 * and a change of many contacts cost more than one token. They wait for theirs, one at a time, so that a program that asks
 * for one page after the other is never refused. A caller that keeps sending at full speed despite refusals is answered
 * with a delay, so a program that waits for each answer hardly takes server time from others.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";

/** Rows for which a list pays a token. */
export const ROWS_PER_TOKEN = 100;

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
  /** A request waits for its tokens. */
  isAwaited: boolean;
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
    const bucket = this.#fill(id);
    if (!this.#take(bucket, 1)) this.#refuse(bucket, 1);
  }

  /**
   * Takes the tokens of a request that costs more than one. Null: they are taken; else wait for the promise. Throws
   * `rate_limited` while another request of the same caller waits.
   */
  takeInTurn(id: number, cost: number): Promise<void> | null {
    const bucket = this.#fill(id);
    if (!bucket.isAwaited && this.#take(bucket, cost)) return null;
    if (bucket.isAwaited) return this.#refuse(bucket, cost);
    bucket.isAwaited = true;
    return this.pay(id, cost).finally(() => {
      bucket.isAwaited = false;
    });
  }

  /** Takes the tokens of what has begun already, as soon as there are so many. */
  async pay(id: number, cost: number): Promise<void> {
    for (let bucket = this.#fill(id); !this.#take(bucket, cost); bucket = this.#fill(id)) {
      await sleep(this.#clock, Math.ceil(this.#waitMs(bucket, cost)));
    }
  }

  /** Refunds what was paid for rows that did not come. */
  refund(id: number, tokens: number): void {
    const bucket = this.#fill(id);
    bucket.tokens = Math.min(this.#limits.burst, bucket.tokens + tokens);
  }

  #take(bucket: Bucket, cost: number): boolean {
    const needed = Math.min(cost, this.#limits.burst);
    if (bucket.tokens < needed) return false;
    bucket.tokens -= needed;
    return true;
  }

  #waitMs({ tokens }: Bucket, cost: number): number {
    const { requestsPerSecond, burst } = this.#limits;
    return ((Math.min(cost, burst) - tokens) / requestsPerSecond) * 1000;
  }

  #fill(id: number): Bucket {
    const { requestsPerSecond, burst } = this.#limits;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(id) ?? { tokens: burst, filledAt: now, refusals: 0, isAwaited: false };
    this.#buckets.set(id, bucket);
    const granted = ((now - bucket.filledAt) / 1000) * requestsPerSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + granted);
    bucket.refusals = Math.max(0, bucket.refusals - 2 * granted);
    bucket.filledAt = now;
    return bucket;
  }

  #refuse(bucket: Bucket, cost: number): never {
    bucket.refusals = Math.min(bucket.refusals + 1, 2 * PROMPT_REFUSALS_MAX);
    throw new Problem(
      "rate_limited",
      `Too many requests: this ${this.#subject} may make ${this.#limits.requestsPerSecond} a second.`,
      { retryAfterMs: Math.max(1, this.#waitMs(bucket, cost)) },
    );
  }

  /**
   * Call before answering a refusal. Null: answer at once; else wait for the promise. What arrives of the body meanwhile
   * is dropped: Bun would keep it in memory that its collector does not see.
   */
  delayRefusal(id: number, request: Request): Promise<void> | null {
    const refusals = this.#buckets.get(id)?.refusals ?? 0;
    if (refusals <= PROMPT_REFUSALS_MAX || this.#delayedCount >= DELAYED_MAX) return null;
    this.#delayedCount += 1;
    // It rejects when the connection is closed.
    request.body?.cancel().catch(() => undefined);
    return sleep(this.#clock, REFUSAL_DELAY_MS).then(() => {
      this.#delayedCount -= 1;
    });
  }
}
