/**
 * Moves single messages into their index by contact, thousands at a time: see `domain/messages/contact-messages.ts`. A
 * message is found before, during and after the move, and also if no move ever happens.
 */
import { sleep } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { copyStep, endMove, loadUnindexed, planMove, watchUnindexed } from "#src/domain/messages/contact-messages.ts";
import { BATCH, type IndexerOptions, PAUSE_MS, RETRY_MS } from "./indexing.ts";

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
