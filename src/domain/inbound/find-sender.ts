/** Finds the contact of a person by any identifier that the network gives. */
import { eq } from "drizzle-orm";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { createContact } from "../contacts/create.ts";
import { findErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { findByAnyVariant, findByNetworkUser, getContact } from "../contacts/find.ts";
import { recordNetworkId, recordNetworkUser } from "../contacts/identity.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";

interface SenderIdentity {
  /** Digits without `+`; null if the network gives only its own id of the person. */
  from: string | null;
  networkUserId: string | null;
  profileName: string | null;
}

export function findSender(tx: Tx, workspace: Workspace, { from, networkUserId }: SenderIdentity): Contact | undefined {
  const phone = from === null ? null : fromNetwork(from);
  const byPhone = phone === null ? undefined : findByAnyVariant(tx, workspace.id, phone);
  return byPhone ?? (networkUserId === null ? undefined : findByNetworkUser(tx, workspace.id, networkUserId));
}

/**
 * Finds the contact by any variant of the phone number, else by the network's own id. A new person becomes a contact
 * without consent.
 */
export function findOrCreateSender(tx: Tx, workspace: Workspace, sender: SenderIdentity): Contact {
  const { from, networkUserId, profileName } = sender;
  const phone = from === null ? null : fromNetwork(from);
  const known = findSender(tx, workspace, sender);
  if (known === undefined) {
    return createContact(tx, workspace.id, { phone, networkUserId, profile: { name: profileName } });
  }
  if (phone !== null && known.phone === null) return setPhone(tx, workspace, known, phone);
  if (from !== null) recordNetworkId(tx, workspace, known, from);
  if (networkUserId !== null) recordNetworkUser(tx, workspace, known, networkUserId);
  return getContact(tx, workspace.id, known.id);
}

/** A contact known only by the network's id has revealed its phone number: the API lists it from now on. */
function setPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): Contact {
  const updated = tx.db
    .update(contacts)
    .set({ phone, updatedAt: tx.now })
    .where(eq(contacts.id, contact.id))
    .returning()
    .get();
  if (updated === undefined) return contact;
  // A person who was erased after opting out is recognised only by the phone number: erasure does not lift the opt-out.
  const optedOutAt = findErasedOptOut(tx, workspace.id, phone);
  if (optedOutAt === null) return updated;
  const consentEvidence = { source: "manual" as const, evidence: {}, at: optedOutAt };
  return changeConsent(tx, workspace, updated, { kind: "opt_out" }, consentEvidence);
}
