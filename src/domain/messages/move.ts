/**
 * The one guarded statement that moves a message: it names the state that is left, so a move that lost a race changes
 * nothing. Money and events follow the move here, in the same transaction.
 */
import { and, eq, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { chargeHeld, chargeReleased, release } from "../billing/hold.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { countMove } from "../figures/adjust.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { reachAfresh } from "./daily-cap.ts";
import { shownStatuses } from "./message.ts";
import { contactOf } from "./read.ts";
import { type Message, messages } from "./table.ts";
import { viewMessage } from "./view.ts";

const update = statement((db) =>
  db
    .update(messages)
    .set({
      status: sql`${sql.placeholder("status")}`,
      outcomeUnknown: sql`${sql.placeholder("outcomeUnknown")}`,
      networkMessageId: sql`${sql.placeholder("networkMessageId")}`,
      errorCode: sql`${sql.placeholder("errorCode")}`,
      errorMessage: sql`${sql.placeholder("errorMessage")}`,
      money: sql`${sql.placeholder("money")}`,
      handedOverAt: sql`${sql.placeholder("handedOverAt")}`,
      sentAt: sql`${sql.placeholder("sentAt")}`,
      deliveredAt: sql`${sql.placeholder("deliveredAt")}`,
      readAt: sql`${sql.placeholder("readAt")}`,
      failedAt: sql`${sql.placeholder("failedAt")}`,
    })
    .where(and(eq(messages.id, sql.placeholder("id")), eq(messages.status, sql.placeholder("was"))))
    .returning()
    .prepare(),
);

/** Applies `changes` while the message is still as it was read. Undefined: somebody else moved it first. */
export function move(tx: Tx, message: Message, changes: Partial<Message>): Message | undefined {
  const next = { ...message, ...changes };
  return update(tx).get({
    id: message.id,
    was: message.status,
    status: next.status,
    outcomeUnknown: next.outcomeUnknown ? 1 : 0,
    networkMessageId: next.networkMessageId,
    errorCode: next.errorCode,
    errorMessage: next.errorMessage,
    money: next.money,
    handedOverAt: next.handedOverAt,
    sentAt: next.sentAt,
    deliveredAt: next.deliveredAt,
    readAt: next.readAt,
    failedAt: next.failedAt,
  });
}

/**
 * Enters a state that customers see: moves the money that the state settles, records a marketing template's consent
 * where the network took it, and emits the event of the same name. Undefined: the message had moved already.
 */
export function enter(
  tx: Tx,
  message: Message,
  changes: Partial<Message> & Pick<Message, "status">,
): Message | undefined {
  const moved = move(tx, message, { ...changes, money: moneyAfter(message, changes.status) });
  if (moved === undefined) return undefined;
  // A recipient's money is its broadcast's, which counts it together with the state.
  if (message.broadcastId === null) settleMoney(tx, message, moved);
  else countMove(tx, message.broadcastId, message.id, message, moved);
  if (moved.status === "failed" || message.status === "failed") reachAfresh(tx, moved);
  if (isTaken(moved) && !isTaken(message)) recordSendConsent(tx, moved);
  publishState(tx, moved);
  return moved;
}

function moneyAfter(message: Message, status: Message["status"]): Message["money"] {
  if (message.money === "none" || message.money === "charged") return message.money;
  if (status === "delivered" || status === "read") return "charged";
  return status === "failed" ? "released" : message.money;
}

function settleMoney(tx: Tx, before: Message, after: Message): void {
  if (before.money === after.money) return;
  if (after.money === "released") release(tx, after.workspaceId, after.id, after.rate);
  else if (before.money === "held") chargeHeld(tx, after.workspaceId, after.id, after.rate);
  else chargeReleased(tx, after.workspaceId, after.id, after.rate);
}

function isTaken({ status }: Message): boolean {
  return status === "sent" || status === "delivered" || status === "read";
}

/** An opt-in by sending: only where nobody said anything yet; an earlier opt-in is better evidence, an opt-out stands. */
function recordSendConsent(tx: Tx, message: Message): void {
  if (message.templateCategory !== "MARKETING") return;
  const contact = contactOf(tx, message);
  if (contact.consent !== "unknown") return;
  const workspace = getWorkspace(tx, message.workspaceId);
  changeConsent(tx, workspace, contact, { kind: "opt_in" }, { source: "api", evidence: { message: message.id } });
}

/** `message.sent` and its kin, for messages of the API. */
function publishState(tx: Tx, message: Message): void {
  const status = shownStatuses.find((known) => known === message.status);
  if (message.origin !== "api" || status === undefined) return;
  const workspace = getWorkspace(tx, message.workspaceId);
  publish(tx, workspace, `message.${status}`, { message: viewMessage(message, workspace) });
}
