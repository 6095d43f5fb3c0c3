/** Stores the simulator's callbacks in the same durable queue as a real network's, and retries if the storage fails. */

import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";

const ATTEMPTS_MAX = 60;
const RETRY_AFTER_MS = 1_000;

export async function storeSimulated(
  store: Store,
  clock: Clock,
  callbacks: readonly { body: string; dueAt: number }[],
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      await store.write((tx) => {
        for (const { body, dueAt } of callbacks) storeCallback(tx, "simulator", body, dueAt);
      });
      return;
    } catch {
      await sleep(clock, RETRY_AFTER_MS);
    }
  }
}
