/**
 * The time between two transactions of an import, in which a running server writes. A server that finds the database
 * taken tries again every few milliseconds, so a gap need not be long, but there must be one after each transaction; it
 * is longer while somebody else really writes.
 */
import { type Clock, sleep } from "#src/primitives/clock.ts";
import type { Store } from "#src/storage/store.ts";

const ALONE_MS = 1;
const BESIDE_OTHERS_MS = 2;
/** Others write as long as their last commit is no older. */
const OTHERS_STAY_MS = 1_000;

export class Gap {
  readonly #store: Store;
  readonly #clock: Clock;
  #beganAt = Number.NEGATIVE_INFINITY;
  #dataVersion: number | null = null;
  #othersSeenAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A transaction has just ended. */
  begin(): void {
    this.#beganAt = this.#clock.monotonic();
  }

  /** Waits for what is left of the gap: work between two transactions is a gap as well. */
  async wait(): Promise<void> {
    const now = this.#clock.monotonic();
    const version = this.#store.dataVersion();
    if (this.#dataVersion !== null && this.#dataVersion !== version) this.#othersSeenAt = now;
    this.#dataVersion = version;
    const gapMs = now - this.#othersSeenAt < OTHERS_STAY_MS ? BESIDE_OTHERS_MS : ALONE_MS;
    const leftMs = gapMs - (now - this.#beganAt);
    if (leftMs > 0) await sleep(this.#clock, Math.ceil(leftMs));
  }
}
