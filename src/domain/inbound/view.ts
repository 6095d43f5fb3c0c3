/** The public JSON of an inbound message, as events show it. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Contact } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { InboundView } from "./schema.ts";
import type { Inbound } from "./table.ts";

export function viewInbound(
  inbound: Inbound,
  contact: Contact,
  { phone }: { phone: string },
  workspace: Pick<Workspace, "timezone">,
): Static<typeof InboundView> {
  return {
    id: inbound.id,
    from: contact.phone,
    to: phone,
    type: inbound.type,
    text: inbound.text,
    details: inbound.details ?? {},
    ...(inbound.origin === "standby" ? { origin: inbound.origin } : {}),
    received_at: formatInstant(inbound.receivedAt, workspace.timezone),
  };
}
