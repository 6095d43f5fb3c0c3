/** Moves the entries of an index, thousands at a time: see `domain/messages/batch-index.ts`. */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import type { BatchIndex, BatchMove } from "#src/domain/messages/batch-index.ts";

interface IndexerOptions {
  store: Store;
  clock: Clock;
  /** Of the pauses, which a clock that stands still must not prolong. */
  realClock: Clock;
  log: Log;
  /** How many move together. Tests choose fewer. */
  batch?: number | undefined;
}

/** After a failure. */
const RETRY_MS = 60_000;
/** With this many, several share each page of an index of a million entries. */
const BATCH = 16_384;
/** Other work runs between two steps. */
const PAUSE_MS = 10;
/** Entries that are read into memory at a time, after a start or a commit of another process. */
const LOADED_ROWS = 1_000;

export class BatchIndexer extends ServiceLoop {
  readonly #index: BatchIndex;
  readonly #options: IndexerOptions;
  /** The last run failed: only the timer starts the next one. */
  #isFailing = false;

  constructor(index: BatchIndex, options: IndexerOptions) {
    const { store, clock, log, batch = BATCH } = options;
    super({
      name: `index_${index.name}`,
      clock,
      retryAfterMs: RETRY_MS,
      onError: (error) => {
        this.#isFailing = true;
        log.error(index.failure.event, index.failure.message, { error });
      },
    });
    this.#index = index;
    this.#options = options;
    store.read((tx) =>
      index.watch(tx, batch, () => {
        if (!this.#isFailing) this.notify();
      }),
    );
  }

  async runOnce(): Promise<NextRun> {
    const { store, batch = BATCH } = this.#options;
    while (!this.isStopped && store.read((tx) => this.#index.load(tx, LOADED_ROWS))) await this.#pause();
    if (this.isStopped) return null;
    const move = store.read((tx) => this.#index.plan(tx, batch));
    if (move !== null) await this.#move(move);
    this.#isFailing = false;
    return move === null ? null : "at_once";
  }

  async #move(move: BatchMove): Promise<void> {
    const { store } = this.#options;
    for (let step = 0; step < move.steps; step++) {
      await store.writeRepeatable((tx) => this.#index.copy(tx, move, step));
      await this.#pause();
      // After the next start, the move begins again.
      if (this.isStopped) return;
    }
    await store.writeRepeatable((tx) => this.#index.end(tx, move));
  }

  #pause(): Promise<void> {
    return sleep(this.#options.realClock, PAUSE_MS);
  }
}
