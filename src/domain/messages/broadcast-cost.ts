/**
 * The cost of a whole broadcast: held before it sends, released for recipients who are not sent to, final when it is
 * settled. `adjust-counters.ts` books the changes of single recipients in between.
 */
import type { Micros } from "#src/core/money.ts";
import { changeRow, deleteRows, insertRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { bookCharge, bookHold, bookRelease, holdAmount, releaseAmount } from "../billing/hold.ts";
import type { BillingAccount } from "../billing/table.ts";
import { getCounters, scheduleReview } from "./adjust-counters.ts";
import { isClosed, openCost } from "./broadcast-counters.ts";
import { type BroadcastCounters, broadcastCounters } from "./table.ts";

interface NewCounters {
  broadcastId: number;
  workspaceId: number;
  pending: number;
  skipped: number;
  isCharged: boolean;
  rate: Micros;
}

export function createCounters(tx: Tx, counters: NewCounters): BroadcastCounters {
  return insertRow(tx, broadcastCounters, {
    ...counters,
    sending: 0,
    sent: 0,
    delivered: 0,
    read: 0,
    failed: 0,
    isHeld: false,
    held: 0,
    booked: 0,
    charged: 0,
    isFinished: false,
    answerRepeats: 0,
    statusRepeats: 0,
  });
}

/** Holds an amount before the recipients are known. False: the balance does not cover it. */
export function holdUpFront(tx: Tx, broadcastId: number, amount: Micros): boolean {
  const counters = getCounters(tx, broadcastId);
  if (amount > 0 && !holdAmount(tx, counters.workspaceId, amount)) return false;
  if (amount > 0) bookHold(tx, counters.workspaceId, { broadcastId }, amount);
  update(tx, broadcastId, { held: counters.held + amount, booked: counters.booked + amount });
  return true;
}

/** Sets today's price until the first hold freezes it. Null: the workspace is not charged. */
export function reprice(tx: Tx, broadcastId: number, account: BillingAccount | null): void {
  const counters = getCounters(tx, broadcastId);
  if (counters.isHeld || counters.booked > 0) return;
  update(tx, broadcastId, { isCharged: account !== null, rate: account?.rate ?? 0 });
}

/** How much is missing from the hold to cover every recipient without a final outcome; negative if too much is held. */
function missingHold(counters: BroadcastCounters): Micros {
  return openCost(counters) - counters.held;
}

/**
 * Adjusts the hold to exactly the cost of all recipients without a final outcome. False: the balance does not cover it.
 */
export function holdCost(tx: Tx, broadcastId: number): boolean {
  const counters = getCounters(tx, broadcastId);
  if (counters.isHeld) return true;
  const missing = missingHold(counters);
  if (missing > 0 && !holdUpFront(tx, broadcastId, missing)) return false;
  if (missing < 0) releaseAmount(tx, counters.workspaceId, -missing);
  update(tx, broadcastId, { isHeld: true, held: openCost(counters) });
  return true;
}

/** Ends sending: pending recipients count as skipped from now on and cost nothing. */
export function finishCounters(tx: Tx, broadcastId: number): BroadcastCounters {
  const counters = getCounters(tx, broadcastId);
  const after = { ...counters, pending: 0, skipped: counters.skipped + counters.pending, isFinished: true };
  // Hold at most the remaining cost, and release the rest of what was held up front.
  const held = Math.min(counters.held, openCost(after));
  if (counters.held > held) releaseAmount(tx, counters.workspaceId, counters.held - held);
  const isHeld = counters.isHeld || held === openCost(after);
  const finished = update(tx, broadcastId, { pending: 0, skipped: after.skipped, isFinished: true, held, isHeld });
  if (isClosed(finished)) scheduleReview(tx, broadcastId, counters.workspaceId, tx.now);
  return finished;
}

/** Settles the broadcast: counters and cost are final, except for deliveries that are reported even later. */
export function settleCost(tx: Tx, broadcastId: number): BroadcastCounters {
  const counters = getCounters(tx, broadcastId);
  const { workspaceId, held, booked, charged } = counters;
  if (held > 0) releaseAmount(tx, workspaceId, held);
  if (charged > 0) bookCharge(tx, workspaceId, { broadcastId }, charged);
  if (booked > charged) bookRelease(tx, workspaceId, { broadcastId }, booked - charged);
  return update(tx, broadcastId, { held: 0, settledAt: tx.now, refusals: null });
}

/** Removes the counters of a broadcast that sent nothing, and releases what was held for it. */
export function dropCounters(tx: Tx, broadcastId: number): void {
  const { workspaceId, held, booked } = getCounters(tx, broadcastId);
  if (held > 0) releaseAmount(tx, workspaceId, held);
  if (booked > 0) bookRelease(tx, workspaceId, { broadcastId }, booked);
  deleteRows(tx, broadcastCounters, { broadcastId });
}

function update(tx: Tx, broadcastId: number, values: Partial<BroadcastCounters>): BroadcastCounters {
  const changed = changeRow(tx, broadcastCounters, { broadcastId }, values);
  if (changed === undefined) throw new Error(`broadcast ${broadcastId} has no counters`);
  return changed;
}
