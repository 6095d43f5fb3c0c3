/** Stores the simulator's callbacks in the same durable queue as a real network's, and retries if the storage fails. */

import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { listSiblings } from "#src/domain/numbers/account-sync.ts";
import { findByPhoneNumberId } from "#src/domain/numbers/read.ts";

const ATTEMPTS_MAX = 60;
const RETRY_AFTER_MS = 1_000;

export async function storeSimulated(
  store: Store,
  clock: Clock,
  callbacks: readonly { body: string; dueAt: number; phoneNumberId?: string }[],
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      await store.write((tx) => {
        for (const { body, dueAt, phoneNumberId } of callbacks)
          storeCallback(tx, "simulator", body, dueAt, trustOf(tx, phoneNumberId));
      });
      return;
    } catch {
      await sleep(clock, RETRY_AFTER_MS);
    }
  }
}

/** All workspaces of the simulator have one account: what is about it is of the numbers of one workspace alone. */
function trustOf(tx: Tx, phoneNumberId: string | undefined) {
  const number = phoneNumberId === undefined ? undefined : findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return null;
  return { configuration: false, numbers: listSiblings(tx, number).map(({ id }) => id) };
}
