/** The first step of every start, before anything is sent: finds the messages that an earlier process left in flight. */

import type { Store } from "#src/db/store.ts";
import { type ReclaimCursor, reclaimRecipients, reclaimStart } from "#src/domain/broadcasts/recover.ts";
import { settleInterrupted } from "#src/domain/inbound/thread-calls.ts";
import { reclaimMessages } from "#src/domain/messages/in-doubt.ts";

/**
 * Messages that a crash left in `sending` are in doubt until `expireAt`. Of what it interrupted in asking for a thread,
 * only what was reported since can tell the outcome.
 */
export async function reclaim(store: Store, expireAt: number): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await store.write((tx) => reclaimMessages(tx, from, expireAt));
  }
  while (await store.write((tx) => settleInterrupted(tx))) {
    // The next ones.
  }
  let cursor: ReclaimCursor | null = reclaimStart;
  while (cursor !== null) {
    const from: ReclaimCursor = cursor;
    cursor = await store.write((tx) => reclaimRecipients(tx, from, expireAt));
  }
}
