/**
 * A person moved to another phone number. The contact goes along: consent, window and history are the person's. The old
 * number is a stranger's from then on, for numbers are given out again.
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

/** The same report twice moves nobody twice: by then the old number may be somebody else's. */
export function changeNumber(tx: Tx, number: SendingNumber, item: NumberChangeItem): void {
  const workspace = getWorkspace(tx, number.workspaceId);
  if (isKnownInbound(tx, workspace.id, item.networkMessageId)) return;
  const sender = { from: item.from, networkUserId: item.fromNetworkUserId, profileName: null };
  const contact = findSender(tx, workspace, sender);
  // Somebody who never had to do with us has moved: there is nothing to take along.
  if (contact === undefined) return;
  recordInbound(tx, number, contact, { ...item, type: "system", text: null });
  const phone = item.newPhone === null ? null : fromNetwork(item.newPhone);
  if (phone !== null && phone !== contact.phone) moveToPhone(tx, workspace, contact, phone);
  if (item.newNetworkUserId !== null) changeNetworkUser(tx, workspace, contact.id, item.newNetworkUserId);
}

function moveToPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): void {
  const holder = findByAnyVariant(tx, workspace.id, phone);
  // Every spelling of the old number belongs to whoever gets it next.
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
