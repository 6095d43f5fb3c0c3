/**
 * Run at every start, before anything is sent: is this the file that ran before, or a copy of one? A copy is held, gets
 * ids that no other copy gives out and a name of its own, all in one transaction, and so exactly once.
 */
import { beginAnew, type Copied, findCopied, moveIdsOn, readInstance, writePlace } from "#src/storage/instance.ts";
import type { Place } from "#src/storage/place.ts";
import type { Store } from "#src/storage/store.ts";
import { holdAfterRestore } from "./hold-after-restore.ts";

export interface Origin {
  instanceId: string;
  /** Null: this is the file that ran before. */
  copied: Copied | null;
}

export function settleOrigin(store: Store, here: Place, newId: () => string): Promise<Origin> {
  const { client } = store;
  return store.write((tx) => {
    const instance = readInstance(client);
    if (instance === null) throw new Error("the database has no name");
    const copied = findCopied(instance, here);
    if (copied === null) {
      // One from before there were places: whoever copied it cannot be found out any more.
      if (instance.place === null) writePlace(client, here);
      return { instanceId: instance.instanceId, copied: null };
    }
    const instanceId = newId();
    holdAfterRestore(tx, copied);
    moveIdsOn(client);
    beginAnew(client, instance, instanceId, here, tx.now);
    return { instanceId, copied };
  });
}
