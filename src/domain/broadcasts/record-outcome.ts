/**
 * Records the network's result for one recipient. A refusal that concerns more than this person requeues the recipient
 * and stops the broadcast; a refusal of the person or of the message fails only this recipient. A message with an
 * unknown outcome stays `sending`, in doubt, until its echo arrives or the wait for it ends.
 */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { countMove } from "../messages/adjust-counters.ts";
import { countAnswer, countNetworkAnswer } from "../messages/breaker.ts";
import { affectsEveryone, decide, NETWORK_RETRIES_MAX } from "../messages/failure.ts";
import { move } from "../messages/move.ts";
import type { Outcome } from "../messages/outcome.ts";
import { refreshRecent } from "../messages/portfolio-limit.ts";
import { findMessageById } from "../messages/read.ts";
import { recordAccepted, recordFailure } from "../messages/record-outcome.ts";
import { changePath, isWrongPath, type WrongPath } from "../messages/send-path.ts";
import { type Message, messages } from "../messages/table.ts";
import { applyRefusal } from "./apply-refusal.ts";
import { isFinished } from "./broadcast.ts";
import { pauseBroadcast, pauseForNetwork } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import { THROTTLE_WAIT_MAX_MS } from "./recipients.ts";
import { describeSkip } from "./skip.ts";
import type { Broadcast } from "./table.ts";

const PAIR_BACKOFF_MS = 60_000;
/** How long a recipient waits whom the network refused for reasons of its own. */
const NETWORK_RETRY_MS = 10_000;

/** `inDoubtAfterMs`: how long an unknown outcome waits for its echo. */
export function recordRecipientOutcome(tx: Tx, messageId: number, outcome: Outcome, inDoubtAfterMs: number): void {
  const message = findMessageById(tx, messageId);
  if (message?.broadcastId == null) throw new Error(`message ${messageId} is not a recipient`);
  const broadcast = getBroadcast(tx, message.broadcastId);
  switch (outcome.kind) {
    case "accepted":
      recordAccepted(tx, message, outcome);
      countNetworkAnswer(tx, message, outcome);
      countAnswer(tx, broadcast.id, { kind: "succeeded" });
      return;
    case "unknown":
      leaveInDoubt(tx, message, tx.now + inDoubtAfterMs);
      // If a status arrived first, it knows more.
      if (message.status === "sending") countFailure(tx, broadcast, message, outcome);
      if (outcome.failure !== undefined && affectsEveryone(outcome.failure))
        applyRefusal(tx, broadcast.id, outcome.failure, "answer");
      return;
    case "throttled":
      if (outcome.scope === "pair") delayThrottled(tx, broadcast, message, outcome);
      else requeue(tx, broadcast, message);
      return;
    case "unreachable":
      requeue(tx, broadcast, message);
      return;
    case "refused":
      if (isWrongPath(outcome)) changeRecipientPath(tx, broadcast, message, outcome);
      else recordRefusal(tx, broadcast, message, outcome);
  }
}

/**
 * Marks the outcome as unknown. Only an echo of its send token resolves it, until `expireAt`. It is never sent again
 * automatically.
 */
export function leaveInDoubt(tx: Tx, message: Message, expireAt: number): void {
  if (message.status !== "sending") return;
  updateRows(tx, messages, { id: message.id }, { outcomeUnknown: true });
  reschedule(tx, { kind: "expire_message", subject: message.id, queueKey: message.workspaceId, dueAt: expireAt });
}

/** The endpoint for marketing did not accept the message: it says nothing about the recipient, who is sent to again. */
function changeRecipientPath(tx: Tx, broadcast: Broadcast, message: Message, refused: WrongPath): void {
  if (message.status === "sending") changePath(tx, message, refused);
  requeue(tx, broadcast, message);
}

