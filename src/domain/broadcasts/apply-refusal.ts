/**
 * Applies a refusal of the template, the number or the account to a broadcast. Refusals in answers and refusals in
 * later statuses have the same effect: `messages/failure.ts` decides.
 */
import type { Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { consumeReportedRefusal, findPrevailingRefusal } from "../messages/breaker.ts";
import { decide, describeFailure, type Failure, type FailureSource } from "../messages/failure.ts";
import { findNumber } from "../numbers/read.ts";
import { markUnready } from "../numbers/readiness.ts";
import { decideWithReason } from "../templates/decide.ts";
import { isFinished } from "./broadcast.ts";
import { findCurrentTemplate } from "./eligibility.ts";
import { finishBroadcast } from "./finish.ts";
import { update } from "./move.ts";
import { holdBroadcast } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** Applies the refusal that statuses have reported since the last review. Returns the broadcast as it is afterwards. */
export function applyReportedRefusal(tx: Tx, id: number): Broadcast {
  const { pending, sending } = getCounters(tx, id);
  // No recipient is pending, but one in flight may be requeued: keep the refusal until then.
  const refusal = pending === 0 && sending > 0 ? null : consumeReportedRefusal(tx, id);
  if (refusal !== null) applyRefusal(tx, id, refusal, "status");
  return getBroadcast(tx, id);
}

export function applyRefusal(tx: Tx, id: number, refusal: Failure, source: FailureSource): void {
  const broadcast = getBroadcast(tx, id);
  const verdict = decide(refusal, source);
  if (verdict.isNumberUnready) stopNumber(tx, broadcast.numberId, refusal);
  // With no recipient pending, a pause would protect no one and only keep the broadcast from completing.
  if (isFinished(broadcast.status) || getCounters(tx, id).pending === 0) {
    if (source === "status") applyLateRefusal(tx, broadcast, refusal);
    return;
  }
  const reason = describeFailure(refusal);
  if (refusal.effect === "template_paused") stopTemplate(tx, broadcast, refusal);
  if (verdict.broadcast.kind === "fail") finishBroadcast(tx, broadcast, "failed", reason);
  if (verdict.broadcast.kind !== "pause") return;
  const { cause, resumeAfterMs } = verdict.broadcast;
  // The stored template may still say that it is approved. Do not try again until the network reports on it.
  const current = verdict.isTemplateRefused ? update(tx, broadcast, { templateRefusedAt: tx.now }) : broadcast;
  holdBroadcast(tx, current, cause, reason, resumeAfterMs === null ? null : tx.now + resumeAfterMs);
}

/**
 * Nothing is left to pause, so the refusal stops what the next broadcast would use, until the network reports on it. It
 * does so once for each broadcast: after a repair, more reports on the same list must not stop it again.
 */
function applyLateRefusal(tx: Tx, broadcast: Broadcast, refusal: Failure): void {
  if (broadcast.statusReason === null || broadcast.waitsFor !== null) stopForRefusal(tx, broadcast, refusal);
}

/**
 * A list that was sent whole is evaluated as a whole: the refusal that most of it met is the reason, whichever came
 * first. Returns the broadcast as it is afterwards.
 */
export function applyPrevailingRefusal(tx: Tx, broadcast: Broadcast): Broadcast {
  const counters = getCounters(tx, broadcast.id);
  const isSent = counters.pending + counters.sending === 0 && ["running", "completed"].includes(broadcast.status);
  const refusal = isSent ? findPrevailingRefusal(counters) : null;
  if (refusal === null || broadcast.statusReason === describeFailure(refusal)) return broadcast;
  stopForRefusal(tx, broadcast, refusal);
  return getBroadcast(tx, broadcast.id);
}

function stopForRefusal(tx: Tx, broadcast: Broadcast, refusal: Failure): void {
  const statusReason = describeFailure(refusal);
  update(tx, broadcast, { statusReason, waitsFor: null, waitsUntil: null });
  // Time alone mends it, soon: nothing has to be stopped.
  if (refusal.mendsAfterMs !== undefined) return;
  if (refusal.scope !== "template") {
    stopNumber(tx, broadcast.numberId, refusal);
    return;
  }
  stopTemplate(tx, broadcast, refusal);
}

function stopTemplate(tx: Tx, broadcast: Broadcast, refusal: Failure): void {
  const template = findCurrentTemplate(tx, broadcast);
  if (template?.status !== "APPROVED") return;
  const status = refusal.effect === "template_disabled" ? "DISABLED" : "PAUSED";
  decideWithReason(tx, template, status, describeFailure(refusal));
}

function stopNumber(tx: Tx, numberId: number, { message }: Failure): void {
  if (findNumber(tx, numberId)?.ready === true) markUnready(tx, numberId, message, "network");
}
