/**
 * Run at every start, before anything is sent: is this the file that ran before, or a copy of one? A copy is held, gets
 * ids that no other copy gives out and a name of its own, all in one transaction, and so exactly once.
 */

import type { Place } from "#src/db/file-identity.ts";
import { beginAnew, type Copied, findCopied, moveIdsOn, readInstance, writePlace } from "#src/db/instance.ts";
import { isOlderThanItsRuns, renewMark } from "#src/db/run-marker.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { holdAfterRestore as holdBroadcasts } from "#src/domain/broadcasts/hold-restored.ts";

export interface Origin {
  instanceId: string;
  /** Null: this is the file that ran before. */
  copied: Copied | null;
}

export async function settleOrigin(
  store: Store,
  database: string,
  placeOf: (path: string) => Place,
  newId: () => string,
): Promise<Origin> {
  const { client } = store;
  const here = placeOf(database);
  const origin = await store.write((tx) => {
    const instance = readInstance(client);
    if (instance === null) throw new Error("the database has no name");
    const copied = findCopied(instance, here) ?? (isOlderThanItsRuns(client, database) ? writtenOver : null);
    if (copied === null) {
      // A command made the database where the file system gave no identity; from now on it is known.
      if (instance.place === null) writePlace(client, here);
      return { instanceId: instance.instanceId, copied: null };
    }
    const instanceId = newId();
    holdAfterRestore(tx, copied);
    moveIdsOn(client);
    beginAnew(client, instance, instanceId, here, tx.now);
    return { instanceId, copied };
  });
  markRun(store, database, newId);
  return origin;
}

/** An older state of the very file, put into it by hand. */
const writtenOver: Copied = { kind: "copied_by_hand", at: null, hasGap: false };

/** At the end of a run as at its beginning: an older state that is put back from now on is found out. */
export function markRun({ client }: Store, database: string, newId: () => string): void {
  try {
    renewMark(client, database, newId());
  } catch {
    // A full disk, say: the server starts and stops all the same. The mark before stays, and tells any state before it.
  }
}

/**
 * Single messages need nothing here: what a copy finds open is in doubt or interrupted like after a crash, and is never
 * sent again. Broadcasts are held. Only a restore that took over what was newer knows what was sent since the copy.
 */
export function holdAfterRestore(tx: Tx, { kind, hasGap }: Copied): void {
  holdBroadcasts(tx, kind === "restore" && !hasGap);
}
