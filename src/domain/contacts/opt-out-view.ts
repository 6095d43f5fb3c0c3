/** Who is opted out, as a list for syncing shows it. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/primitives/instant.ts";
import { Instant, OneOf } from "#src/primitives/schema.ts";
import type { Workspace } from "../workspaces/table.ts";
import { consentSources } from "./consent.ts";
import type { Contact } from "./table.ts";

export const OptOutView = Type.Object(
  {
    phone: Type.String({ description: "E.164.", examples: ["+919876543210"] }),
    opted_out_at: Instant("When it was recorded."),
    source: OneOf(consentSources, "`inbound_message`: the person wrote STOP."),
  },
  { $id: "OptOut", description: "Somebody who is opted out now." },
);

export function viewOptOut(contact: Contact, workspace: Pick<Workspace, "timezone">): Static<typeof OptOutView> {
  return {
    phone: contact.phone ?? "",
    opted_out_at: formatInstant(contact.consentAt ?? contact.updatedAt, workspace.timezone),
    source: contact.consentSource ?? "manual",
  };
}
