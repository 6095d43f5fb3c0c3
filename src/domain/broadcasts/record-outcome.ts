/**
 * What the network answered for one recipient, written down. A refusal that speaks of more than this person takes the
 * recipient back and stops the broadcast; a refusal of the person, or of the message, fails the recipient alone. What
 * nobody knows stays `sending`, in doubt, until its echo comes or the wait for it is over.
 */
import { eq } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { enqueueAnew } from "#src/jobs/enqueue.ts";
import { countMove } from "../messages/adjust-counters.ts";
import { hearAnswer, speaksOfAll } from "../messages/breaker.ts";
import { reachAfresh } from "../messages/daily-cap.ts";
import { move } from "../messages/move.ts";
import type { Outcome } from "../messages/outcome.ts";
import { findForWork } from "../messages/read.ts";
import { recordAccepted, recordFailure } from "../messages/record-outcome.ts";
import { type Message, messages } from "../messages/table.ts";
import { obeyRefusal } from "./apply-refusal.ts";
import { isFinished } from "./broadcast.ts";
import { pauseBroadcast } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import { LONGEST_WAIT_MS } from "./recipients.ts";
import { describeSkip } from "./skip.ts";
import type { Broadcast } from "./table.ts";

const HELD_BACK_STEP_MS = 60_000;

/** `inDoubtAfterMs`: how long an unknown outcome waits for its echo. */
export function recordRecipient(tx: Tx, messageId: number, outcome: Outcome, inDoubtAfterMs: number): void {
  const message = findForWork(tx, messageId);
  if (message?.broadcastId == null) throw new Error(`message ${messageId} is no recipient`);
  const broadcast = getBroadcast(tx, message.broadcastId);
  switch (outcome.kind) {
    case "accepted":
      recordAccepted(tx, messageId, outcome);
      hearAnswer(tx, broadcast.id, { kind: "well" });
      return;
    case "unknown":
      leaveInDoubt(tx, message, tx.now + inDoubtAfterMs);
      // A status that was faster knows more.
      if (message.status === "sending") hearAnswer(tx, broadcast.id, { kind: "unknown", words: outcome.reason });
      return;
    case "throttled":
      if (outcome.scope === "pair") holdBack(tx, broadcast, message, outcome);
      else takeBack(tx, broadcast, message);
      return;
    case "unreachable":
      takeBack(tx, broadcast, message);
      return;
    case "refused":
      recordRefusal(tx, broadcast, message, outcome);
  }
}

/** Its end is open: only an echo of its reference tells, and only for so long. Never sent again by itself. */
export function leaveInDoubt(tx: Tx, message: Message, settleAt: number): void {
  if (message.status !== "sending") return;
  tx.db.update(messages).set({ outcomeUnknown: true }).where(eq(messages.id, message.id)).run();
  enqueueAnew(tx, { kind: "settle_message", subject: message.id, lane: message.workspaceId, dueAt: settleAt });
}

function recordRefusal(
  tx: Tx,
  broadcast: Broadcast,
  message: Message,
  { code, message: words, scope }: Extract<Outcome, { kind: "refused" }>,
): void {
  const failure = { code, words, scope };
  if (!speaksOfAll(failure)) {
    recordFailure(tx, message.id, { code, message: words, outcomeUnknown: false });
    hearAnswer(tx, broadcast.id, { kind: "failed", failure });
    return;
  }
  takeBack(tx, broadcast, message);
  obeyRefusal(tx, broadcast.id, failure);
}

/**
 * The attempt proved that the network took nothing: back to where it was, or left out where the broadcast has ended
 * meanwhile. A status that says the opposite wins.
 */
function takeBack(tx: Tx, broadcast: Broadcast, message: Message, changes: Partial<Message> = {}): void {
  if (message.status !== "sending") return;
  if (isFinished(broadcast.status)) {
    const code = broadcast.status === "cancelled" ? "cancelled" : "broadcast_failed";
    const left = move(tx, message, {
      status: "skipped",
      money: "released",
      errorCode: code,
      errorMessage: describeSkip(code, broadcast.statusReason),
    });
    if (left === undefined) return;
    countMove(tx, broadcast.id, message.id, message, left);
    reachAfresh(tx, message);
    return;
  }
  const back = move(tx, message, { status: "queued" });
  if (back === undefined) return;
  reachAfresh(tx, message);
  if (Object.keys(changes).length > 0) tx.db.update(messages).set(changes).where(eq(messages.id, message.id)).run();
  countMove(tx, broadcast.id, message.id, message, back);
}

/** The network asks to wait with this person alone. */
function holdBack(
  tx: Tx,
  broadcast: Broadcast,
  message: Message,
  { code, message: words, retryAfterMs }: Extract<Outcome, { kind: "throttled" }>,
): void {
  const heldBackSince = message.heldBackSince ?? tx.now;
  if (tx.now - heldBackSince >= LONGEST_WAIT_MS) {
    recordFailure(tx, message.id, { code, message: words, outcomeUnknown: false });
    return;
  }
  const notBefore = tx.now + Math.max(retryAfterMs ?? 0, HELD_BACK_STEP_MS);
  takeBack(tx, broadcast, message, { heldBackSince, notBefore: Math.min(notBefore, heldBackSince + LONGEST_WAIT_MS) });
}

/** Nothing was accepted on the number for long enough. Null: it does not run (any more). */
export function pauseStalled(tx: Tx, id: number, cause: "throttled" | "unreachable", words: string): Broadcast | null {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status !== "running") return null;
  const reason =
    cause === "throttled"
      ? `the network took nothing for 15 minutes and asks to slow down: ${words}`
      : `the network could not be reached for 15 minutes: ${words}`;
  return pauseBroadcast(tx, broadcast, cause, reason);
}
