/** Statements for the rows of a broadcast's recipients: created here, changed here and in `messages`. */
import { newSendToken } from "#src/core/id.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { FrozenValues } from "../messages/table.ts";
import type { SkipCode } from "./skip.ts";
import {
  dueRecipients,
  firstDelayed,
  insertRecipient,
  queueRecipient,
  readyRecipients,
  recipientsDelayedBeyond,
  setNotBefore,
  setSkipped,
  waitingRecipients,
} from "./statements.ts";
import type { Broadcast } from "./table.ts";

interface NewRecipient {
  /** Null: the phone number is invalid. */
  contactId: number | null;
  to: string;
  status: "pending" | "queued" | "skipped";
  values: FrozenValues | null;
  skip: { code: SkipCode; reason: string } | null;
}

type RecipientOwner = Pick<Broadcast, "id" | "workspaceId" | "numberId" | "fromPhone">;

export function addRecipient(tx: Tx, broadcast: RecipientOwner, recipient: NewRecipient, instanceId: string): void {
  insertRecipient(tx).run({
    workspaceId: broadcast.workspaceId,
    numberId: broadcast.numberId,
    broadcastId: broadcast.id,
    fromPhone: broadcast.fromPhone,
    contactId: recipient.contactId,
    toPhone: recipient.to,
    variables: recipient.values,
    status: recipient.status,
    sendToken: newSendToken(instanceId, tx.now, tx.random),
    errorCode: recipient.skip?.code ?? null,
    errorMessage: recipient.skip?.reason ?? null,
    money: recipient.status === "skipped" ? "none" : "held",
    createdAt: tx.now,
  });
}

export type WaitingRecipient = ReturnType<ReturnType<typeof waitingRecipients>["all"]>[number];

/** Recipients after an id, in the order in which they were addressed, including delayed ones. */
export function listWaiting(
  tx: ReadTx,
  broadcastId: number,
  status: "pending" | "queued",
  after: number,
  limit: number,
): WaitingRecipient[] {
  return waitingRecipients(tx).all({ broadcastId, status, after, limit });
}

/** Recipients after an id, in the order in which they were addressed, without delayed ones. */
export function listReady(tx: ReadTx, broadcastId: number, after: number, limit: number): WaitingRecipient[] {
  return readyRecipients(tx).all({ broadcastId, after, limit });
}

/** Give up on a recipient that the network has throttled for this long. */
export const THROTTLE_WAIT_MAX_MS = 30 * 60 * 1000;

/**
 * Delayed recipients that are due, the earliest first; then those delayed beyond the longest wait, because the clock
 * was set back.
 */
export function listDue(tx: ReadTx, broadcastId: number, limit: number): WaitingRecipient[] {
  const rows = dueRecipients(tx).all({ broadcastId, now: tx.now, limit });
  if (rows.length === limit) return rows;
  const latest = tx.now + THROTTLE_WAIT_MAX_MS;
  return [...rows, ...recipientsDelayedBeyond(tx).all({ broadcastId, latest, limit: limit - rows.length })];
}

/** Freezes the recipient's values and queues it. */
export function freezeRecipient(tx: Tx, id: number, values: FrozenValues | null): void {
  queueRecipient(tx).run({ id, variables: values });
}

/** False: the recipient had already moved on. The caller updates the counters. */
export function skipRecipient(tx: Tx, id: number, code: SkipCode, reason: string): boolean {
  return setSkipped(tx).run({ id, errorCode: code, errorMessage: reason }) === 1;
}

export function delayRecipient(tx: Tx, id: number, until: number): void {
  setNotBefore(tx).run({ id, notBefore: until });
}

/** When the first delayed recipient is due; null if none is delayed. */
export function nextDueAt(tx: ReadTx, broadcastId: number): number | null {
  return firstDelayed(tx).get({ broadcastId })?.notBefore ?? null;
}
