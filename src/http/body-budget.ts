/**
 * How much memory request bodies may take while the server does not know yet who sends them. Small bodies have a part of
 * their own and never wait: when it is full, the body that began first makes room. Large bodies wait for their turn.
 */
import type { Clock } from "#src/core/clock.ts";

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

export interface BudgetLimits {
  /** Bytes of all small bodies together; one small body must fit. */
  smallBytes: number;
  /** Bytes of all large bodies together; one large body must fit. */
  largeBytes: number;
  /** Large bodies that may wait for their turn. */
  waiting: number;
  waitMs: number;
}

/** A body of at most this size is a small one. */
export const SMALL_BODY_BYTES = 64 * KIBIBYTE;

/**
 * At most 32 MiB. The runtime stops reading from the connection of a body that waits, but by then it has read up to
 * 1.5 MiB of it: eight waiting bodies count as 12 MiB.
 */
const DEFAULT_LIMITS: BudgetLimits = { smallBytes: 4 * MEBIBYTE, largeBytes: 16 * MEBIBYTE, waiting: 8, waitMs: 5_000 };

/** Gives the bytes back. Calling it again does nothing. */
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
  /** In the order in which they began. */
  readonly #small = new Set<Holder>();
  #smallBytes = 0;
  #largeBytes = 0;
  readonly #waiting = new Set<Waiter>();

  constructor(clock: Clock, limits: BudgetLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** What is reserved now. */
  get held(): { smallBytes: number; largeBytes: number; waiting: number } {
    return { smallBytes: this.#smallBytes, largeBytes: this.#largeBytes, waiting: this.#waiting.size };
  }

  /**
   * Always granted. A normal callback or form arrives within milliseconds, so the oldest small bodies are those of
   * senders who hold their bytes back: they are evicted when room is needed. `evict` must stop reading; it is called at
   * most once, and the bytes are given back already.
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

  /** Null: there was no room in time, or too many bodies wait already. First come, first served. */
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
