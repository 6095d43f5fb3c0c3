/**
 * The circuit breaker of a broadcast, and the count of results on the network's side. The breaker opens when the network
 * refuses the message itself for many consecutive recipients, because every other recipient would fail too. Answers and
 * statuses are counted separately: an answer is weaker evidence, since the network accepts messages that it later fails.
 * A status that refuses the template, the number or the account is kept here until the broadcast acts on it.
 */
import { eq } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { recordNetworkResult } from "../numbers/network-health.ts";
import { getCounters, scheduleReview } from "./adjust-counters.ts";
import { resetAnswerStreaks, resetStatusStreaks } from "./counter-statements.ts";
import { affectsEveryone, decide, describeFailure, type Failure } from "./failure.ts";
import type { Outcome } from "./outcome.ts";
import * as streak from "./streak.ts";
import { type BroadcastCounters, broadcastCounters, type Message } from "./table.ts";

export type BreakerSignal =
  | { kind: "accepted" }
  | { kind: "delivered" }
  /** `dispatchedAt`: when the message was sent; null if another copy of this database sent it. */
  | { kind: "failed"; failure: Failure; dispatchedAt: number | null };

/** Counts the network's answer for one recipient of a broadcast. */
export function countAnswer(tx: Tx, broadcastId: number, result: streak.Result): void {
  if (result.kind === "succeeded") {
    resetAnswerStreaks(tx).run({ broadcastId });
    return;
  }
  const counters = getCounters(tx, broadcastId);
  const { code, repeats } = streak.streakAfter(answersOf(counters), result);
  const refusalMessage = result.kind === "failed" && code !== null ? result.failure.message : counters.refusalMessage;
  updateStreak(tx, counters, { answerCode: code, answerRepeats: repeats, refusalMessage });
}

/** Counts a reported status of one recipient of a broadcast. */
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
  const { code, repeats } = streak.streakAfter(statusesOf(counters), { kind: "failed", failure });
  const reportedRefusal = counters.reportedRefusal ?? (affectsEveryone(failure) ? failure : null);
  const refusalMessage = code === null ? counters.refusalMessage : failure.message;
  updateStreak(tx, counters, { statusCode: code, statusRepeats: repeats, refusalMessage, reportedRefusal });
}

/**
 * Counts what the answer to one message says about the network, for its number. Returns whether the network is
 * considered down by it.
 */
export function countNetworkAnswer(
  tx: Tx,
  { numberId, dispatchedAt }: Pick<Message, "numberId" | "dispatchedAt">,
  outcome: Outcome,
): boolean {
  if (outcome.kind === "accepted") return recordNetworkResult(tx, numberId, "answer", { kind: "succeeded" });
  const failure = failureOf(outcome);
  if (failure === null || !isNetworkFailure(failure)) return false;
  return recordNetworkResult(tx, numberId, "answer", { kind: "failed", message: describe(failure), dispatchedAt });
}

/** The same for a reported status. A broadcast whose number goes down by it is reviewed. */
export function countNetworkStatus(
  tx: Tx,
  { numberId, broadcastId, workspaceId }: Pick<Message, "numberId" | "broadcastId" | "workspaceId">,
  signal: BreakerSignal,
): void {
  if (signal.kind === "accepted") return;
  if (signal.kind === "delivered") {
    recordNetworkResult(tx, numberId, "status", { kind: "succeeded" });
    return;
  }
  const { failure, dispatchedAt } = signal;
  if (!isNetworkFailure(failure)) return;
  const result = { kind: "failed", message: describe(failure), dispatchedAt } as const;
  const isDown = recordNetworkResult(tx, numberId, "status", result);
  if (isDown && broadcastId !== null) scheduleReview(tx, broadcastId, workspaceId, tx.now);
}

/** The failure that an answer reports; null for an answer that only asks to wait. */
function failureOf(outcome: Outcome): Failure | null {
  if (outcome.kind === "refused") return outcome;
  if (outcome.kind !== "unknown") return null;
  return outcome.failure ?? { code: "", message: outcome.reason, scope: "network" };
}

function isNetworkFailure(failure: Failure): boolean {
  const { broadcast } = decide(failure, "answer");
  return broadcast.kind === "count" && broadcast.streak === "network";
}

function describe(failure: Failure): string {
  return failure.code === "" ? failure.message : describeFailure(failure);
}

/** Returns the refusal reported by a status, if the broadcast has not acted on it yet, and clears it. */
export function consumeReportedRefusal(tx: Tx, broadcastId: number): Failure | null {
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

/**
 * Call it before recipients are dispatched. If the clock was set back after the resume, they would seem to have been sent
 * before it, and the broadcast would continue whatever their statuses report. With the earlier time, a report on a message of
 * before the resume may pause the broadcast once more than needed.
 */
export function keepResumedInPast(tx: Tx, { broadcastId, resumedAt }: BroadcastCounters): void {
  if (resumedAt !== null && resumedAt > tx.now) set(tx, broadcastId, { resumedAt: tx.now });
}

/** Why the broadcast must pause, in plain text; null while the breaker is closed. */
export function openReason(counters: BroadcastCounters): string | null {
  const reason = streak.openReason(answersOf(counters)) ?? streak.openReason(statusesOf(counters));
  return reason === null || counters.refusalMessage === null ? reason : `${reason}: ${counters.refusalMessage}`;
}

function answersOf({ answerCode, answerRepeats }: BroadcastCounters): streak.Streak {
  return { code: answerCode, repeats: answerRepeats };
}

function statusesOf({ statusCode, statusRepeats }: BroadcastCounters): streak.Streak {
  return { code: statusCode, repeats: statusRepeats };
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
