/**
 * JSON of messages for the console. More than the API shows: unsent messages, unknown outcomes, the broadcast, the
 * cost, the contact.
 */

import type { Static } from "@sinclair/typebox";
import { formatMoney } from "#src/core/money.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { viewRecipient } from "#src/domain/broadcasts/view.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { type ConversationItem, textOf } from "#src/domain/inbound/read-conversation.ts";
import { viewDetails } from "#src/domain/inbound/view.ts";
import type { Message, MessageRow } from "#src/domain/messages/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { RecipientDetail } from "./contract/broadcasts.ts";
import type {
  AnyMessage,
  ConversationItem as ConversationItemView,
  TimelineStep as TimelineStepView,
} from "./contract/fragments.ts";
import type { TimelineStep } from "./queries/message-timeline.ts";
import { timesOf } from "./view-developer.ts";

export function viewAnyMessage(
  message: MessageRow,
  broadcast: Broadcast | null,
  contact: Contact | undefined,
  workspace: Workspace,
): Static<typeof AnyMessage> {
  const when = timesOf(workspace);
  const { templateName, templateLanguage, errorCode } = message;
  return {
    id: message.id,
    to: message.toPhone,
    name: contact?.name ?? null,
    contact_id: message.contactId,
    from: message.fromPhone,
    type: message.type,
    origin: message.origin,
    template: templateName === null ? null : { name: templateName, language: templateLanguage ?? "" },
    broadcast: broadcast === null ? null : { id: broadcast.id, name: broadcast.name },
    text: textOf(message, broadcast),
    status: message.status,
    /** Dispatched with an unknown outcome: neither sent nor failed. */
    is_unknown: message.outcomeUnknown,
    error: errorCode === null ? null : { code: errorCode, message: message.errorMessage ?? errorCode },
    money: message.money,
    rate: message.charged ? formatMoney(message.rate) : null,
    created_at: when(message.createdAt),
    sent_at: when(message.sentAt),
    delivered_at: when(message.deliveredAt),
    read_at: when(message.readAt),
    failed_at: when(message.failedAt),
  };
}

/** A recipient of a broadcast: the API's fields, with the name, the error code, and whether the outcome is known. */
export function viewRecipientDetail(
  message: Message,
  broadcast: Broadcast,
  contact: Contact | undefined,
  workspace: Workspace,
): Static<typeof RecipientDetail> {
  return {
    ...viewRecipient(message, broadcast, workspace),
    id: message.id,
    name: contact?.name ?? null,
    code: message.errorCode,
    failed_at: timesOf(workspace)(message.failedAt),
    /** Dispatched with an unknown outcome: neither sent nor failed. */
    is_unknown: message.outcomeUnknown && (message.status === "failed" || message.status === "sending"),
  };
}

/** One item of a conversation: an inbound message or a sent one. */
export function viewConversationItem(
  item: ConversationItem,
  workspace: Workspace,
): Static<typeof ConversationItemView> {
  const when = timesOf(workspace);
  if (item.kind === "inbound") {
    const { id, type, text, origin, receivedAt } = item.inbound;
    const details = viewDetails(item.inbound, item.medium, workspace);
    return { kind: "inbound", key: `i${id}`, id, type, text, origin, at: when(receivedAt), details };
  }
  if (item.kind === "echo") {
    const { id, type, text, origin, status, details, sentAt } = item.echo;
    const controlPass = details?.control_pass ?? null;
    return { kind: "echo", key: `e${id}`, id, type, text, origin, status, control_pass: controlPass, at: when(sentAt) };
  }
  const message = viewAnyMessage(item.message, item.broadcast, undefined, workspace);
  return {
    ...message,
    text: item.text,
    kind: "message",
    key: `m${message.id}`,
    at: when(item.at),
    buttons: item.buttons.map(({ text, isReply }) => ({ text, is_reply: isReply })),
  };
}

/** In UTC with milliseconds; the browser converts to the workspace's timezone. */
export function viewTimelineStep({ at, what, says, details }: TimelineStep): Static<typeof TimelineStepView> {
  return { at: new Date(at).toISOString(), what, says, details };
}
