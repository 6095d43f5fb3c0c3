/**
 * The money of a whole broadcast: blocked before it sends, given back where nobody is sent to, final when it is settled.
 * What single recipients move in between is `adjust.ts`.
 */
import { eq } from "drizzle-orm";
import type { Micros } from "#src/core/money.ts";
import type { Tx } from "#src/db/transaction.ts";
import { bookCharge, bookHold, bookRelease, holdAmount, releaseAmount } from "../billing/hold.ts";
import type { BillingAccount } from "../billing/table.ts";
import { getCounters, scheduleReview } from "./adjust-counters.ts";
import { isClosed, openCost } from "./broadcast-counters.ts";
import { type BroadcastCounters, broadcastCounters } from "./table.ts";

export interface NewCounters {
  broadcastId: number;
  workspaceId: number;
  pending: number;
  skipped: number;
  isCharged: boolean;
  rate: Micros;
}

export function createCounters(tx: Tx, counters: NewCounters): BroadcastCounters {
  return tx.db
    .insert(broadcastCounters)
    .values({
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
      answerFailures: 0,
      statusFailures: 0,
    })
    .returning()
    .get();
}

/** Blocks an amount ahead, before it is known who will be sent to. False: the balance does not cover it. */
export function holdUpFront(tx: Tx, broadcastId: number, amount: Micros): boolean {
  const counters = getCounters(tx, broadcastId);
  if (amount > 0 && !holdAmount(tx, counters.workspaceId, amount)) return false;
  if (amount > 0) bookHold(tx, counters.workspaceId, { broadcastId }, amount);
  update(tx, broadcastId, { held: counters.held + amount, booked: counters.booked + amount });
  return true;
}

/** A price is frozen with the first hold; until then it is today's. Null: the workspace is not charged. */
export function reprice(tx: Tx, broadcastId: number, account: BillingAccount | null): void {
  const counters = getCounters(tx, broadcastId);
  if (counters.isHeld || counters.booked > 0) return;
  update(tx, broadcastId, { isCharged: account !== null, rate: account?.rate ?? 0 });
}

/** How much more has to be blocked for everybody whose end is open; negative where too much is. */
export function missingHold(counters: BroadcastCounters): Micros {
  return openCost(counters) - counters.held;
}

/** From now on exactly the cost of everybody whose end is open is blocked. False: the balance does not cover it. */
export function holdCost(tx: Tx, broadcastId: number): boolean {
  const counters = getCounters(tx, broadcastId);
  if (counters.isHeld) return true;
  const missing = missingHold(counters);
  if (missing > 0 && !holdUpFront(tx, broadcastId, missing)) return false;
  if (missing < 0) releaseAmount(tx, counters.workspaceId, -missing);
  update(tx, broadcastId, { isHeld: true, held: openCost(counters) });
  return true;
}

/** Nobody else is handed over: who has not been counts as skipped from now on, and costs nothing. */
export function finishCounters(tx: Tx, broadcastId: number): BroadcastCounters {
  const counters = getCounters(tx, broadcastId);
  const after = { ...counters, pending: 0, skipped: counters.skipped + counters.pending, isFinished: true };
  // From here on exactly the rest is held, whatever was blocked ahead.
  const held = Math.min(counters.held, openCost(after));
  if (counters.held > held) releaseAmount(tx, counters.workspaceId, counters.held - held);
  const isHeld = counters.isHeld || held === openCost(after);
  const finished = update(tx, broadcastId, { pending: 0, skipped: after.skipped, isFinished: true, held, isHeld });
  if (isClosed(finished)) scheduleReview(tx, broadcastId, counters.workspaceId, tx.now);
  return finished;
}

/** The figures and the money are final, but for deliveries that are reported later still. */
export function settleCost(tx: Tx, broadcastId: number): BroadcastCounters {
  const counters = getCounters(tx, broadcastId);
  const { workspaceId, held, booked, charged } = counters;
  if (held > 0) releaseAmount(tx, workspaceId, held);
  if (charged > 0) bookCharge(tx, workspaceId, { broadcastId }, charged);
  if (booked > charged) bookRelease(tx, workspaceId, { broadcastId }, booked - charged);
  return update(tx, broadcastId, { held: 0, settledAt: tx.now });
}

function update(tx: Tx, broadcastId: number, values: Partial<BroadcastCounters>): BroadcastCounters {
  const changed = tx.db
    .update(broadcastCounters)
    .set(values)
    .where(eq(broadcastCounters.broadcastId, broadcastId))
    .returning()
    .get();
  if (changed === undefined) throw new Error(`broadcast ${broadcastId} has no figures`);
  return changed;
}
