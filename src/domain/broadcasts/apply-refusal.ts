/**
 * Applies a refusal of the template, the number or the account to a broadcast. Refusals in answers and refusals in
 * later statuses have the same effect.
 */
import type { Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { consumeReportedRefusal } from "../messages/breaker.ts";
import { describeFailure, type Failure } from "../messages/streak.ts";
import { findNumber } from "../numbers/read.ts";
import { markUnready } from "../numbers/readiness.ts";
import { isFinished } from "./broadcast.ts";
import { finishBroadcast } from "./finish.ts";
import { update } from "./move.ts";
import { holdBroadcast } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** Refusals which show that the number is not ready, and the one which shows that the template is gone for good. */
const NUMBER_UNREADY = ["131037", "131045", "133010"];
const TEMPLATE_DISABLED = "132016";

/** Applies the refusal that statuses have reported since the last review. Returns the broadcast as it is afterwards. */
export function applyReportedRefusal(tx: Tx, id: number): Broadcast {
  const { pending, sending } = getCounters(tx, id);
  // No recipient is pending, but one in flight may be requeued: keep the refusal until then.
  const refusal = pending === 0 && sending > 0 ? null : consumeReportedRefusal(tx, id);
  if (refusal !== null) applyRefusal(tx, id, refusal);
  return getBroadcast(tx, id);
}

export function applyRefusal(tx: Tx, id: number, refusal: Failure): void {
  const broadcast = getBroadcast(tx, id);
  const { code, message, scope } = refusal;
  const isUnready = scope === "number" && NUMBER_UNREADY.includes(code);
  if (isUnready && findNumber(tx, broadcast.numberId)?.ready === true) {
    markUnready(tx, broadcast.numberId, message, "network");
  }
  // With no recipient pending, a pause would protect no one and only keep the broadcast from completing.
  if (isFinished(broadcast.status) || getCounters(tx, id).pending === 0) return;
  const reason = describeFailure(refusal);
  if (scope !== "template") holdBroadcast(tx, broadcast, isUnready ? "number" : "account", reason);
  else if (code === TEMPLATE_DISABLED) finishBroadcast(tx, broadcast, "failed", reason);
  // The stored template may still say that it is approved. Do not try again until the network reports on it.
  else holdBroadcast(tx, update(tx, broadcast, { templateRefusedAt: tx.now }), "template", reason);
}
