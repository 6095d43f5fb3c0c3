/**
 * Moves single messages into their index by contact, thousands at a time: see `domain/messages/contact-messages.ts`. A
 * message is found before, during and after the move, and also if no move ever happens.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { copyStep, endMove, loadUnindexed, planMove, watchUnindexed } from "#src/domain/messages/contact-messages.ts";

interface IndexerOptions {
  store: Store;
  clock: Clock;
  /** Of the pauses, which a clock that stands still must not prolong. */
  realClock: Clock;
  log: Log;
  /** How many messages move together. Tests choose fewer. */
  batch?: number | undefined;
}

const RETRY_MS = 60_000;
/** With this many, several share each page of an index of a million messages. */
const BATCH = 16_384;
/** Other work runs between two steps. */
const PAUSE_MS = 10;

export class ContactMessageIndexer extends ServiceLoop {
  readonly #options: IndexerOptions;

  constructor(options: IndexerOptions) {
    const { clock, log, store } = options;
    super({
      name: "index_contact_messages",
      clock,
      retryAfterMs: RETRY_MS,
      onError: (error) =>
        log.error(
          "contact_messages.failed",
          "Moving single messages to their index by contact failed; trying again in a minute",
          { error },
        ),
    });
    this.#options = options;
    store.read((tx) => watchUnindexed(tx, () => this.notify()));
  }

  async runOnce(): Promise<NextRun> {
    const { store, batch = BATCH } = this.#options;
    store.read(loadUnindexed);
    const move = store.read((tx) => planMove(tx, batch));
    if (move === null) return null;
    for (let step = 0; step <= move.borders.length; step++) {
      await store.writeRepeatable((tx) => copyStep(tx, move, step));
      await sleep(this.#options.realClock, PAUSE_MS);
      // After the next start, the move begins again.
      if (this.isStopped) return null;
    }
    await store.writeRepeatable((tx) => endMove(tx, move));
    return "at_once";
  }
}
