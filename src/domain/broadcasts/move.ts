/** The guarded statement that changes a broadcast: it names the state that the broadcast leaves. */
import { changeRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { BROADCASTS, nextStatus, resumesAutomatically, type Trigger } from "./broadcast.ts";
import { setBuiltAfterId } from "./statements.ts";
import { type Broadcast, broadcasts } from "./table.ts";
import { viewBroadcast } from "./view.ts";

/** Applies a trigger; null if the trigger has no effect in this state. */
export function trigger(
  tx: Tx,
  broadcast: Broadcast,
  event: Trigger,
  changes: Partial<Broadcast> = {},
): Broadcast | null {
  const { isBuilt, sendAt } = { ...broadcast, ...changes };
  const context = { isBuilt, isScheduledAhead: sendAt !== null && sendAt > tx.now };
  const status = nextStatus(broadcast.status, event, context);
  if (status === null) return null;
  const changed = update(tx, broadcast, { ...changes, status });
  if (status !== broadcast.status) {
    logStatus(tx, changed);
    if (event === "pause") publishBroadcast(tx, changed, "broadcast.paused");
    if (event === "resume") publishBroadcast(tx, changed, "broadcast.resumed");
  }
  return changed;
}

export function publishBroadcast(
  tx: Tx,
  broadcast: Broadcast,
  type: "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished",
): void {
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  publish(tx, workspace, type, { broadcast: viewBroadcast(tx, broadcast, workspace) });
}

/** A pause that waits for a person, and a failure, are what an operator has to act on. */
function logStatus(tx: Tx, { id, workspaceId, status, pauseCause, statusReason }: Broadcast): void {
  const isProblem = status === "failed" || (status === "paused" && !resumesAutomatically(pauseCause));
  tx.logAfterCommit(isProblem ? "warn" : "info", `broadcast.${status}`, `Broadcast ${status}`, {
    broadcast: id,
    workspace: workspaceId,
    cause: pauseCause ?? undefined,
    reason: statusReason ?? undefined,
  });
}

/** Changes the broadcast within or out of the state in which it was read. */
export function update(tx: Tx, broadcast: Broadcast, changes: Partial<Broadcast>): Broadcast {
  const changed = changeRow(tx, broadcasts, { id: broadcast.id, status: broadcast.status }, changes);
  // The broadcast was read in this transaction, so no other writer can have changed it.
  if (changed === undefined) throw new Error(`broadcast ${broadcast.id} was not ${broadcast.status} any more`);
  tx.notify(BROADCASTS);
  return changed;
}

/** Saves the build cursor. Runs often, so it has its own statement and notifies no one. */
export function recordProgress(tx: Tx, broadcast: Broadcast, lastId: number): void {
  if (setBuiltAfterId(tx).run({ id: broadcast.id, builtAfterId: lastId }) !== 1) {
    throw new Error(`broadcast ${broadcast.id} was not queueing any more`);
  }
}
