/** The first thing of every start, before anything is handed over: what other boots held is taken over. */

import type { Store } from "#src/db/store.ts";
import { type RecoveryMark, recoverRecipients, recoveryStart } from "#src/domain/broadcasts/recover.ts";
import { recoverOpen } from "#src/domain/messages/in-doubt.ts";
import { rescue } from "#src/jobs/claim.ts";

/** Takes over what other boots held, and what a crash left open. */
export async function recover(store: Store, boot: string, settleAt: number): Promise<void> {
  await store.write((tx) => rescue(tx, boot));
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await store.write((tx) => recoverOpen(tx, from, settleAt));
  }
  let mark: RecoveryMark | null = recoveryStart;
  while (mark !== null) {
    const from: RecoveryMark = mark;
    mark = await store.write((tx) => recoverRecipients(tx, from, settleAt));
  }
}
