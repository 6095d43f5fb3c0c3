/**
 * Applies a person's move to another phone number. Consent, window and history belong to the person, so the contact
 * moves too. The old number then belongs to no contact, because phone numbers are reassigned.
 */
import { eq } from "drizzle-orm";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { findByAnyVariant, findByNetworkUser, getContact } from "../contacts/find.ts";
import { linkContacts } from "../contacts/identity.ts";
import { type Contact, contactNetworkIds, contacts } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { NumberChangeItem } from "./callback-item.ts";
import { findSender } from "./find-sender.ts";
import { isKnownInbound, recordInbound } from "./receive.ts";

/** A repeated report changes nothing: by then the old number may belong to another person. */
export function changeNumber(tx: Tx, number: SendingNumber, item: NumberChangeItem): void {
  const workspace = getWorkspace(tx, number.workspaceId);
  if (isKnownInbound(tx, workspace.id, item.networkMessageId)) return;
  const sender = { from: item.from, networkUserId: item.fromNetworkUserId, profileName: null };
  const contact = findSender(tx, workspace, sender);
  // The person has no contact here, so nothing has to move.
  if (contact === undefined) return;
  recordInbound(tx, number, contact, { ...item, type: "system", text: null }, null);
  const phone = item.newPhone === null ? null : fromNetwork(item.newPhone);
  if (phone !== null && phone !== contact.phone) moveToPhone(tx, workspace, contact, phone);
  if (item.newNetworkUserId !== null) changeNetworkUser(tx, workspace, contact.id, item.newNetworkUserId);
}

function moveToPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): void {
  const holder = findByAnyVariant(tx, workspace.id, phone);
  // All variants of the old number belong to its next owner.
  tx.db.delete(contactNetworkIds).where(eq(contactNetworkIds.contactId, contact.id)).run();
  const isFree = holder === undefined || holder.id === contact.id;
  tx.db
    .update(contacts)
    .set({ phone: isFree ? phone : null, updatedAt: tx.now })
    .where(eq(contacts.id, contact.id))
    .run();
  if (!isFree) linkContacts(tx, workspace, getContact(tx, workspace.id, contact.id), holder);
}

function changeNetworkUser(tx: Tx, workspace: Workspace, contactId: number, networkUserId: string): void {
  const contact = getContact(tx, workspace.id, contactId);
  const holder = findByNetworkUser(tx, workspace.id, networkUserId);
  if (holder !== undefined && holder.id !== contactId) {
    linkContacts(tx, workspace, contact, holder);
    return;
  }
  tx.db.update(contacts).set({ networkUserId }).where(eq(contacts.id, contactId)).run();
}
