/** Records the result of a dispatch: the message, its money, the contact's consent and identity, the event. */
import { and, eq, inArray } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { release } from "../billing/hold.ts";
import { requireNoDoubt, requireNotOptedOut } from "../contacts/doubt.ts";
import { identityOf } from "../contacts/identity.ts";
import { optOutByMarketingPreference } from "../contacts/opt-out.ts";
import { requireOwnThread } from "../contacts/threads.ts";
import { findNumber } from "../numbers/read.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { applyParked } from "./apply-status.ts";
import { addRecentRecipient } from "./daily-cap.ts";
import { effectOf } from "./error-codes.ts";
import { learnFromAnswer } from "./learn-recipient.ts";
import { isContactErased, isTemplateSend } from "./message.ts";
import { enter, enterSent, move } from "./move.ts";
import type { Outcome } from "./outcome.ts";
import { requireActive, requireReady } from "./plan.ts";
import { addPerson, refreshRecent } from "./portfolio-limit.ts";
import { recordProviderRequest } from "./provider-requests.ts";
import { contactOf, findMessageById } from "./read.ts";
import { type Message, messages } from "./table.ts";

type Accepted = Extract<Outcome, { kind: "accepted" }>;

/**
 * The network has accepted the message, `before` as this transaction reads it. If a status arrived before the answer,
 * only the network's id is filled in. Statuses that arrived before the id was known are applied now.
 */
export function recordAccepted(tx: Tx, before: Message, outcome: Accepted): Message {
  if (isContactErased(before)) {
    const changes = { networkMessageId: outcome.networkMessageId, status: "sent", sentAt: tx.now } as const;
    if (before.status === "sending") enter(tx, before, changes);
    applyParked(tx, before.numberId, outcome.networkMessageId);
    return requireMessage(tx, before.id);
  }
  const after =
    before.status === "sending"
      ? enterSent(tx, before, outcome)
      : move(tx, before, { networkMessageId: before.networkMessageId ?? outcome.networkMessageId });
  return learnAccepted(tx, after ?? requireMessage(tx, before.id), outcome);
}

/**
 * As `recordAccepted`, for the answer to an attempt whose message is still known from its dispatch: the row is read only
 * if it has changed since then.
 */
export function recordAnswered(tx: Tx, dispatched: Message, outcome: Accepted): Message {
  const after = enterSent(tx, dispatched, outcome);
  if (after === undefined) return recordAccepted(tx, requireMessage(tx, dispatched.id), outcome);
  return learnAccepted(tx, after, outcome);
}

/** What an accepted message's answer says beside its id. */
function learnAccepted(tx: Tx, message: Message, outcome: Accepted): Message {
  if (outcome.providerRequest !== undefined) recordProviderRequest(tx, message.sendToken, outcome.providerRequest);
  learnFromAnswer(tx, message, outcome);
  const hasParkedStatus = applyParked(tx, message.numberId, outcome.networkMessageId);
  return hasParkedStatus ? requireMessage(tx, message.id) : message;
}

export interface Failure {
  code: string;
  /** Plain text that can be shown to a person. */
  message: string;
  /** The message may have arrived: a status with its send token can still change it. */
  outcomeUnknown: boolean;
}

/**
 * The message was not sent, or its outcome is unknown; it keeps the reason. If a status arrived first, the status wins.
 */
export function recordFailure(tx: Tx, messageId: number, failure: Failure): Message {
  const before = requireMessage(tx, messageId);
  if (before.status !== "sending" && before.status !== "queued") return before;
  const failed = enter(tx, before, {
    status: "failed",
    failedAt: tx.now,
    errorCode: failure.code,
    errorMessage: failure.message,
    outcomeUnknown: failure.outcomeUnknown,
  });
  if (failed !== undefined && effectOf(failure.code) === "marketing_refused") {
    const workspace = getWorkspace(tx, before.workspaceId);
    optOutByMarketingPreference(tx, workspace, contactOf(tx, before), tx.now);
  }
  return failed ?? requireMessage(tx, messageId);
}

/**
 * The attempt proved that the network did not accept the message. Committed before the next attempt is planned, so that
 * `sending` found after a crash always means that the outcome is unknown. False: a status arrived first and says the
 * opposite.
 */
export function requeue(tx: Tx, messageId: number): boolean {
  const before = requireMessage(tx, messageId);
  return before.status === "sending" && move(tx, before, { status: "queued" }) !== undefined;
}

/**
 * Starts another attempt, after checking again whether the message may be sent. Throws the `Problem` that now blocks
 * it. False: the message is not queued any more.
 */
export function redispatch(tx: Tx, messageId: number, take: boolean | null): boolean {
  const before = requireMessage(tx, messageId);
  if (before.status !== "queued") return false;
  const workspace = getWorkspace(tx, before.workspaceId);
  requireActive(workspace);
  if (isContactErased(before)) throw erasedProblem(tx, workspace);
  const contact = contactOf(tx, before);
  requireNotOptedOut(tx, workspace, { contact, phone: null, networkUserId: null });
  if (before.templateCategory === "MARKETING") requireNoDoubt(workspace, contact);
  const sender = findNumber(tx, before.numberId) ?? null;
  if (sender !== null && !isTemplateSend(before)) requireOwnThread(tx, sender, contact, take);
  const number = requireReady(sender);
  if (move(tx, before, { status: "sending", dispatchedAt: tx.now }) === undefined) return false;
  if (isTemplateSend(before)) {
    // A cap or limit may be younger than the first attempt, and 24 hours begin with the last one.
    addRecentRecipient(tx, workspace, identityOf(contact));
    addPerson(tx, number, before.toPhone, contact);
  }
  return true;
}

/** The person was erased between two attempts. The caller gets the error for an opted-out recipient. */
function erasedProblem(tx: Tx, { timezone }: Workspace): Problem {
  const message = "The person was erased before the message was sent. Nothing was sent.";
  return new Problem("opted_out", message, { since: tx.now, timezone });
}

/**
 * Deletes an unsent message that nothing has reported, and releases its hold; the contact stays. False: the message has
 * left after all.
 */
export function discard(tx: Tx, messageId: number): boolean {
  const discarded = tx.db
    .delete(messages)
    .where(and(eq(messages.id, messageId), inArray(messages.status, ["queued"])))
    .returning()
    .get();
  if (discarded === undefined) return false;
  if (discarded.money === "held") release(tx, discarded.workspaceId, discarded.id, discarded.rate);
  refreshRecent(tx, discarded);
  return true;
}

export function requireMessage(tx: Tx, id: number): Message {
  const message = findMessageById(tx, id);
  if (message === undefined) throw new Error(`message ${id} is gone`);
  return message;
}
