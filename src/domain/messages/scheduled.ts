/**
 * Messages that are sent later. A scheduled message is a row of `messages` from the moment it is accepted; what it is made
 * of stands in `scheduled_messages` until it is sent or over, and a job of the outbox is due at its time. Nothing is held,
 * counted or recorded as consent before. Each way out of `pending` names that state, so that a cancellation and a dispatch
 * exclude each other.
 */
import { sql } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue, queueOfNumber, reschedule } from "#src/jobs/enqueue.ts";
import { findJob } from "#src/jobs/outbox.ts";
import { listLinkedContacts } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { keepUploadUntil } from "../media/send-upload.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type AcceptOptions, contactOfPlan, newMessage } from "./accept.ts";
import { uploadsOf } from "./content.ts";
import type { Later } from "./later.ts";
import { isContactErased, shownStatusOf } from "./message.ts";
import { enter, move } from "./move.ts";
import type { SendInput, SendPlan } from "./plan.ts";
import { refreshRecent } from "./portfolio-limit.ts";
import { findMessageById } from "./read.ts";
import { type Failure, requireMessage } from "./record-outcome.ts";
import {
  anyCancelledByReply,
  cancelledByReply,
  insertScheduled,
  insertScheduledMessage,
} from "./scheduled-statements.ts";
import type { Message } from "./table.ts";
import { viewMessage } from "./view.ts";

interface ScheduleOptions extends AcceptOptions {
  /** Of an API key with limits, which are evaluated when the message is due. */
  keyId: number | null;
}

/** `plan` was made in this transaction from `input`. */
export function scheduleMessage(
  tx: Tx,
  plan: SendPlan,
  { content, later, take = null }: Pick<SendInput, "content" | "take"> & { later: Later },
  { keyId, ...options }: ScheduleOptions,
): Message {
  const { workspace } = plan;
  const contact = contactOfPlan(tx, plan);
  const { sendAt, cancelOnReply } = later;
  const message = newMessage(tx, plan, contact, options);
  message.sendAt = sendAt;
  message.id = insertScheduledMessage(tx).insert(message);
  insertScheduled(tx).run({
    messageId: message.id,
    workspaceId: workspace.id,
    contactId: contact.id,
    // A language of the same name may be added until then.
    content: content.type === "template" ? { ...content, language: message.templateLanguage } : content,
    cancelOnReply,
    dueSince: sendAt,
    keyId,
    take,
  });
  for (const uploadId of uploadsOf(plan.content)) keepUploadUntil(tx, uploadId, sendAt);
  enqueue(tx, { kind: "send_message", subject: message.id, queueKey: queueOfNumber(message.numberId), dueAt: sendAt });
  tell(tx, workspace, message, "message.scheduled");
  return message;
}

/** Only messages of the API emit events. */
function tell(tx: Tx, workspace: Workspace, message: Message, type: "message.scheduled" | "message.cancelled"): void {
  if (message.origin === "api") publish(tx, workspace, type, { message: viewMessage(message, workspace) });
}

export interface Cancellation {
  code: string;
  /** Plain text that can be shown to a person. */
  message: string;
}

const asked: Cancellation = { code: "cancelled", message: "Cancelled before it was sent." };
export const replied: Cancellation = { code: "replied", message: "Cancelled, because the person wrote first." };
/** Of an away message that could not be sent at once. */
export const notAway: Cancellation = { code: "not_away", message: "Cancelled, because you were open again." };
export const doubtful: Cancellation = { code: "opted_out", message: "Cancelled, because the person may want to stop." };

/** Cancelling again changes nothing. Throws `not_cancellable` for a message that is sent, being sent, or failed. */
export function cancelMessage(tx: Tx, message: Message): Message {
  const shown = shownStatusOf(message);
  if (shown === "cancelled") return message;
  const cancelled = message.sendAt === null || message.status !== "pending" ? undefined : cancel(tx, message, asked);
  if (cancelled !== undefined) return cancelled;
  const why = shown === "scheduled" ? "is being sent" : shown === "failed" ? "has failed" : `is ${message.status}`;
  throw new Problem("not_cancellable", `Message ${message.id} ${why} and can't be cancelled.`);
}

