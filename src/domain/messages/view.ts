/** The public JSON of a message, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "../workspaces/table.ts";
import {
  ERASED,
  type MessageCategory,
  type MessageType,
  messageCategories,
  type ShownStatus,
  senderKindOf,
  shownStatusOf,
} from "./message.ts";
import type { MessageView } from "./schema.ts";
import type { Message } from "./table.ts";

export function viewMessage(message: Message, workspace: Pick<Workspace, "timezone">): Static<typeof MessageView> {
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, workspace.timezone));
  const isTemplate = message.type === "template";
  // One literal, because every event is made of it. A type and its content are stored together, which
  // the compiler cannot see.
  return {
    id: message.id,
    to: message.toPhone,
    from: message.fromPhone,
    reference: message.reference,
    sent_by: viewSender(message),
    type: typeOfMessage(message),
    category: categoryOf(message),
    template: isTemplate ? { name: message.templateName ?? "", language: message.templateLanguage ?? "" } : null,
    content: isTemplate ? null : contentOf(message),
    reply_to: isTemplate ? null : message.replyTo,
    text: message.text ?? "",
    status: shownStatus(message),
    error:
      message.errorCode === null || message.status === "skipped"
        ? null
        : { message: message.errorMessage ?? "It failed.", whatsapp_code: message.errorCode },
    charged: message.charged,
    created_at: formatInstant(message.createdAt, workspace.timezone),
    send_at: when(message.sendAt),
    sent_at: when(message.sentAt),
    delivered_at: when(message.deliveredAt),
    read_at: when(message.readAt),
  } as Static<typeof MessageView>;
}

export function viewSender(message: Pick<Message, "origin" | "automated" | "senderName" | "byAi">) {
  return { kind: senderKindOf(message), name: message.senderName, ai: message.byAi };
}

/** In the words of a request. */
function categoryOf({ templateCategory }: Message): MessageCategory | null {
  return messageCategories.find((category) => category === templateCategory?.toLowerCase()) ?? null;
}

/** The network's word. */
export function typeOfMessage({ type, networkType }: Pick<Message, "type" | "networkType">): MessageType {
  return networkType ?? type;
}

/** Null: the message is a template, or the person was erased. */
function contentOf(message: Pick<Message, "type" | "networkType" | "content" | "text">) {
  const { content, text } = message;
  if (content !== null || typeOfMessage(message) !== "text" || text === ERASED) return content;
  return { text: text ?? "" };
}

function shownStatus(message: Message): ShownStatus {
  const status = shownStatusOf(message);
  if (status === null) throw new Error(`message ${message.id} is ${message.status} and not shown yet`);
  return status;
}