function recordRefusal(
  tx: Tx,
  broadcast: Broadcast,
  message: Message,
  refused: Extract<Outcome, { kind: "refused" }>,
): void {
  const verdict = decide(refused, "answer");
  const isRetried = verdict.message === "retry" && message.networkRefusals < NETWORK_RETRIES_MAX;
  if (verdict.message === "requeue") requeue(tx, broadcast, message);
  else if (isRetried) retryLater(tx, broadcast, message, refused.retryAfterMs ?? 0);
  else recordFailure(tx, message.id, { code: refused.code, message: refused.message, outcomeUnknown: false });
  countFailure(tx, broadcast, message, refused);
  if (affectsEveryone(refused)) applyRefusal(tx, broadcast.id, refused, "answer");
}

/** The network refused the message for reasons of its own: other recipients come first. */
function retryLater(tx: Tx, broadcast: Broadcast, message: Message, retryAfterMs: number): void {
  const notBefore = tx.now + Math.min(Math.max(retryAfterMs, NETWORK_RETRY_MS), THROTTLE_WAIT_MAX_MS);
  requeue(tx, broadcast, message, { networkRefusals: message.networkRefusals + 1, notBefore });
}

/** Counts the failure for the broadcast and for its number, whose other broadcasts pause too if the network is down. */
function countFailure(
  tx: Tx,
  broadcast: Broadcast,
  message: Message,
  outcome: Extract<Outcome, { kind: "refused" | "unknown" }>,
): void {
  countAnswer(
    tx,
    broadcast.id,
    outcome.kind === "refused" ? { kind: "failed", failure: outcome } : { kind: "unknown" },
  );
  if (countNetworkAnswer(tx, message, outcome)) pauseForNetwork(tx, message.numberId);
}

/**
 * The attempt proved that the network did not accept the message: requeue the recipient, or skip it if the broadcast
 * has ended meanwhile. A status that says the opposite wins.
 */
function requeue(tx: Tx, broadcast: Broadcast, message: Message, changes: Partial<Message> = {}): void {
  if (message.status !== "sending") return;
  if (isFinished(broadcast.status)) {
    const code = broadcast.status === "cancelled" ? "cancelled" : "broadcast_failed";
    const skipped = move(tx, message, {
      status: "skipped",
      money: "released",
      errorCode: code,
      errorMessage: describeSkip(code, broadcast.statusReason),
    });
    if (skipped === undefined) return;
    countMove(tx, broadcast.id, message.id, message, skipped);
    refreshRecent(tx, message);
    return;
  }
  const queued = move(tx, message, { status: "queued" });
  if (queued === undefined) return;
  refreshRecent(tx, message);
  if (Object.keys(changes).length > 0) updateRows(tx, messages, { id: message.id }, changes);
  countMove(tx, broadcast.id, message.id, message, queued);
}

/** The network throttled only this recipient. */
function delayThrottled(
  tx: Tx,
  broadcast: Broadcast,
  message: Message,
  { code, message: networkMessage, retryAfterMs }: Extract<Outcome, { kind: "throttled" }>,
): void {
  const throttledSince = message.throttledSince ?? tx.now;
  if (tx.now - throttledSince >= THROTTLE_WAIT_MAX_MS) {
    recordFailure(tx, message.id, { code, message: networkMessage, outcomeUnknown: false });
    return;
  }
  const notBefore = tx.now + Math.max(retryAfterMs ?? 0, PAIR_BACKOFF_MS);
  requeue(tx, broadcast, message, {
    throttledSince,
    notBefore: Math.min(notBefore, throttledSince + THROTTLE_WAIT_MAX_MS),
  });
}

/** Pauses a broadcast whose number had no message accepted for 15 minutes. Null: it is not running. */
export function pauseStalled(
  tx: Tx,
  id: number,
  cause: "throttled" | "unreachable",
  networkMessage: string,
): Broadcast | null {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status !== "running") return null;
  const reason =
    cause === "throttled"
      ? `WhatsApp accepted no messages for 15 minutes (throttled): ${networkMessage}`
      : `WhatsApp could not be reached for 15 minutes: ${networkMessage}`;
  return pauseBroadcast(tx, broadcast, cause, reason);
}
