/**
 * Detects that the wall clock was set while the server runs: the wall clock and the monotonic clock then disagree about how
 * much time has passed. Delays (retries, messages in doubt, callbacks to apply) are shifted by the difference, so that they
 * last as long as intended; times of day (`send_at`, the end of quiet hours) are not.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { shiftPending } from "#src/domain/inbound/callbacks.ts";
import { shiftRetries } from "#src/domain/webhooks/attempt.ts";
import { lastJobId } from "#src/jobs/outbox.ts";
import { nextRange, shiftDelays } from "#src/jobs/shift-delays.ts";

interface ClockWatchOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** The delays were shifted: services that wait for a due time must read it again. */
  onMoved: () => void;
}

/** A smaller difference is drift, or the time between the two readings. */
const TOLERATED_MS = 2_000;
const RANGE_ROWS = 500;
const RETRY_AFTER_FAULT_MS = 1_000;

export class ClockWatch extends ServiceLoop {
  readonly #options: ClockWatchOptions;
  /** Wall clock minus monotonic clock, as of the last check. */
  #offset: number;
  /** Jobs with a higher id were enqueued after the clock was set and are due by the new time. */
  #lastWorkId: number;
  #shiftMs = 0;

  constructor(options: ClockWatchOptions) {
    const { clock, log } = options;
    super({
      name: "clock_watch",
      clock,
      retryAfterMs: RETRY_AFTER_FAULT_MS,
      onError: (error) =>
        log.error("clock.shift_failed", "Due times could not be shifted with the wall clock", { error }),
    });
    this.#options = options;
    this.#offset = offsetOf(options.clock);
    this.#lastWorkId = options.store.read(lastJobId);
  }

  /** Cheap: call it after every commit, and several times a second. */
  check(): void {
    const { clock, store, log } = this.#options;
    if (this.isActive || this.isStopped) return;
    const offset = offsetOf(clock);
    const byMs = Math.round(offset - this.#offset);
    if (Math.abs(byMs) > TOLERATED_MS) {
      log.warn("clock.set", "Wall clock was set; due times are shifted with it", { byMs });
      this.#offset = offset;
      this.#shiftMs = byMs;
      this.notify();
    } else this.#lastWorkId = store.read(lastJobId);
  }

  /** Shifts the delays that `check` asked for. A shift that failed halfway is not repeated: it would shift rows twice. */
  async runOnce(): Promise<NextRun> {
    const byMs = this.#shiftMs;
    this.#shiftMs = 0;
    if (byMs === 0) return null;
    try {
      await this.#move(byMs);
    } finally {
      this.#options.onMoved();
    }
    return null;
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
