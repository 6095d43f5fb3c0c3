/**
 * How long a transaction of an import lasts, and the gap before the next. Beside a running server both are short: it
 * tries again every few milliseconds when it finds the database taken, and no request may wait long. Where no server
 * runs, nobody waits, and long transactions write each page once for many rows.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";

/** A transaction stops taking rows after this long; its commit takes two or three more. */
const TRANSACTION_MS = { insideServer: 4, besideServer: 7, alone: 240 };
/** A server that waits looks every 3 ms (`storage/writer.ts`): a gap longer than that is never missed. */
const GAP_MS = { insideServer: 6, besideServer: 2, besideWriters: 4, alone: 1 };
/** Others write as long as their last commit is no older. */
const WRITERS_ACTIVE_MS = 1_000;
/** A server may be started at any time. */
const SERVER_CHECK_INTERVAL_MS = 500;

export class Throttle {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #isServerRunning: () => boolean;
  #isAlone = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #gapStartedAt = Number.NEGATIVE_INFINITY;
  #dataVersion: number | null = null;
  #writersSeenAt = Number.NEGATIVE_INFINITY;

  readonly #isInside: boolean;

  constructor(store: Store, clock: Clock, isServerRunning: () => boolean, isInside = false) {
    this.#isInside = isInside;
    this.#store = store;
    this.#clock = clock;
    this.#isServerRunning = isServerRunning;
  }

  /** How long the next transaction may take rows. */
  get transactionMs(): number {
    if (this.#isInside) return TRANSACTION_MS.insideServer;
    return this.#isAlone ? TRANSACTION_MS.alone : TRANSACTION_MS.besideServer;
  }

  /** A transaction has just ended. */
  startGap(): void {
    this.#gapStartedAt = this.#clock.monotonic();
  }

  /** Waits for what is left of the gap: work between two transactions is a gap as well. */
  async waitForGap(): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#isInside) {
      await sleep(this.#clock, Math.max(1, Math.ceil(GAP_MS.insideServer - (now - this.#gapStartedAt))));
      return;
    }
    const version = this.#store.dataVersion();
    if (this.#dataVersion !== null && this.#dataVersion !== version) this.#writersSeenAt = now;
    this.#dataVersion = version;
    const isBesideWriters = now - this.#writersSeenAt < WRITERS_ACTIVE_MS;
    if (now - this.#checkedAt >= SERVER_CHECK_INTERVAL_MS) {
      this.#checkedAt = now;
      this.#isAlone = !this.#isServerRunning();
    }
    if (isBesideWriters) this.#isAlone = false;
    const gapMs = isBesideWriters ? GAP_MS.besideWriters : this.#isAlone ? GAP_MS.alone : GAP_MS.besideServer;
    const leftMs = gapMs - (now - this.#gapStartedAt);
    if (leftMs > 0) await sleep(this.#clock, Math.ceil(leftMs));
  }
}
