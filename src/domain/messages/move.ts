/**
 * The guarded statement that changes a message: it names the state that the message leaves, so a change that lost a
 * race has no effect. Money and events follow in the same transaction.
 */
import type { Tx } from "#src/db/transaction.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { chargeHeld, chargeReleased, release } from "../billing/hold.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { closeWindow } from "../contacts/window.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { countMove } from "./adjust-counters.ts";
import { noteDispatchedAgain } from "./contact-messages.ts";
import type { CounterDeltas } from "./counter-deltas.ts";
import { effectOf } from "./error-codes.ts";
import { ERASED, isContactErased, visibleStatuses } from "./message.ts";
import { addNetworkId, removeNetworkIds } from "./network-ids.ts";
import type { Outcome } from "./outcome.ts";
import { refreshRecent } from "./portfolio-limit.ts";
import { contactOf } from "./read.ts";
import { deleteScheduled } from "./scheduled-statements.ts";
import { updateState, updateStateAndDispatch, updateStateAndNetworkId, updateToSent } from "./statements.ts";
import type { Message } from "./table.ts";
import { viewMessage } from "./view.ts";

/**
 * Applies `changes` if the message is still in the state in which this transaction read it, and returns the changed
 * message. Undefined: it had already moved on.
 */
export function move(tx: Tx, message: Message, changes: Partial<Message>): Message | undefined {
  const next = { ...message, ...changes };
  if (isContactErased(message)) redact(next);
  const values = {
    id: message.id,
    previousStatus: message.status,
    status: next.status,
    outcomeUnknown: next.outcomeUnknown,
    errorCode: next.errorCode,
    errorMessage: next.errorMessage,
    money: next.money,
    sentAt: next.sentAt,
    deliveredAt: next.deliveredAt,
    readAt: next.readAt,
    failedAt: next.failedAt,
    pricing: next.pricing,
    heldBack: next.heldBack,
  };
  if (update(tx, message, next, values) === 0) return undefined;
  if (next.dispatchedAt !== message.dispatchedAt && message.broadcastId === null) {
    noteDispatchedAgain(tx, message, next);
  }
  const { id, networkMessageId } = next;
  if (networkMessageId !== message.networkMessageId) {
    if (message.networkMessageId !== null) removeNetworkIds(tx, [message]);
    if (networkMessageId !== null) addNetworkId(tx, id, networkMessageId);
  }
  return next;
}

type StateValues = Parameters<ReturnType<typeof updateState>["run"]>[0];

/** With the statement that rewrites the fewest indexes. Returns the number of rows. */
function update(tx: Tx, before: Message, after: Message, values: StateValues): number {
  const { networkMessageId, dispatchedAt } = after;
  if (dispatchedAt !== before.dispatchedAt)
    return updateStateAndDispatch(tx).run({ ...values, networkMessageId, dispatchedAt });
  if (networkMessageId !== before.networkMessageId)
    return updateStateAndNetworkId(tx).run({ ...values, networkMessageId });
  return updateState(tx).run(values);
}

/** The network's ids encode the phone number, and its error texts may contain anything. */
function redact(message: Message): void {
  message.networkMessageId = null;
  if (message.errorMessage !== null) message.errorMessage = ERASED;
}

/**
 * Enters a state that customers see: charges or releases money, records consent when the network accepted a marketing
 * template, and emits the event of the same name. With `deltas`, counters are collected there instead of written at
 * once. Undefined: the message had already moved on.
 */
export function enter(
  tx: Tx,
  message: Message,
  changes: Partial<Message> & Pick<Message, "status">,
  deltas: CounterDeltas | null = null,
): Message | undefined {
  const after = move(tx, message, { ...changes, money: moneyAfter(message, changes.status) });
  if (after !== undefined) follow(tx, message, after, deltas);
  return after;
}

type Accepted = Pick<Extract<Outcome, { kind: "accepted" }>, "networkMessageId" | "isHeldBack">;

/**
 * As `enter`, for a message that the network has accepted. `dispatched` may be the row as it was stored at the dispatch
 * instead of as this transaction reads it. Undefined: the message had moved on, or its person was erased or merged.
 */
