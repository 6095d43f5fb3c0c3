/**
 * Applies a refusal of the template, the number or the account to a broadcast: it pauses or fails and keeps the reason, and
 * the template or the number is stopped. Refusals in answers and refusals in later statuses have the same effect:
 * `messages/failure.ts` decides.
 */
import type { Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { consumeReportedRefusal, findPrevailingRefusal } from "../messages/breaker.ts";
import { decide, describeFailure, type Failure, type FailureSource } from "../messages/failure.ts";
import { stopForFailure } from "../messages/stop.ts";
import { isFinished } from "./broadcast.ts";
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
  // With no recipient pending, a pause would protect no one and only keep the broadcast from completing.
  if (isFinished(broadcast.status) || getCounters(tx, id).pending === 0) {
    // The first one, unless most of the list meets another.
    if (source === "status" && (broadcast.statusReason === null || broadcast.waitsFor !== null))
      keepReason(tx, broadcast, refusal);
    return;
  }
  const reason = describeFailure(refusal);
  if (verdict.broadcast.kind === "fail") finishBroadcast(tx, broadcast, "failed", reason);
  stopOthers(tx, broadcast, refusal);
  if (verdict.broadcast.kind !== "pause") return;
  const { cause, resumeAfterMs } = verdict.broadcast;
  holdBroadcast(tx, broadcast, cause, reason, resumeAfterMs === null ? null : tx.now + resumeAfterMs);
}

/** For every message of the template or number; that of this broadcast has been told to wait by then. */
function stopOthers(tx: Tx, broadcast: Broadcast, refusal: Failure): void {
  stopForFailure(tx, { ...broadcast, isSingle: false, wasHeldBack: false, dispatchedAt: tx.now }, refusal);
}

/**
 * A list that was sent whole is evaluated as a whole: the refusal that most of it met is the reason, whichever came
 * first. Returns the broadcast as it is afterwards.
 */
export function applyPrevailingRefusal(tx: Tx, broadcast: Broadcast): Broadcast {
  const counters = getCounters(tx, broadcast.id);
  const isSent = counters.pending + counters.sending === 0 && ["running", "completed"].includes(broadcast.status);
  const refusal = isSent ? findPrevailingRefusal(counters) : null;
  return refusal === null ? broadcast : keepReason(tx, broadcast, refusal);
}

function keepReason(tx: Tx, broadcast: Broadcast, refusal: Failure): Broadcast {
  const statusReason = describeFailure(refusal);
  if (broadcast.statusReason === statusReason) return broadcast;
  stopOthers(tx, broadcast, refusal);
  return update(tx, broadcast, { statusReason, waitsFor: null, waitsUntil: null });
}
