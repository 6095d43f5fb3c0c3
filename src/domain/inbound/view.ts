/** The public JSON of an inbound message, as events show it. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { findMediaOfInbound, type MediumWithFile } from "../media/read.ts";
import { viewMedia, viewStated } from "../media/view.ts";
import { ERASED } from "../messages/message.ts";
import type { MessageReference } from "../messages/reference.ts";
import { numberById } from "../numbers/statements.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findInbound } from "./read.ts";
import type { InboundView } from "./schema.ts";
import type { Inbound } from "./table.ts";

export function viewInbound(
  inbound: Inbound,
  contact: Contact,
  { phone }: { phone: string },
  workspace: Pick<Workspace, "timezone">,
  found: MediumWithFile | null,
): Static<typeof InboundView> {
  return {
    id: inbound.id,
    from: contact.phone,
    to: phone,
    type: inbound.type,
    text: inbound.text,
    details: viewDetails(inbound, found, workspace),
    ...(inbound.origin === "standby" ? { origin: inbound.origin } : {}),
    received_at: formatInstant(inbound.receivedAt, workspace.timezone),
  };
}

/** As its event showed it, with the present state of its file. Throws `not_found` for another workspace's, and an erased person's. */
export function showInbound(tx: ReadTx, workspace: Workspace, id: number): Static<typeof InboundView> {
  const inbound = findInbound(tx, workspace.id, id);
  const number = inbound === undefined ? undefined : numberById(tx).get({ id: inbound.numberId });
  if (inbound === undefined || number === undefined || inbound.text === ERASED) throw notFound("received message");
  const contact = getContact(tx, workspace.id, inbound.contactId);
  return viewInbound(inbound, contact, number, workspace, findMediaOfInbound(tx, inbound.id) ?? null);
}

export function viewDetails(
  inbound: Pick<Inbound, "details">,
  found: MediumWithFile | null,
  workspace: Pick<Workspace, "timezone">,
): Static<typeof InboundView>["details"] {
  const { media: stated, ...stored } = inbound.details ?? {};
  const details = withNames(stored);
  // The files of a form have their place in it.
  if (found === null || details.form !== undefined)
    return stated === undefined ? details : { media: viewStated(stated), ...details };
  const { medium, file } = found;
  const { voice, animated } = stated ?? {};
  const media = {
    ...viewMedia(medium, file === null ? null : { file, link: null }, workspace),
    ...(voice === true ? { voice } : {}),
    ...(animated === true ? { animated } : {}),
  };
  return { media, ...details };
}

type Details = Omit<Static<typeof InboundView>["details"], "media">;
type Reference = NonNullable<Details["reply_to"]>;

/** References also under the names that requests have for them. */
function withNames({ reaction, reply_to: replyTo, edited, deleted, ...details }: Details): Details {
  return {
    ...details,
    ...(reaction === undefined ? {} : { reaction: { ...reaction, to: nameOf(reaction) } }),
    ...(replyTo === undefined ? {} : { reply_to: { ...replyTo, ...nameOf(replyTo) } }),
    ...(edited === undefined ? {} : { edited: { ...edited, ...nameOf(edited) } }),
    ...(deleted === undefined ? {} : { deleted: { ...deleted, ...nameOf(deleted) } }),
  };
}

function nameOf({ message_id: id, direction }: Partial<Reference>): MessageReference | null {
  if (id == null) return null;
  return direction === "out" ? { message: id } : { inbound: id };
}
