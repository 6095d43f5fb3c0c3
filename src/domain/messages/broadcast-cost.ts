/**
 * The money of a whole broadcast: blocked before it sends, given back where nobody is sent to, final when it is settled.
 * What single recipients move in between is `adjust.ts`.
 */
import { eq } from "drizzle-orm";
import type { Micros } from "#src/core/money.ts";
import type { Tx } from "#src/db/transaction.ts";
import { block, bookCharge, bookHold, bookRelease, unblock } from "../billing/hold.ts";
import type { BillingAccount } from "../billing/table.ts";
import { askForReview, getFigures } from "./adjust-counters.ts";
import { costOfOpen, isClosed } from "./broadcast-counters.ts";
import { type BroadcastFigures, broadcastFigures } from "./table.ts";

export interface NewFigures {
  broadcastId: number;
  workspaceId: number;
  toGo: number;
  skipped: number;
  isCharged: boolean;
  rate: Micros;
}

export function createFigures(tx: Tx, figures: NewFigures): BroadcastFigures {
  return tx.db
    .insert(broadcastFigures)
    .values({
      ...figures,
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
      answerRow: 0,
      statusRow: 0,
      answerStreak: 0,
      statusStreak: 0,
    })
    .returning()
    .get();
}

/** Blocks an amount ahead, before it is known who will be sent to. False: the balance does not cover it. */
export function holdAhead(tx: Tx, broadcastId: number, amount: Micros): boolean {
  const figures = getFigures(tx, broadcastId);
  if (amount > 0 && !block(tx, figures.workspaceId, amount)) return false;
  if (amount > 0) bookHold(tx, figures.workspaceId, { broadcastId }, amount);
  change(tx, broadcastId, { held: figures.held + amount, booked: figures.booked + amount });
  return true;
}

/** A price is frozen with the first hold; until then it is today's. Null: the workspace is not charged. */
export function reprice(tx: Tx, broadcastId: number, account: BillingAccount | null): void {
  const figures = getFigures(tx, broadcastId);
  if (figures.isHeld || figures.booked > 0) return;
  change(tx, broadcastId, { isCharged: account !== null, rate: account?.rate ?? 0 });
}

/** How much more has to be blocked for everybody whose end is open; negative where too much is. */
export function missingHold(figures: BroadcastFigures): Micros {
  return costOfOpen(figures) - figures.held;
}

/** From now on exactly the cost of everybody whose end is open is blocked. False: the balance does not cover it. */
export function holdCost(tx: Tx, broadcastId: number): boolean {
  const figures = getFigures(tx, broadcastId);
  if (figures.isHeld) return true;
  const missing = missingHold(figures);
  if (missing > 0 && !holdAhead(tx, broadcastId, missing)) return false;
  if (missing < 0) unblock(tx, figures.workspaceId, -missing);
  change(tx, broadcastId, { isHeld: true, held: costOfOpen(figures) });
  return true;
}

/** Nobody else is handed over: who has not been counts as skipped from now on, and costs nothing. */
export function finishFigures(tx: Tx, broadcastId: number): BroadcastFigures {
  const figures = getFigures(tx, broadcastId);
  const after = { ...figures, toGo: 0, skipped: figures.skipped + figures.toGo, isFinished: true };
  // From here on exactly the rest is held, whatever was blocked ahead.
  const held = Math.min(figures.held, costOfOpen(after));
  if (figures.held > held) unblock(tx, figures.workspaceId, figures.held - held);
  const isHeld = figures.isHeld || held === costOfOpen(after);
  const finished = change(tx, broadcastId, { toGo: 0, skipped: after.skipped, isFinished: true, held, isHeld });
  if (isClosed(finished)) askForReview(tx, broadcastId, figures.workspaceId, tx.now);
  return finished;
}

/** The figures and the money are final, but for deliveries that are reported later still. */
export function settleFigures(tx: Tx, broadcastId: number): BroadcastFigures {
  const figures = getFigures(tx, broadcastId);
  const { workspaceId, held, booked, charged } = figures;
  if (held > 0) unblock(tx, workspaceId, held);
  if (charged > 0) bookCharge(tx, workspaceId, { broadcastId }, charged);
  if (booked > charged) bookRelease(tx, workspaceId, { broadcastId }, booked - charged);
  return change(tx, broadcastId, { held: 0, settledAt: tx.now });
}

function change(tx: Tx, broadcastId: number, values: Partial<BroadcastFigures>): BroadcastFigures {
  const changed = tx.db
    .update(broadcastFigures)
    .set(values)
    .where(eq(broadcastFigures.broadcastId, broadcastId))
    .returning()
    .get();
  if (changed === undefined) throw new Error(`broadcast ${broadcastId} has no figures`);
  return changed;
}
