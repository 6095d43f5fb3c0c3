/**
 * Limits the memory that request bodies take before the server knows who sends them. Small bodies have their own share
 * and never wait: when it is full, the oldest small body is evicted. Large bodies wait for their turn.
 */
import type { Clock } from "#src/core/clock.ts";

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

interface BudgetLimits {
  /** Limit of all small bodies together, in bytes. At least one small body must fit. */
  smallBytes: number;
  /** Limit of all large bodies together, in bytes. At least one large body must fit. */
  largeBytes: number;
  /** How many large bodies may wait for their turn. */
  waiting: number;
  waitMs: number;
}

/** Largest small body; anything above is large. */
export const SMALL_BODY_BYTES = 64 * KIBIBYTE;

/**
 * At most 32 MiB in all. The runtime stops reading from the connection of a waiting body, but has read up to 1.5 MiB of
 * it by then: eight waiting bodies count as 12 MiB.
 */
const DEFAULT_LIMITS: BudgetLimits = { smallBytes: 4 * MEBIBYTE, largeBytes: 16 * MEBIBYTE, waiting: 8, waitMs: 5_000 };

/** Releases the reserved bytes. Idempotent. */
export type Release = () => void;

interface Holder {
  bytes: number;
  evict: () => void;
}

interface Waiter {
  bytes: number;
  grant: (release: Release | null) => void;
}

export class BodyBudget {
  readonly #clock: Clock;
  readonly #limits: BudgetLimits;
  /** Oldest first. */
  readonly #small = new Set<Holder>();
  #smallBytes = 0;
  #largeBytes = 0;
  readonly #waiting = new Set<Waiter>();

  constructor(clock: Clock, limits: BudgetLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Bytes reserved and bodies waiting at this moment. */
  get held(): { smallBytes: number; largeBytes: number; waiting: number } {
    return { smallBytes: this.#smallBytes, largeBytes: this.#largeBytes, waiting: this.#waiting.size };
  }

  /**
   * Always succeeds. A normal callback or form arrives within milliseconds, so the oldest small bodies belong to
   * senders that stall: they are evicted when space is needed. `evict` must stop the read. It is called at most once,
   * after the evicted bytes were released.
   */
  reserveSmall(bytes: number, evict: () => void): Release {
    for (const oldest of this.#small) {
      if (this.#smallBytes + bytes <= this.#limits.smallBytes) break;
      this.#releaseSmall(oldest);
      oldest.evict();
    }
    const holder: Holder = { bytes, evict };
    this.#small.add(holder);
    this.#smallBytes += bytes;
    return () => this.#releaseSmall(holder);
  }

  /**
   * Waits for space, first come, first served. Null: no space within `waitMs`, or too many bodies are waiting already.
   */
  reserveLarge(bytes: number): Promise<Release | null> {
    if (this.#waiting.size === 0 && this.#fits(bytes)) return Promise.resolve(this.#takeLarge(bytes));
    if (this.#waiting.size >= this.#limits.waiting) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        bytes,
        grant: (release) => {
          timer.cancel();
          this.#waiting.delete(waiter);
          resolve(release);
        },
      };
      const timer = this.#clock.setTimer(this.#limits.waitMs, () => {
        waiter.grant(null);
        // A smaller body behind this one may fit.
        this.#grantNext();
      });
      this.#waiting.add(waiter);
    });
  }

  #fits(bytes: number): boolean {
    return this.#largeBytes + bytes <= this.#limits.largeBytes;
  }

  #takeLarge(bytes: number): Release {
    this.#largeBytes += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#largeBytes -= bytes;
      this.#grantNext();
    };
  }

  #grantNext(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.bytes)) return;
      waiter.grant(this.#takeLarge(waiter.bytes));
    }
  }

  #releaseSmall(holder: Holder): void {
    if (this.#small.delete(holder)) this.#smallBytes -= holder.bytes;
  }
}
