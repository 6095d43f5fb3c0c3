/** The public JSON of a message, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type VisibleStatus, visibleStatuses } from "./message.ts";
import type { MessageView } from "./schema.ts";
import type { Message } from "./table.ts";

export function viewMessage(message: Message, workspace: Pick<Workspace, "timezone">): Static<typeof MessageView> {
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, workspace.timezone));
  const addressed = {
    id: message.id,
    to: message.toPhone,
    from: message.fromPhone,
    reference: message.reference,
  };
  const progress = {
    text: message.text ?? "",
    status: visibleStatus(message),
    error:
      message.errorCode === null
        ? null
        : { message: message.errorMessage ?? "It failed.", whatsapp_code: message.errorCode },
  };
  const times = {
    created_at: formatInstant(message.createdAt, workspace.timezone),
    sent_at: when(message.sentAt),
    delivered_at: when(message.deliveredAt),
    read_at: when(message.readAt),
  };
  const { type } = message;
  if (type !== "template") return { ...addressed, type, template: null, ...progress, charged: false, ...times };
  const template = { name: message.templateName ?? "", language: message.templateLanguage ?? "" };
  return { ...addressed, type, template, ...progress, charged: message.charged, ...times };
}

function visibleStatus(message: Message): VisibleStatus {
  const status = visibleStatuses.find((known) => known === message.status);
  if (status === undefined) throw new Error(`message ${message.id} is ${message.status} and not shown yet`);
  return status;
}
