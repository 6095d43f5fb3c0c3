/**
 * Applies a person's move to another phone number, or to another user id. Consent, window and history belong to the person, so the contact
 * moves too. The old number then belongs to no contact, because phone numbers are reassigned.
 */
import { and, eq, isNull, lt } from "drizzle-orm";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { findByAnyVariant, findByUserId, getContact } from "../contacts/find.ts";
import { recordFormerPhone } from "../contacts/former-phones.ts";
import { linkContacts } from "../contacts/identity.ts";
import { learnIdentity, replaceUserId, retireUserIds, setUserId } from "../contacts/learn-identity.ts";
import { CONTACT_CHANGED, type Contact, contactNetworkIds, contacts } from "../contacts/table.ts";
import { viewContact } from "../contacts/view.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { NumberChangeItem } from "./callback-item.ts";
import { findSender } from "./find-sender.ts";
import { isKnownInbound, recordInbound } from "./receive.ts";
import { viewInbound } from "./view.ts";

/** A repeated report changes nothing: by then the old number may belong to another person. */
export function changeNumber(tx: Tx, number: SendingNumber, item: NumberChangeItem): void {
  const workspace = getWorkspace(tx, number.workspaceId);
  if (isKnownInbound(tx, workspace.id, item.networkMessageId)) return;
  const contact = findSender(tx, workspace, { from: item.from, networkUserId: item.fromNetworkUserId });
  // The person has no contact here, so nothing has to move.
  if (contact === undefined) return;
  const phone = item.newPhone === null ? null : fromNetwork(item.newPhone);
  // The network tells of a new user id in a notice and on a field of its own.
  if (phone === null && contact.networkUserId === item.newNetworkUserId) return;
  const change =
    phone === null
      ? { from: item.fromNetworkUserId ?? contact.networkUserId, to: item.newNetworkUserId }
      : { from: contact.phone ?? (item.from === null ? null : fromNetwork(item.from)), to: phone };
  const notice = { ...item, type: "system", text: null };
  const inbound = recordInbound(tx, number, contact, notice, { number_change: change });
  if (phone !== null && phone !== contact.phone) moveToPhone(tx, workspace, contact, phone);
  const portfolio = portfolioOf(tx, number);
  if (item.newNetworkUserId !== null) changeUserId(tx, workspace, contact.id, item.newNetworkUserId, portfolio);
  const moved = getContact(tx, workspace.id, contact.id);
  const parentUserId = item.newParentUserId;
  learnIdentity(tx, workspace, moved, { phone: null, networkUserId: null, parentUserId, portfolio });
  const after = getContact(tx, workspace.id, contact.id);
  publish(tx, workspace, "message.received", {
    message: viewInbound(inbound, after, number, workspace, null),
    contact: viewContact(tx, after, workspace),
  });
}

function moveToPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): void {
  const holder = findByAnyVariant(tx, workspace.id, phone);
  recordFormerPhone(tx, contact, phone);
  // All variants of the old number belong to its next owner. User ids, which begin with letters, and further numbers stay
  // the person's.
  tx.db
    .delete(contactNetworkIds)
    .where(
      and(
        eq(contactNetworkIds.contactId, contact.id),
        lt(contactNetworkIds.networkId, "A"),
        isNull(contactNetworkIds.ofPhone),
      ),
    )
    .run();
  const isFree = holder === undefined || holder.id === contact.id;
  updateRows(tx, contacts, { id: contact.id }, { phone: isFree ? phone : null, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  if (!isFree) linkContacts(tx, workspace, getContact(tx, workspace.id, contact.id), holder);
}

/** The former id is not accepted any more, but it still leads to the person. */
function changeUserId(tx: Tx, workspace: Workspace, contactId: number, networkUserId: string, portfolio: string): void {
  const contact = getContact(tx, workspace.id, contactId);
  const holder = findByUserId(tx, workspace.id, networkUserId);
  if (holder === undefined || holder.id === contactId) {
    if (contact.networkUserId !== networkUserId) setUserId(tx, workspace, contact, networkUserId, portfolio);
    return;
  }
  linkContacts(tx, workspace, contact, holder);
  const isOfPortfolio = contact.networkPortfolio === null || contact.networkPortfolio === portfolio;
  if (isOfPortfolio) replaceUserId(tx, workspace, getContact(tx, workspace.id, contactId), null, null);
  else retireUserIds(tx, contactId, portfolio);
}
