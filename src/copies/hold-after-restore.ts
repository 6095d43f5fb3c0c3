/**
 * What must not go on by itself in a copy of a database: the original, or another copy, may have gone further. Run once,
 * in the transaction that gives the copy its new name.
 */
import { holdAfterRestore as holdBroadcasts } from "#src/domain/broadcasts/restored.ts";
import type { Copied } from "#src/storage/instance.ts";
import type { Tx } from "#src/storage/transaction.ts";

/**
 * Single messages need nothing here: what a copy finds open is in doubt or interrupted like after a crash, and is never
 * sent again. Broadcasts are held. Only a restore that took over what was newer knows what was sent since the copy.
 */
export function holdAfterRestore(tx: Tx, { kind, hasGap }: Copied): void {
  holdBroadcasts(tx, kind === "restore" && !hasGap);
}
