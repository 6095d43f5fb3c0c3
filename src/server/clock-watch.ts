/**
 * Notices that the wall clock was set while the server runs: it and the monotonic clock then disagree about how much time
 * has passed. What waits for a while (retries, echoes, callbacks to apply) is moved by the difference, so that it waits as
 * long as was meant; what waits for a time of day (`send_at`, the end of a night) is not.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { shiftPending } from "#src/domain/inbound/callbacks.ts";
import { shiftRetries } from "#src/domain/webhooks/attempt.ts";
import { lastJobId, nextRange, shiftDelays } from "#src/jobs/shift-delays.ts";

export interface ClockWatchOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** What waits has been moved: whoever sleeps until something is due looks again. */
  onMoved: () => void;
}

/** Less is no more than what a clock drifts, and what one look costs. */
const TOLERATED_MS = 2_000;
const RANGE_ROWS = 500;

export class ClockWatch {
  readonly #options: ClockWatchOptions;
  /** How far apart the two clocks were. */
  #offset: number;
  /** What was enqueued after the clock was set knows the new time. */
  #lastWorkId: number;
  #isMoving = false;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#offset = offsetOf(options.clock);
    this.#lastWorkId = options.store.read(lastJobId);
  }

  /** Cheap: to be called after every commit, and several times a second. */
  check(): void {
    const { clock, store, log } = this.#options;
    if (this.#isMoving) return;
    const offset = offsetOf(clock);
    const byMs = Math.round(offset - this.#offset);
    if (Math.abs(byMs) > TOLERATED_MS) {
      log.warn("the wall clock was set; what waits is moved along", { byMs });
      this.#offset = offset;
      this.#isMoving = true;
      void this.#move(byMs)
        .catch((error) => log.error("what waits could not be moved along with the wall clock", { error }))
        .finally(() => {
          this.#isMoving = false;
          this.#options.onMoved();
        });
    } else this.#lastWorkId = store.read(lastJobId);
  }

  get isActive(): boolean {
    return this.#isMoving;
  }

  async #move(byMs: number): Promise<void> {
    const { store } = this.#options;
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      after = await store.write((tx) => shiftPending(tx, from, RANGE_ROWS, byMs));
    }
    for (let after = 0; ; ) {
      const last = await store.write((tx) => {
        const range = nextRange(tx, { after, last: this.#lastWorkId }, RANGE_ROWS);
        if (range === null) return null;
        shiftDelays(tx, range, byMs);
        shiftRetries(tx, range, byMs);
        return range.last;
      });
      if (last === null) return;
      after = last;
    }
  }
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}
