/**
 * Ends a broadcast. Only the broadcast is written: its unsent recipients count as skipped from now on, and their hold
 * is released at once. Their rows are updated later, a few at a time. Messages in flight still leave.
 */
import { Problem } from "#src/core/problem.ts";
import { clauseOf } from "#src/core/sentence.ts";
import type { Tx } from "#src/db/transaction.ts";
import { scheduleReview } from "../messages/adjust-counters.ts";
import { finishCounters } from "../messages/broadcast-cost.ts";
import { releaseReserved } from "../messages/key-budget.ts";
import type { FinishedStatus } from "./broadcast.ts";
import { trigger } from "./move.ts";
import type { Broadcast } from "./table.ts";

const TRIGGER = { completed: "drained", cancelled: "cancel", failed: "fail" } as const;

/** Null: it was finished already. `reason`: plain text, for a failed broadcast. */
export function finishBroadcast(
  tx: Tx,
  broadcast: Broadcast,
  status: FinishedStatus,
  reason: string | null,
): Broadcast | null {
  const finished = trigger(tx, broadcast, TRIGGER[status], {
    statusReason: reason === null ? null : clauseOf(reason),
    pauseCause: null,
    waitsUntil: null,
    waitsFor: null,
    completedAt: tx.now,
    mediaLink: null,
    mediaFilename: null,
    parts: null,
    budgetReserved: 0,
  });
  if (finished === null) return null;
  releaseReserved(tx, broadcast);
  finishCounters(tx, broadcast.id);
  scheduleReview(tx, broadcast.id, broadcast.workspaceId, tx.now);
  return finished;
}

/** Throws `not_cancellable`. */
export function cancelBroadcast(tx: Tx, broadcast: Broadcast): Broadcast {
  const cancelled = finishBroadcast(tx, broadcast, "cancelled", null);
  if (cancelled !== null) return cancelled;
  throw new Problem("not_cancellable", `This broadcast is already ${broadcast.status}.`);
}
