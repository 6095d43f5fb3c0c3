/**
 * Detects at every start, before anything is sent, whether the database is the file that ran last or a copy of one. In
 * one transaction, and so exactly once, a copy has its broadcasts held, gets ids that no other copy assigns, and gets
 * its own instance id.
 */

import type { FileIdentity } from "#src/db/file-identity.ts";
import { advanceIds, type DatabaseCopy, findCopy, fork, readInstance, writeFileIdentity } from "#src/db/instance.ts";
import { isOlderThanLastRun, renewRunMarker } from "#src/db/run-marker.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { holdRestored as holdBroadcasts } from "#src/domain/broadcasts/hold-restored.ts";

interface CopyDetection {
  instanceId: string;
  /** Null: this is the file that ran last. */
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
    if (instance === null) throw new Error("the database has no instance id");
    const copy = findCopy(instance, current) ?? (isOlderThanLastRun(client, database) ? overwrittenByHand : null);
    if (copy === null) {
      // The database was created without a file identity; record it now.
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

/** An older state of the same file, copied over it by hand. */
const overwrittenByHand: DatabaseCopy = { kind: "copied_by_hand", at: null, hasGap: false };

/**
 * Called at the start and the end of each run, so that the next start detects an older state that is copied over the
 * database.
 */
export function tryRenewRunMarker({ client }: Store, database: string, newId: () => string): void {
  try {
    renewRunMarker(client, database, newId());
  } catch {
    // The server starts and stops even if this fails, for example on a full disk. The previous marker stays and still
    // detects states from before it.
  }
}

/**
 * Holds broadcasts. Single messages need nothing: those that a copy contains unfinished are in doubt or interrupted, as
 * after a crash, and are never sent again. Only a restore that merged newer rows knows what was sent since the backup.
 */
function holdAfterRestore(tx: Tx, { kind, hasGap }: DatabaseCopy): void {
  holdBroadcasts(tx, kind === "restore" && !hasGap);
}
