/** Throws away what has outlived its use, in small batches with room between them, so that no request ever waits for it. */

import { type Clock, sleep, type Timer } from "#src/core/clock.ts";
import { type Duration, durationBefore } from "#src/core/duration.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { purgeDrafts } from "#src/domain/broadcasts/drafts.ts";
import { purgeRecipients, skipUnsent } from "#src/domain/broadcasts/skip-unsent.ts";
import { purgeKeys } from "#src/domain/idempotency/keys.ts";
import { purgeCallbacks } from "#src/domain/inbound/callbacks.ts";
import { purgeInbounds } from "#src/domain/inbound/purge.ts";
import { purgeRefused } from "#src/domain/inbound/refused-callbacks.ts";
import { purgeParked } from "#src/domain/messages/apply-status.ts";
import { expireHolds } from "#src/domain/messages/expire-hold.ts";
import { purgeProviderRequests } from "#src/domain/messages/provider-requests.ts";
import { purgeMessages } from "#src/domain/messages/purge.ts";
import { purgeSignIns } from "#src/domain/users/purge.ts";
import { purgeEvents } from "#src/domain/webhooks/purge.ts";
import { purgeBulkChanges } from "#src/transfer/bulk-changes.ts";

export interface HousekeepingOptions {
  store: Store;
  clock: Clock;
  /** How long to keep; null: for ever. */
  retention: Record<"recipients" | "events" | "raw" | "messages" | "inbound", Duration | null>;
  log: Log;
}

const INTERVAL_MS = 600_000;
const BATCH = 200;
const PAUSE_MS = 5;
/** Of 4 KiB each: free room up to this is left in the file, and the rest is given back in steps of a few milliseconds. */
const FREE_PAGES_KEPT = 2_000;
const FREE_PAGES_STEP = 100;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #timer: Timer | null = null;
  #isRunning = false;
  #isStopped = true;
  /** Up to here all is done: what is left is left for longer. A start begins anew. */
  #messagesAfter = 0;
  #inboundAfter = 0;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#timer = this.#options.clock.setTimer(INTERVAL_MS, () => void this.#run());
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
    const { recipients, events, raw, messages, inbound } = retention;
    const tasks: ((tx: Tx) => number)[] = [
      (tx) => purgeKeys(tx, BATCH),
      // One transaction for all: each costs a commit, and there is nearly never anything.
      (tx) => Math.max(...[purgeSignIns, purgeDrafts, purgeBulkChanges, purgeRefused].map((purge) => purge(tx, BATCH))),
      (tx) => purgeParked(tx, BATCH),
      (tx) => expireHolds(tx, BATCH),
      (tx) => skipUnsent(tx, BATCH),
      (tx) => (recipients === null ? 0 : purgeRecipients(tx, durationBefore(tx.now, recipients), BATCH)),
      (tx) => (raw === null ? 0 : purgeCallbacks(tx, durationBefore(tx.now, raw), BATCH)),
      (tx) => (raw === null ? 0 : purgeProviderRequests(tx, durationBefore(tx.now, raw), BATCH)),
      (tx) => (events === null ? 0 : purgeEvents(tx, durationBefore(tx.now, events), BATCH)),
    ];
    for (const task of tasks) {
      while (!this.#isStopped && (await store.write(task)) === BATCH) await this.#pause();
    }
    if (messages !== null) {
      await this.#purgeMessages(messages);
    }
    if (inbound !== null) {
      this.#inboundAfter = await this.#walk(this.#inboundAfter, (tx, after) =>
        purgeInbounds(tx, durationBefore(tx.now, inbound), after, BATCH),
      );
    }
    await this.#releaseFreePages();
  }

  /** The next run begins with the first that could not go yet. */
  async #purgeMessages(retention: Duration): Promise<void> {
    let firstOpen: number | null = null;
    const last = await this.#walk(this.#messagesAfter, (tx, after) => {
      const purged = purgeMessages(tx, durationBefore(tx.now, retention), after, BATCH);
      firstOpen ??= purged.firstOpen;
      return purged.next;
    });
    this.#messagesAfter = firstOpen === null ? last : firstOpen - 1;
  }

  /** Batch by batch until the chore says null; returns the last id that it went beyond. */
  async #walk(from: number, task: (tx: Tx, after: number) => number | null): Promise<number> {
    let after = from;
    while (!this.#isStopped) {
      const next = await this.#options.store.write((tx) => task(tx, after));
      if (next === null) break;
      after = next;
      await this.#pause();
    }
    return after;
  }

  /** Between two batches everybody else's writes get their turn. */
  #pause(): Promise<void> {
    return sleep(this.#options.clock, PAUSE_MS);
  }

  /** Gives pages that were freed back to the disk, a few at a time; what is likely to be needed again soon stays. */
  async #releaseFreePages(): Promise<void> {
    const { store } = this.#options;
    while (!this.#isStopped && (await store.write(() => store.freePages(FREE_PAGES_KEPT, FREE_PAGES_STEP)))) {
      await this.#pause();
    }
  }
}
