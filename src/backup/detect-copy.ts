/**
 * Run at every start, before anything is sent: is this the file that ran before, or a copy of one? A copy is held, gets
 * ids that no other copy gives out and a name of its own, all in one transaction, and so exactly once.
 */

import type { FileIdentity } from "#src/db/file-identity.ts";
import { advanceIds, type DatabaseCopy, findCopy, fork, readInstance, writeFileIdentity } from "#src/db/instance.ts";
import { isOlderThanLastRun, renewRunMarker } from "#src/db/run-marker.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { holdRestored as holdBroadcasts } from "#src/domain/broadcasts/hold-restored.ts";

export interface CopyDetection {
  instanceId: string;
  /** Null: this is the file that ran before. */
  copy: DatabaseCopy | null;
}

export async function detectCopy(
  store: Store,
  database: string,
  placeOf: (path: string) => FileIdentity,
  newId: () => string,
): Promise<CopyDetection> {
  const { client } = store;
  const current = placeOf(database);
  const detection = await store.write((tx) => {
    const instance = readInstance(client);
    if (instance === null) throw new Error("the database has no name");
    const copy = findCopy(instance, current) ?? (isOlderThanLastRun(client, database) ? overwrittenByHand : null);
    if (copy === null) {
      // A command made the database where the file system gave no identity; from now on it is known.
      if (instance.fileIdentity === null) writeFileIdentity(client, current);
      return { instanceId: instance.instanceId, copy: null };
    }
    const instanceId = newId();
    holdAfterRestore(tx, copy);
    advanceIds(client);
    fork(client, instance, instanceId, current, tx.now);
    return { instanceId, copy };
  });
  tryRenewRunMarker(store, database, newId);
  return detection;
}

/** An older state of the very file, put into it by hand. */
const overwrittenByHand: DatabaseCopy = { kind: "copied_by_hand", at: null, hasGap: false };

/** At the end of a run as at its beginning: an older state that is put back from now on is found out. */
export function tryRenewRunMarker({ client }: Store, database: string, newId: () => string): void {
  try {
    renewRunMarker(client, database, newId());
  } catch {
    // A full disk, say: the server starts and stops all the same. The mark before stays, and tells any state before it.
  }
}

/**
 * Single messages need nothing here: what a copy finds open is in doubt or interrupted like after a crash, and is never
 * sent again. Broadcasts are held. Only a restore that took over what was newer knows what was sent since the copy.
 */
export function holdAfterRestore(tx: Tx, { kind, hasGap }: DatabaseCopy): void {
  holdBroadcasts(tx, kind === "restore" && !hasGap);
}
