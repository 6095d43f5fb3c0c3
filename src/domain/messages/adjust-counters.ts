/**
 * Applies a recipient's state change to the broadcast's counters and the workspace's balance, in the transaction of the
 * change. Schedules a review of the broadcast when no recipient is pending or being sent, or, once it is finished, when
 * every outcome is final.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { bookCharge, chargeAmount, releaseAmount } from "../billing/hold.ts";
import {
  type CounterDelta,
  computeDelta,
  effectiveState,
  isClosed,
  type RecipientState,
} from "./broadcast-counters.ts";
import { addToCounters, countersOfBroadcast, setLastSentAt } from "./counter-statements.ts";
import type { BroadcastCounters } from "./table.ts";

export function getCounters(tx: ReadTx, broadcastId: number): BroadcastCounters {
  const counters = countersOfBroadcast(tx).get({ broadcastId });
  if (counters === undefined) throw new Error(`broadcast ${broadcastId} has no counters`);
  return counters;
}

/**
 * Counts one recipient's change from `before` to `after`. `messageId` is for the ledger, once the broadcast is settled.
 */
export function countMove(
  tx: Tx,
  broadcastId: number,
  messageId: number,
  before: RecipientState,
  after: RecipientState,
): BroadcastCounters {
  const counters = getCounters(tx, broadcastId);
  const delta = computeDelta(effectiveState(before, counters), effectiveState(after, counters), counters.rate);
  if (counters.settledAt !== null && delta.charged > 0) {
    bookCharge(tx, counters.workspaceId, { messageId, broadcastId }, delta.charged);
  }
  return adjustCounters(tx, counters, delta);
}

/** Applies the summed delta of one or more recipients. */
export function adjustCounters(
  tx: Tx,
  { broadcastId, workspaceId }: Pick<BroadcastCounters, "broadcastId" | "workspaceId">,
  delta: CounterDelta,
): BroadcastCounters {
  if (delta.held < 0) releaseAmount(tx, workspaceId, -delta.held);
  if (delta.charged > 0) chargeAmount(tx, workspaceId, delta.charged);
  const heldBackUntil = delta.heldBack < 0 ? tx.now : null;
  const counters = addToCounters(tx).get({ broadcastId, ...delta, heldBackUntil });
  if (counters === undefined) throw new Error(`broadcast ${broadcastId} has no counters`);
  if (needsReview(counters, delta)) scheduleReview(tx, broadcastId, workspaceId, tx.now);
  return counters;
}

function needsReview(counters: BroadcastCounters, delta: CounterDelta): boolean {
  if (counters.isFinished) {
    const isLastReleased = delta.heldBack < 0 && counters.heldBack === 0;
    return counters.settledAt === null && (isLastReleased || isClosed(counters));
  }
  return counters.pending === 0 && counters.sending === 0;
}

export function scheduleReview(tx: Tx, broadcastId: number, workspaceId: number, dueAt: number): void {
  enqueue(tx, { kind: "review_broadcast", subject: broadcastId, queueKey: workspaceId, dueAt });
}

/** Call when recipients of the broadcast are dispatched. */
export function recordLastSent(tx: Tx, broadcastId: number): void {
  setLastSentAt(tx).run({ broadcastId, lastSentAt: tx.now });
}