export function enterSent(tx: Tx, dispatched: Message, accepted: Accepted): Message | undefined {
  const { networkMessageId } = accepted;
  const heldBack = accepted.isHeldBack ?? dispatched.heldBack;
  const { id, dispatchedAt, contactId, toPhone } = dispatched;
  const sentAt = tx.now;
  const values = { id, dispatchedAt, contactId, toPhone, sentAt, networkMessageId, heldBack };
  if (updateToSent(tx).run(values) === 0) return undefined;
  addNetworkId(tx, id, networkMessageId);
  const after: Message = { ...dispatched, status: "sent", sentAt, networkMessageId, heldBack };
  follow(tx, dispatched, after, null);
  return after;
}

/** What follows in the same transaction when a message has entered a state. */
function follow(tx: Tx, message: Message, after: Message, deltas: CounterDeltas | null): void {
  // A recipient's money belongs to its broadcast, which counts it together with the state.
  if (message.broadcastId === null) applyMoney(tx, message, after);
  else countChange(tx, message, after, deltas);
  if (after.sendAt !== null) endScheduled(tx, message);
  if (after.status === "failed" || message.status === "failed") refreshRecent(tx, after);
  if (after.status === "failed") noteClosedWindow(tx, after);
  if (isAccepted(after) && !isAccepted(message)) recordSendConsent(tx, after);
  publishStatus(tx, after);
}

/** The network says that the person's window is closed, whatever this server knows. */
export function noteClosedWindow(tx: Tx, failed: Message): void {
  if (effectOf(failed.errorCode) !== "window_closed" || isContactErased(failed)) return;
  closeWindow(tx, contactOf(tx, failed), failed.dispatchedAt ?? failed.createdAt);
}

/** A scheduled message is sent or over: what it was made of goes, links included. */
function endScheduled(tx: Tx, { id: messageId, status }: Message): void {
  deleteScheduled(tx).run({ messageId });
  if (status === "pending") deleteJobs(tx, "send_message", [messageId]);
}

/** Counts a recipient's change for its broadcast; nothing for a single message. */
export function countChange(tx: Tx, before: Message, after: Message, deltas: CounterDeltas | null): void {
  const { broadcastId, id } = before;
  if (broadcastId === null) return;
  if (deltas !== null) deltas.countMove(broadcastId, id, before, after);
  else countMove(tx, broadcastId, id, before, after);
}

function moneyAfter(message: Message, status: Message["status"]): Message["money"] {
  if (message.money === "none" || message.money === "charged") return message.money;
  if (status === "delivered" || status === "read") return "charged";
  return status === "failed" || status === "skipped" ? "released" : message.money;
}

function applyMoney(tx: Tx, before: Message, after: Message): void {
  if (before.money === after.money) return;
  if (after.money === "released") release(tx, after.workspaceId, after.id, after.rate);
  else if (before.money === "held") chargeHeld(tx, after.workspaceId, after.id, after.rate);
  else chargeReleased(tx, after.workspaceId, after.id, after.rate);
}

function isAccepted({ status }: Message): boolean {
  return status === "sent" || status === "delivered" || status === "read";
}

/**
 * Consent by sending, recorded only while consent is unknown: an earlier opt-in is better evidence, and an opt-out
 * stands.
 */
function recordSendConsent(tx: Tx, message: Message): void {
  if (message.templateCategory !== "MARKETING") return;
  const contact = contactOf(tx, message);
  if (contact.consent !== "unknown") return;
  const workspace = getWorkspace(tx, message.workspaceId);
  changeConsent(tx, workspace, contact, { kind: "opt_in" }, { source: "api", evidence: { message: message.id } });
}

/** Emits `message.sent`, `message.delivered` and so on, for messages of the API. */
function publishStatus(tx: Tx, message: Message): void {
  const status = visibleStatuses.find((known) => known === message.status);
  if (message.origin !== "api" || status === undefined) return;
  const workspace = getWorkspace(tx, message.workspaceId);
  publish(tx, workspace, `message.${status}`, { message: viewMessage(message, workspace) });
}
