/**
 * Paces the transactions of an import: how long each lasts, and the gap before the next. Beside a running server both
 * are short, because the server retries every few milliseconds while the database is locked, and no request may wait
 * long. Inside a server without other work, they are longer and follow each other at once. Without a server, long
 * transactions write each page once for many rows.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";

/** A transaction stops taking rows after this many milliseconds; beside other work its commit takes two or three more. */
const TRANSACTION_MS = { insideServer: 4, insideQuietServer: 8, besideServer: 7, alone: 750 };
/** A waiting server retries every 3 ms (`db/writer.ts`), so it never misses a gap longer than that. */
const GAP_MS = { insideServer: 6, insideQuietServer: 1, besideServer: 2, besideWriters: 4, alone: 1 };
/** Inside the server, a transaction that took longer, with its commit, on a busy machine is followed by a longer gap. */
const GAP_SHARE = 2;
const GAP_MS_MAX = 100;
/** The server counts as quiet when only the import has used the database for this long. */
const QUIET_AFTER_MS = 500;
/** Other processes count as writing while their last commit is no older than this. */
const WRITERS_ACTIVE_MS = 1_000;
/** How often to check for a running server, because one may start at any time. */
const SERVER_CHECK_INTERVAL_MS = 500;

export class Throttle {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #isServerRunning: () => boolean;
  #isAlone = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #gapStartedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #dataVersion: number | null = null;
  #writersSeenAt = Number.NEGATIVE_INFINITY;
  #activity = 0;
  #othersSeenAt: number;

  readonly #isInside: boolean;

  constructor(store: Store, clock: Clock, isServerRunning: () => boolean, isInside = false) {
    this.#isInside = isInside;
    this.#store = store;
    this.#clock = clock;
    this.#othersSeenAt = clock.monotonic();
    this.#isServerRunning = isServerRunning;
  }

  /** How long the next transaction may take rows, in milliseconds. */
  get transactionMs(): number {
    if (this.#isInside) return TRANSACTION_MS[this.#isQuiet ? "insideQuietServer" : "insideServer"];
    return this.#isAlone ? TRANSACTION_MS.alone : TRANSACTION_MS.besideServer;
  }

  /** Call when a transaction has ended; `startedAt`: the monotonic time at which it was asked for. */
  startGap(startedAt: number): void {
    this.#gapStartedAt = this.#clock.monotonic();
    this.#tookMs = this.#gapStartedAt - startedAt;
  }

  /** Waits for the rest of the gap; work done since the last transaction counts towards it. */
  async waitForGap(): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#isInside) {
      this.#lookForOthers();
      const sharedMs = Math.min(Math.max(GAP_MS.insideServer, GAP_SHARE * this.#tookMs), GAP_MS_MAX);
      const gapMs = this.#isQuiet ? GAP_MS.insideQuietServer : sharedMs;
      await sleep(this.#clock, Math.max(1, Math.ceil(gapMs - (now - this.#gapStartedAt))));
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

  /** The import itself adds one operation to the activity between two gaps; whatever is beyond that is other work. */
  #lookForOthers(): void {
    const { activity } = this.#store;
    if (activity - this.#activity > 1) this.#othersSeenAt = this.#clock.monotonic();
    this.#activity = activity;
  }

  get #isQuiet(): boolean {
    return this.#clock.monotonic() - this.#othersSeenAt >= QUIET_AFTER_MS;
  }
}
