/** Moves the rows of two contacts that were joined, batch by batch: the server does, or the command that joined them. */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { findJoin, moveRows } from "#src/domain/erasure/join-rows.ts";

interface JoinOptions {
  store: Store;
  /** Of the gaps: a clock that no test moves. */
  clock: Clock;
  /** Read between two batches. Default: never. */
  isStopped?: () => boolean;
}

const GAP_MS = 3;

/** Returns false if it was stopped: it continues when this is called again. */
export async function finishJoin({ store, clock, isStopped }: JoinOptions, id: number): Promise<boolean> {
  while (isStopped?.() !== true) {
    const moved = await store.write((tx) => {
      const join = findJoin(tx, id);
      return join === undefined || join.endedAt !== null ? 0 : moveRows(tx, join);
    });
    if (moved === 0) return true;
    await sleep(clock, GAP_MS);
  }
  return false;
}
