/** What the services have in common that move entries to an index, thousands at a time. */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";

export interface IndexerOptions {
  store: Store;
  clock: Clock;
  /** Of the pauses, which a clock that stands still must not prolong. */
  realClock: Clock;
  log: Log;
  /** How many move together. Tests choose fewer. */
  batch?: number | undefined;
}

/** After a failure. */
export const RETRY_MS = 60_000;
/** With this many, several share each page of an index of a million entries. */
export const BATCH = 16_384;
/** Other work runs between two steps. */
export const PAUSE_MS = 10;
