/** The public JSON of an inbound message, as events show it. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { Instant, Nullable } from "#src/core/schema.ts";
import type { Contact } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { Inbound } from "./table.ts";

export const InboundView = Type.Object(
  {
    id: Type.Integer({ examples: [311] }),
    from: Type.Optional(
      Type.String({
        description:
          "Phone number of the sender in E.164. Absent if the network identifies the person only by its own id.",
        examples: ["+919876543210"],
      }),
    ),
    network_user_id: Type.Optional(
      Type.String({ description: "The network's id of the sender; present if `from` is absent." }),
    ),
    to: Type.String({
      description: "The workspace's number that the person wrote to, in E.164.",
      examples: ["+911244001100"],
    }),
    type: Type.String({ description: "Type of the message, as named by the network.", examples: ["text"] }),
    text: Nullable(Type.String({ description: "The text, caption or button title; null if there is none." })),
    received_at: Instant("When the person sent the message, by the network's clock."),
  },
  { $id: "InboundMessage", description: "A message that a person sent to the workspace." },
);

export function viewInbound(
  inbound: Inbound,
  contact: Contact,
  { phone }: { phone: string },
  workspace: Pick<Workspace, "timezone">,
): Static<typeof InboundView> {
  return {
    id: inbound.id,
    ...(contact.phone === null ? {} : { from: contact.phone }),
    ...(contact.phone !== null || contact.networkUserId === null ? {} : { network_user_id: contact.networkUserId }),
    to: phone,
    type: inbound.type,
    text: inbound.text,
    received_at: formatInstant(inbound.receivedAt, workspace.timezone),
  };
}
