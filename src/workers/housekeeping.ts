/** Throws away what has outlived its use, in small batches with room between them, so that no request ever waits for it. */
import { purgeRecipients, tidyFinished } from "#src/domain/broadcasts/tidy.ts";
import { purgeCallbacks } from "#src/domain/callbacks/callbacks.ts";
import { purgeKeys } from "#src/domain/idempotency/keys.ts";
import { purgeParked } from "#src/domain/messages/apply-status.ts";
import { expireHolds } from "#src/domain/messages/expire-hold.ts";
import { purgeEvents } from "#src/domain/webhooks/purge.ts";
import type { Log } from "#src/log.ts";
import type { Clock, Timer } from "#src/primitives/clock.ts";
import { type Duration, durationBefore } from "#src/primitives/duration.ts";
import type { Store } from "#src/storage/store.ts";
import type { Tx } from "#src/storage/transaction.ts";

export interface HousekeepingOptions {
  store: Store;
  clock: Clock;
  /** How long to keep; null: for ever. */
  retention: { recipients: Duration | null; events: Duration | null; raw: Duration | null };
  log: Log;
}

const EVERY_MS = 600_000;
const BATCH = 200;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #timer: Timer | null = null;
  #isRunning = false;
  #isStopped = true;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#timer = this.#options.clock.setTimer(EVERY_MS, () => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  get isActive(): boolean {
    return this.#isRunning;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      await this.runOnce();
    } catch (error) {
      this.#options.log.error("housekeeping failed; it tries again in ten minutes", { error });
    } finally {
      this.#isRunning = false;
      if (!this.#isStopped) this.start();
    }
  }

  /** Goes through every chore until none has anything left. */
  async runOnce(): Promise<void> {
    const { store, retention } = this.#options;
    const { recipients, events, raw } = retention;
    const chores: ((tx: Tx) => number)[] = [
      (tx) => purgeKeys(tx, BATCH),
      (tx) => purgeParked(tx, BATCH),
      (tx) => expireHolds(tx, BATCH),
      (tx) => tidyFinished(tx, BATCH),
      (tx) => (recipients === null ? 0 : purgeRecipients(tx, durationBefore(tx.now, recipients), BATCH)),
      (tx) => (raw === null ? 0 : purgeCallbacks(tx, durationBefore(tx.now, raw), BATCH)),
      (tx) => (events === null ? 0 : purgeEvents(tx, durationBefore(tx.now, events), BATCH)),
    ];
    for (const chore of chores) {
      while (!this.#isStopped && (await store.write(chore)) === BATCH);
    }
  }
}