/** Undefined: it is being sent, or over. */
function cancel(tx: Tx, message: Message, { code, message: reason }: Cancellation): Message | undefined {
  const changes = { status: "skipped", failedAt: tx.now, errorCode: code, errorMessage: reason } as const;
  const cancelled = enter(tx, message, changes);
  if (cancelled !== undefined) tell(tx, getWorkspace(tx, message.workspaceId), cancelled, "message.cancelled");
  return cancelled;
}

/** How many messages a reply cancels at once; a job cancels the others. */
const CANCELLED_AT_ONCE = 50;

const isAnyCancelledByReply = remembered((tx) => anyCancelledByReply(tx).only().isAny === 1);

/** Cancels what is to be sent to the person only if they do not write. */
export function cancelOnReply(tx: Tx, contact: Contact): void {
  if (!isAnyCancelledByReply(tx)) return;
  for (const one of [contact, ...listLinkedContacts(tx, contact)]) {
    if (cancelSome(tx, one.id)) continue;
    enqueue(tx, { kind: "cancel_replied", subject: one.id, queueKey: one.workspaceId, dueAt: tx.now });
  }
}

/** Of one contact; returns whether that were all. */
export function cancelSome(tx: Tx, contactId: number): boolean {
  const found = cancelledByReply(tx).all({ contactId, limit: CANCELLED_AT_ONCE });
  for (const { messageId } of found) cancel(tx, requireMessage(tx, messageId), replied);
  return found.length < CANCELLED_AT_ONCE;
}

/** The person has written, and not all that this cancels is cancelled yet. */
export function isCancelledByReply(tx: ReadTx, contactId: number): boolean {
  return findJob(tx, "cancel_replied", contactId) !== undefined;
}

/** The message is due, and not wanted any more. */
export function cancelDue(tx: Tx, message: Message, why: Cancellation): void {
  cancel(tx, message, why);
}

/** It will not be sent. */
export function failScheduled(tx: Tx, message: Message, { code, message: reason, outcomeUnknown }: Failure): void {
  const failed = { status: "failed", failedAt: tx.now, errorCode: code, errorMessage: reason, outcomeUnknown } as const;
  enter(tx, message, failed);
}

const erased: Failure = {
  code: "erased",
  message: "The person was erased before the message was sent.",
  outcomeUnknown: false,
};

/** The person has just been erased, and with them what these messages are made of. */
export function failErased(tx: Tx, messageIds: readonly number[]): void {
  for (const id of messageIds) {
    const message = findMessageById(tx, id);
    if (message?.sendAt != null && message.status === "pending") failScheduled(tx, message, erased);
  }
}

/** The database is a copy: whatever it has scheduled may have been sent by another. Each is due now, and fails then. */
export function endRestored(tx: Tx): void {
  tx.db.run(sql`UPDATE scheduled_messages SET is_restored = 1`);
  tx.db.run(sql`UPDATE outbox SET due_at = ${tx.now} WHERE kind = 'send_message'`);
  tx.notify("send_message");
}

/** The network provably did not accept the message: it waits for `dueAt`, unless a status says the opposite. */
export function putBack(tx: Tx, id: number, dueAt: number): void {
  const message = findMessageById(tx, id);
  if (message?.status !== "sending") return;
  if (isContactErased(message)) {
    failScheduled(tx, message, erased);
    return;
  }
  const waiting = move(tx, message, { status: "pending", dispatchedAt: null });
  if (waiting === undefined) return;
  refreshRecent(tx, waiting);
  reschedule(tx, { kind: "send_message", subject: id, queueKey: queueOfNumber(message.numberId), dueAt });
}
