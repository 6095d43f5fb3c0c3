/**
 * Moves the network's ids of messages into their index, thousands at a time: see `domain/messages/network-ids.ts`. A
 * message is found before, during and after the move, and also if no move ever happens.
 */
import { sleep } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import {
  type Batch,
  copySlice,
  endMove,
  loadRecent,
  nextBatch,
  SLICES,
  watchRecent,
} from "#src/domain/messages/network-ids.ts";
import { BATCH, type IndexerOptions, PAUSE_MS, RETRY_MS } from "./indexing.ts";

/** Rows that are read into memory at a time, after a start or a commit of another process. */
const LOADED_ROWS = 1_000;

export class NetworkIdIndexer extends ServiceLoop {
  readonly #options: IndexerOptions;
  /** The last run failed: only the timer starts the next one. */
  #isFailing = false;

  constructor(options: IndexerOptions) {
    const { clock, log } = options;
    super({
      name: "index_network_ids",
      clock,
      retryAfterMs: RETRY_MS,
      onError: (error) => {
        this.#isFailing = true;
        log.error("network_ids.failed", "Moving the network's ids to their index failed; trying again in a minute", {
          error,
        });
      },
    });
    this.#options = options;
    const { store, batch = BATCH } = options;
    store.read((tx) =>
      watchRecent(tx, batch, () => {
        if (!this.#isFailing) this.notify();
      }),
    );
  }

  async runOnce(): Promise<NextRun> {
    const { store } = this.#options;
    while (!this.isStopped && store.read((tx) => loadRecent(tx, LOADED_ROWS))) await this.#pause();
    for (let batch = store.read(nextBatch); batch !== null && !this.isStopped; batch = store.read(nextBatch)) {
      await this.#move(batch);
    }
    this.#isFailing = false;
    return null;
  }

  async #move(batch: Batch): Promise<void> {
    const { store } = this.#options;
    for (let slice = 0; slice < SLICES; slice++) {
      await store.writeRepeatable((tx) => copySlice(tx, batch, slice));
      await this.#pause();
      // After the next start, the move begins again.
      if (this.isStopped) return;
    }
    await store.writeRepeatable((tx) => endMove(tx, batch));
  }

  #pause(): Promise<void> {
    return sleep(this.#options.realClock, PAUSE_MS);
  }
}
