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
        description: "E.164. Left out for somebody whom the network names by its own id only.",
        examples: ["+919876543210"],
      }),
    ),
    network_user_id: Type.Optional(Type.String({ description: "The network's own id, where `from` is left out." })),
    type: Type.String({ description: "The network's word for its kind.", examples: ["text"] }),
    text: Nullable(Type.String({ description: "The text, caption or button title; null where there is none." })),
    received_at: Instant("When the person wrote, by the network's clock."),
  },
  { $id: "InboundMessage", description: "Something that a person wrote to the workspace." },
);

export function viewInbound(
  inbound: Inbound,
  contact: Contact,
  workspace: Pick<Workspace, "timezone">,
): Static<typeof InboundView> {
  return {
    id: inbound.id,
    ...(contact.phone === null ? {} : { from: contact.phone }),
    ...(contact.phone !== null || contact.networkUserId === null ? {} : { network_user_id: contact.networkUserId }),
    type: inbound.type,
    text: inbound.text,
    received_at: formatInstant(inbound.receivedAt, workspace.timezone),
  };
}
