/** The first thing of every start, before anything is handed over: what other boots held is taken over. */

import type { Store } from "#src/db/store.ts";
import { type ReclaimCursor, reclaimRecipients, reclaimStart } from "#src/domain/broadcasts/recover.ts";
import { reclaimMessages } from "#src/domain/messages/in-doubt.ts";
import { reclaimJobs } from "#src/jobs/claim.ts";

/** Takes over what other boots held, and what a crash left open. */
export async function reclaim(store: Store, runId: string, expireAt: number): Promise<void> {
  await store.write((tx) => reclaimJobs(tx, runId));
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
