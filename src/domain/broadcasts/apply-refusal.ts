/**
 * What a refusal of the template, the number or the account does to a broadcast. It decides alike for a refusal that came
 * as the answer and for one that came later, by status.
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

/** Refusals by which the number shows that it is not ready, and of the template that it is gone for good. */
const NUMBER_UNREADY = ["131037", "131045", "133010"];
const TEMPLATE_DISABLED = "132016";

/** Obeys what a status has said since the broadcast was last looked at. Returns the broadcast as it is then. */
export function applyReportedRefusal(tx: Tx, id: number): Broadcast {
  const { pending, sending } = getCounters(tx, id);
  // All have left, but one on its way may come back to be sent again: what was said is kept until then.
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
  // Where nobody is left to be spared, a pause would only keep it from its end.
  if (isFinished(broadcast.status) || getCounters(tx, id).pending === 0) return;
  const reason = describeFailure(refusal);
  if (scope !== "template") holdBroadcast(tx, broadcast, isUnready ? "number" : "account", reason);
  else if (code === TEMPLATE_DISABLED) finishBroadcast(tx, broadcast, "failed", reason);
  // Our copy of the template may still say that it is approved: without a word from the network it is not tried again.
  else holdBroadcast(tx, update(tx, broadcast, { templateRefusedAt: tx.now }), "template", reason);
}
