/**
 * Applies a recipient's state change to the broadcast's counters and the workspace's balance, in the transaction of the
 * change. Schedules a review of the broadcast when no recipient is pending or being sent, or, once it is finished, when
 * every outcome is final.
 */
import { eq, sql } from "drizzle-orm";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { bookCharge, chargeAmount, releaseAmount } from "../billing/hold.ts";
import {
  type CounterDelta,
  computeDelta,
  effectiveState,
  isClosed,
  type RecipientState,
} from "./broadcast-counters.ts";
import { type BroadcastCounters, broadcastCounters } from "./table.ts";

const byBroadcast = statement((db) =>
  db
    .select()
    .from(broadcastCounters)
    .where(eq(broadcastCounters.broadcastId, sql.placeholder("broadcastId")))
    .prepare(),
);

export function getCounters(tx: ReadTx, broadcastId: number): BroadcastCounters {
  const counters = byBroadcast(tx).get({ broadcastId });
  if (counters === undefined) throw new Error(`broadcast ${broadcastId} has no counters`);
  return counters;
}

const increment = (column: keyof CounterDelta) => sql`${broadcastCounters[column]} + ${sql.placeholder(column)}`;

const addDelta = statement((db) =>
  db
    .update(broadcastCounters)
    .set({
      pending: increment("pending"),
      sending: increment("sending"),
      sent: increment("sent"),
      delivered: increment("delivered"),
      read: increment("read"),
      failed: increment("failed"),
      skipped: increment("skipped"),
      held: increment("held"),
      charged: increment("charged"),
    })
    .where(eq(broadcastCounters.broadcastId, sql.placeholder("broadcastId")))
    .returning()
    .prepare(),
);

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
  const counters = addDelta(tx).get({ broadcastId, ...delta });
  if (counters === undefined) throw new Error(`broadcast ${broadcastId} has no counters`);
  if (needsReview(counters)) scheduleReview(tx, broadcastId, workspaceId, tx.now);
  return counters;
}

function needsReview(counters: BroadcastCounters): boolean {
  if (counters.isFinished) return counters.settledAt === null && isClosed(counters);
  return counters.pending === 0 && counters.sending === 0;
}

export function scheduleReview(tx: Tx, broadcastId: number, workspaceId: number, dueAt: number): void {
  enqueue(tx, { kind: "review_broadcast", subject: broadcastId, queueKey: workspaceId, dueAt });
}

const updateLastSentAt = statement((db) =>
  db
    .update(broadcastCounters)
    .set({ lastSentAt: sql`${sql.placeholder("now")}` })
    .where(eq(broadcastCounters.broadcastId, sql.placeholder("broadcastId")))
    .prepare(),
);

/** Call when recipients of the broadcast are dispatched. */
export function recordLastSent(tx: Tx, broadcastId: number): void {
  updateLastSentAt(tx).run({ broadcastId, now: tx.now });
}
