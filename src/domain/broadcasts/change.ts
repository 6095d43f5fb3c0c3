/** The one guarded statement that moves a broadcast: it names the state that is left. */
import { and, eq } from "drizzle-orm";
import type { Tx } from "#src/storage/transaction.ts";
import { BROADCASTS, nextStatus, type Trigger } from "./broadcast.ts";
import { type Broadcast, broadcasts } from "./table.ts";

/** Moves it by a trigger; null: the trigger changes nothing in its state. */
export function trigger(
  tx: Tx,
  broadcast: Broadcast,
  what: Trigger,
  changes: Partial<Broadcast> = {},
): Broadcast | null {
  const context = { isBuilt: broadcast.isBuilt, isAhead: broadcast.sendAt !== null && broadcast.sendAt > tx.now };
  const status = nextStatus(broadcast.status, what, context);
  return status === null ? null : update(tx, broadcast, { ...changes, status });
}

/** Changes it in its state. */
export function update(tx: Tx, broadcast: Broadcast, changes: Partial<Broadcast>): Broadcast {
  const changed = tx.db
    .update(broadcasts)
    .set(changes)
    .where(and(eq(broadcasts.id, broadcast.id), eq(broadcasts.status, broadcast.status)))
    .returning()
    .get();
  // Nobody else can have moved it: it was read in this transaction.
  if (changed === undefined) throw new Error(`broadcast ${broadcast.id} was not ${broadcast.status} any more`);
  tx.wake(BROADCASTS);
  return changed;
}
