/**
 * The circuit breaker of a broadcast. It opens when the network refuses the message itself for many recipients in a
 * row, or keeps failing for reasons of its own, because every other recipient would fail too. Answers and statuses are
 * counted separately: an answer is weaker evidence, since the network accepts messages that it later fails. A status
 * that refuses the template, the number or the account is kept here until the broadcast acts on it.
 */
import { eq } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { getCounters, scheduleReview } from "./adjust-counters.ts";
import { resetAnswerStreaks, resetStatusStreaks } from "./counter-statements.ts";
import * as streak from "./streak.ts";
import { type BroadcastCounters, broadcastCounters } from "./table.ts";

export type BreakerSignal =
  | { kind: "accepted" }
  | { kind: "delivered" }
  /** `dispatchedAt`: when the message was sent; null if another copy of this database sent it. */
  | { kind: "failed"; failure: streak.Failure; dispatchedAt: number | null };

/** Counts the network's answer for one recipient. */
export function countAnswer(tx: Tx, broadcastId: number, result: streak.Result): void {
  if (result.kind === "succeeded") {
    resetAnswerStreaks(tx).run({ broadcastId });
    return;
  }
  const counters = getCounters(tx, broadcastId);
  const { code, repeats, failures, message } = streak.streaksAfter(answersOf(counters), result);
  updateStreak(tx, counters, {
    answerCode: code,
    answerRepeats: repeats,
    answerFailures: failures,
    answerFailureMessage: message,
  });
}

/** Counts a reported status of one recipient. */
export function countStatus(tx: Tx, broadcastId: number, signal: BreakerSignal): void {
  if (signal.kind === "accepted") return;
  if (signal.kind === "delivered") {
    resetStatusStreaks(tx).run({ broadcastId });
    return;
  }
  const counters = getCounters(tx, broadcastId);
  // The message was sent before the broadcast was resumed, so its status describes a problem that may be fixed.
  if (counters.resumedAt !== null && (signal.dispatchedAt ?? 0) < counters.resumedAt) return;
  const { failure } = signal;
  const { code, repeats, failures, message } = streak.streaksAfter(statusesOf(counters), { kind: "failed", failure });
  const reportedRefusal = counters.reportedRefusal ?? (affectsEveryone(failure) ? failure : null);
  updateStreak(tx, counters, {
    statusCode: code,
    statusRepeats: repeats,
    statusFailures: failures,
    statusFailureMessage: message,
    reportedRefusal,
  });
}

/** Whether every message of that template, number or account would be refused too. */
export function affectsEveryone({ scope }: Pick<streak.Failure, "scope">): boolean {
  return scope === "template" || scope === "number" || scope === "account";
}

/** Returns the refusal reported by a status, if the broadcast has not acted on it yet, and clears it. */
export function consumeReportedRefusal(tx: Tx, broadcastId: number): streak.Failure | null {
  const { reportedRefusal } = getCounters(tx, broadcastId);
  if (reportedRefusal !== null) set(tx, broadcastId, { reportedRefusal: null });
  return reportedRefusal;
}

/** Resets all streaks, after a person has looked at the broadcast. */
export function resetBreaker(tx: Tx, broadcastId: number): void {
  resetAnswerStreaks(tx).run({ broadcastId });
  resetStatusStreaks(tx).run({ broadcastId });
  set(tx, broadcastId, { reportedRefusal: null });
}

/** Records the resume: failures reported for messages sent before it no longer count. */
export function recordResumed(tx: Tx, broadcastId: number): void {
  set(tx, broadcastId, { resumedAt: tx.now });
}

/** Why the broadcast must pause, in plain text; null while the breaker is closed. */
export function openReason(counters: BroadcastCounters): string | null {
  return streak.openReason(answersOf(counters)) ?? streak.openReason(statusesOf(counters));
}

function answersOf(counters: BroadcastCounters): streak.Streaks {
  const { answerCode, answerRepeats, answerFailures, answerFailureMessage } = counters;
  return { code: answerCode, repeats: answerRepeats, failures: answerFailures, message: answerFailureMessage };
}

function statusesOf(counters: BroadcastCounters): streak.Streaks {
  const { statusCode, statusRepeats, statusFailures, statusFailureMessage } = counters;
  return { code: statusCode, repeats: statusRepeats, failures: statusFailures, message: statusFailureMessage };
}

function updateStreak(tx: Tx, counters: BroadcastCounters, changes: Partial<BroadcastCounters>): void {
  const { broadcastId, workspaceId } = counters;
  set(tx, broadcastId, changes);
  const after = { ...counters, ...changes };
  if (after.reportedRefusal !== null || openReason(after) !== null)
    scheduleReview(tx, broadcastId, workspaceId, tx.now);
}

function set(tx: Tx, broadcastId: number, changes: Partial<BroadcastCounters>): void {
  tx.db.update(broadcastCounters).set(changes).where(eq(broadcastCounters.broadcastId, broadcastId)).run();
}
