/**
 * The circuit breaker of a broadcast, and the count of results on the network's side. The breaker opens when the network
 * refuses the message itself for many consecutive recipients, because every other recipient would fail too. Answers and
 * statuses are counted separately: an answer is weaker evidence, since the network accepts messages that it later fails.
 * A status that refuses the template, the number or the account is kept here until the broadcast acts on it.
 */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { recordNetworkResult } from "../numbers/network-health.ts";
import { endUnlistedRefusals, type MessageKind, recordUnlistedRefusal } from "../numbers/unlisted-refusals.ts";
import { getCounters, scheduleReview } from "./adjust-counters.ts";
import { totalOf } from "./broadcast-counters.ts";
import { resetAnswerStreaks, resetStatusStreaks } from "./counter-statements.ts";
import { affectsEveryone, decide, describeFailure, type Failure, type FailureSource } from "./failure.ts";
import { isTemplateSend } from "./message.ts";
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
  const changes = { statusCode: code, statusRepeats: repeats, refusalMessage, reportedRefusal };
  updateStreak(
    tx,
    counters,
    affectsEveryone(failure) ? { ...changes, refusals: addRefusal(counters, failure) } : changes,
  );
}

/** Different codes that are counted for one broadcast. */
const REFUSALS_MAX = 10;

function addRefusal({ refusals }: BroadcastCounters, failure: Failure): BroadcastCounters["refusals"] {
  const before = refusals ?? [];
  const isKnown = before.some((one) => one.failure.code === failure.code);
  if (!isKnown) return before.length < REFUSALS_MAX ? [...before, { failure, count: 1 }] : before;
  return before.map((one) => (one.failure.code === failure.code ? { ...one, count: one.count + 1 } : one));
}

/** The refusal of the template, the number or the account that most messages of the list met; null if there is none. */
export function findPrevailingRefusal(counters: BroadcastCounters): Failure | null {
  const addressed = totalOf(counters) - counters.skipped;
  return counters.refusals?.find(({ count }) => 2 * count > addressed)?.failure ?? null;
}

/** What a message's result says for all others of its number. */
type Counted = Pick<Message, "id" | "numberId" | "contactId" | "type" | "templateCategory" | "dispatchedAt">;

/** Counts what the answer to one message says for its number. Returns whether broadcasts of the number must pause. */
export function countNetworkAnswer(tx: Tx, message: Counted, outcome: Outcome): boolean {
  const { numberId, dispatchedAt } = message;
  if (outcome.kind === "accepted") {
    endUnlistedRefusals(tx, numberId, kindOf(message), "answer");
    return recordNetworkResult(tx, numberId, "answer", { kind: "succeeded" });
  }
  const failure = failureOf(outcome);
  if (failure === null) return false;
  if (failure.scope === "unlisted") return recordUnlisted(tx, message, "answer", failure);
  if (!isNetworkFailure(failure)) return false;
  return recordNetworkResult(tx, numberId, "answer", { kind: "failed", message: describe(failure), dispatchedAt });
}

/** The same for a reported status. A broadcast whose number goes down by it is reviewed. */
export function countNetworkStatus(
  tx: Tx,
  message: Omit<Counted, "dispatchedAt"> & Pick<Message, "broadcastId" | "workspaceId">,
  signal: BreakerSignal,
): void {
  const { numberId, broadcastId, workspaceId } = message;
  if (signal.kind === "accepted") return;
  if (signal.kind === "delivered") {
    endUnlistedRefusals(tx, numberId, kindOf(message), "status");
    recordNetworkResult(tx, numberId, "status", { kind: "succeeded" });
    return;
  }
  const { failure, dispatchedAt } = signal;
  const isUnlisted = failure.scope === "unlisted";
  if (!isUnlisted && !isNetworkFailure(failure)) return;
  const result = { kind: "failed", message: describe(failure), dispatchedAt } as const;
  const mustPause = isUnlisted
    ? !isBeforeResume(tx, broadcastId, dispatchedAt) && recordUnlisted(tx, message, "status", failure)
    : recordNetworkResult(tx, numberId, "status", result);
  if (mustPause && broadcastId !== null) scheduleReview(tx, broadcastId, workspaceId, tx.now);
}

/** A person resumed the broadcast after the message was sent. */
function isBeforeResume(tx: Tx, broadcastId: number | null, dispatchedAt: number | null): boolean {
  if (broadcastId === null) return false;
  const { resumedAt } = getCounters(tx, broadcastId);
  return resumedAt !== null && (dispatchedAt ?? 0) < resumedAt;
}

function recordUnlisted(
  tx: Tx,
  message: Omit<Counted, "dispatchedAt">,
  source: FailureSource,
  failure: Failure,
): boolean {
  const { id, numberId, contactId } = message;
  const { code, message: words } = failure;
  // An erased person is one, too.
  const person = contactId ?? -id;
  return recordUnlistedRefusal(tx, { numberId, kind: kindOf(message), source, code, message: words, person });
}

function kindOf(message: Pick<Message, "type" | "templateCategory">): MessageKind {
  return isTemplateSend(message) ? "template" : "free";
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
  set(tx, broadcastId, { reportedRefusal: null, refusals: null });
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
  updateRows(tx, broadcastCounters, { broadcastId }, changes);
}
