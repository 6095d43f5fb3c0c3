/** The first step of every start, before anything is sent: reclaims the work of earlier processes. */

import type { Store } from "#src/db/store.ts";
import { type ReclaimCursor, reclaimRecipients, reclaimStart } from "#src/domain/broadcasts/recover.ts";
import { reclaimMessages } from "#src/domain/messages/in-doubt.ts";
import { reclaimDeliveries } from "#src/domain/webhooks/in-memory.ts";
import { reclaimJobs } from "#src/jobs/claim.ts";

/** Releases jobs that an earlier process had claimed or in memory. Messages that a crash left in `sending` are in doubt until `expireAt`. */
export async function reclaim(store: Store, runId: string, expireAt: number): Promise<void> {
  await store.write((tx) => {
    reclaimJobs(tx, runId);
    reclaimDeliveries(tx);
  });
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await store.write((tx) => reclaimMessages(tx, from, expireAt));
  }
  let cursor: ReclaimCursor | null = reclaimStart;
  while (cursor !== null) {
    const from: ReclaimCursor = cursor;
    cursor = await store.write((tx) => reclaimRecipients(tx, from, expireAt));
  }
}
