/** The public JSON of a message, in the API and in events. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type VisibleStatus, visibleStatuses } from "./message.ts";
import type { Message } from "./table.ts";

export const MessageTemplate = Type.Object(
  { name: Type.String({ examples: ["order_shipped"] }), language: Type.String({ examples: ["en_US"] }) },
  { $id: "MessageTemplate", description: "Which template a message was made from." },
);

const MessageError = Type.Object(
  {
    message: Type.String({ description: "Why it failed, in plain words." }),
    whatsapp_code: Type.String({
      description:
        "The network's own code, for support. `timeout`, `unreachable` and `interrupted` are this server's words for a hand-over without an answer.",
      examples: ["131049"],
    }),
  },
  { $id: "MessageError", description: "Why a message failed." },
);

export const MessageView = Type.Object(
  {
    id: Type.Integer({ examples: [1042] }),
    to: Type.String({ description: "E.164.", examples: ["+919876543210"] }),
    from: Type.String({ description: "E.164 of the sending number.", examples: ["+911244001100"] }),
    type: OneOf(["template", "text"]),
    template: Nullable(MessageTemplate, "Null for free-form text."),
    text: Type.String({ description: "What the person sees, values filled in." }),
    status: OneOf(
      visibleStatuses,
      "`sent`: the network has it. `delivered`: it is on the person's phone. `read`: the person saw it. `failed`: `error` says why.",
    ),
    error: Nullable(MessageError, "Null unless it failed."),
    charged: Type.Boolean({
      description: "Whether it is charged once it is delivered: templates are, free-form text is not.",
    }),
    created_at: Instant("When this server took it."),
    sent_at: Nullable(Instant("When the network took it.")),
    delivered_at: Nullable(Instant("When it reached the phone.")),
    read_at: Nullable(Instant("When the person saw it; people can switch this report off.")),
  },
  { $id: "Message", description: "A message to one person." },
);

export function viewMessage(message: Message, workspace: Pick<Workspace, "timezone">): Static<typeof MessageView> {
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, workspace.timezone));
  return {
    id: message.id,
    to: message.toPhone,
    from: message.fromPhone,
    type: message.type,
    template:
      message.templateName === null || message.templateLanguage === null
        ? null
        : { name: message.templateName, language: message.templateLanguage },
    text: message.text ?? "",
    status: visibleStatus(message),
    error:
      message.errorCode === null
        ? null
        : { message: message.errorMessage ?? "It failed.", whatsapp_code: message.errorCode },
    charged: message.charged,
    created_at: formatInstant(message.createdAt, workspace.timezone),
    sent_at: when(message.sentAt),
    delivered_at: when(message.deliveredAt),
    read_at: when(message.readAt),
  };
}

function visibleStatus(message: Message): VisibleStatus {
  const status = visibleStatuses.find((known) => known === message.status);
  if (status === undefined) throw new Error(`message ${message.id} is ${message.status} and not shown yet`);
  return status;
}
