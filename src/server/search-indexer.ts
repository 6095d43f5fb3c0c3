/** Brings the search index up to date a few seconds after a commit at most, in slices between which other work runs. */
import { type Clock, sleep, type Timer } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import { indexRows, isIndexBehind, mergeIndex } from "#src/domain/search/index-rows.ts";

interface SearchIndexerOptions {
  store: Store;
  clock: Clock;
  /** Of the slices and the pauses, which a clock that stands still must not prolong. */
  realClock: Clock;
  log: Log;
}

/** After a failure. */
const RETRY_MS = 60_000;
/** How long a row waits at most while the index keeps up: contacts are read a second after their change. */
const EVERY_MS = 2_000;
const SLICE_MS = 2;
const PAUSE_MS = 6;
/** How much longer than a slice its pause is: the index takes a seventh of the thread at most, a fiftieth while others need it. */
const PAUSE_SHARE = { usual: 6, busy: 49 };
/**
 * Statements of others that write, in a millisecond, of a server that has no time for the index; 200 messages a second have
 * about three. Operations would count a hundred items of callbacks as one.
 */
const BUSY_WRITES = 8;
/** The same of reads: a short request has two. */
const BUSY_READS = 10;
/** Pages of the index that a slice merges, which takes about a millisecond. */
const MERGED_PAGES = 16;

export class SearchIndexer extends ServiceLoop {
  readonly #options: SearchIndexerOptions;
  #timer: Timer | null = null;
  #committedAt = 0;
  /** Ends the pause of the run. */
  #stopping = new AbortController();

  constructor(options: SearchIndexerOptions) {
    const { clock, log } = options;
    super({
      name: "search_index",
      clock,
      retryAfterMs: RETRY_MS,
      onError: (error) => {
        // The store says that the disk fails; the rows wait.
        if (!isStorageFailure(error)) log.error("search.index_failed", "Indexing for the search failed", { error });
      },
    });
    this.#options = options;
  }

  /** Rows may wait. Cheap: call it after each commit. */
  noteCommit(): void {
    const { clock } = this.#options;
    this.#committedAt = clock.now();
    if (this.isStopped) return;
    this.#timer ??= clock.setTimer(EVERY_MS, () => {
      this.#timer = null;
      this.notify();
    });
  }

  override stop(): void {
    super.stop();
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** After a slice. Longer while the server is busy: the index catches up later, and a search says so. */
  async #pause(tookMs: number): Promise<void> {
    const { store, realClock } = this.#options;
    const { reads, writes } = store.load;
    const at = realClock.monotonic();
    await sleep(realClock, Math.max(PAUSE_MS, tookMs * PAUSE_SHARE.usual), this.#stopping.signal);
    const durationMs = realClock.monotonic() - at;
    const hasManyWrites = store.load.writes - writes >= BUSY_WRITES * durationMs;
    const hasManyReads = store.load.reads - reads >= BUSY_READS * durationMs;
    if (!hasManyWrites && !hasManyReads) return;
    await sleep(realClock, tookMs * (PAUSE_SHARE.busy - PAUSE_SHARE.usual), this.#stopping.signal);
  }

  async runOnce(): Promise<NextRun> {
    const { store, realClock, clock } = this.#options;
    this.#stopping = new AbortController();
    let isBehind = store.read((tx) => isIndexBehind(tx, null));
    while (isBehind && !this.isStopped) {
      let tookMs = 0;
      isBehind = await store.writeRepeatable((tx) => {
        const beganAt = realClock.monotonic();
        const isMore = indexRows(tx, () => realClock.monotonic() < beganAt + SLICE_MS);
        mergeIndex(tx, MERGED_PAGES);
        tookMs = realClock.monotonic() - beganAt;
        return isMore;
      });
      if (isBehind) await this.#pause(tookMs);
    }
    // A contact that changed last may still be too young.
    return clock.now() - this.#committedAt < EVERY_MS ? EVERY_MS : null;
  }
}
