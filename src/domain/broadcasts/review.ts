/**
 * Reviews a broadcast when its counters call for action: no recipients are left, the circuit breaker is open, all
 * outcomes are final, or the wait for reports is over.
 */
import type { Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { openReason } from "../messages/breaker.ts";
import { settleCost } from "../messages/broadcast-cost.ts";
import { isClosed } from "../messages/broadcast-counters.ts";
import type { BroadcastCounters } from "../messages/table.ts";
import { applyPrevailingRefusal, applyReportedRefusal } from "./apply-refusal.ts";
import { isFinished } from "./broadcast.ts";
import { finishBroadcast } from "./finish.ts";
import { publishBroadcast } from "./move.ts";
import { holdBroadcast, pauseForNetwork } from "./pause.ts";
import { findAnyBroadcast } from "./read.ts";
import type { Broadcast } from "./table.ts";

export interface ReviewRules {
  /** How long to wait for reports after the last dispatch. */
  settleAfterMs: number;
}

/** While a message is in flight, the cost cannot be final. */
const RECHECK_MS = 60_000;
/** How long to wait, after the last dispatch, for messages that the network holds back. */
const HELD_BACK_MAX_MS = 72 * 60 * 60_000;

/** Returns when to review again (wall time); null: not before the counters call for it. */
export function reviewBroadcast(tx: Tx, id: number, rules: ReviewRules): number | null {
  if (findAnyBroadcast(tx, id) === undefined) return null;
  const broadcast = applyPrevailingRefusal(tx, applyReportedRefusal(tx, id));
  if (isFinished(broadcast.status)) return settleWhenDue(tx, broadcast, rules);
  const counters = getCounters(tx, id);
  if (broadcast.status === "running" && counters.pending + counters.sending === 0) {
    // A refusal that arrived when no recipient was pending has left its reason; a reason to wait ends with the wait.
    const reason = broadcast.waitsFor === null ? broadcast.statusReason : null;
    const completed = finishBroadcast(tx, broadcast, "completed", reason);
    return completed === null ? null : settleWhenDue(tx, completed, rules);
  }
  const broken = openReason(counters);
  // With no recipient pending, the messages in flight complete the broadcast.
  if (broken !== null && counters.pending > 0) holdBroadcast(tx, broadcast, "breaker", broken);
  else if (broadcast.status === "running") pauseForNetwork(tx, broadcast.numberId);
  return null;
}

function settleWhenDue(tx: Tx, broadcast: Broadcast, rules: ReviewRules): number | null {
  const counters = getCounters(tx, broadcast.id);
  if (counters.settledAt !== null) return null;
  if (!isClosed(counters)) {
    const dueAt = settleDueAt(counters, rules, tx.now);
    if (dueAt > tx.now) return dueAt;
    if (counters.sending > 0) return tx.now + RECHECK_MS;
  }
  settleCost(tx, broadcast.id);
  publishBroadcast(tx, broadcast, "broadcast.finished");
  return null;
}

/** A message that the network has held back is sent when it is released: its reports have the usual time from then on. */
function settleDueAt(counters: BroadcastCounters, { settleAfterMs }: ReviewRules, now: number): number {
  const { heldBack, heldBackUntil, lastSentAt } = counters;
  const sentAt = lastSentAt ?? now;
  const usual = sentAt + settleAfterMs;
  const longest = Math.max(usual, sentAt + HELD_BACK_MAX_MS);
  if (heldBack > 0) return longest;
  return heldBackUntil === null ? usual : Math.min(Math.max(usual, heldBackUntil + settleAfterMs), longest);
}
