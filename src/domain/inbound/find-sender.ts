/** From what the network says about a person to the contact, by any name the person is known by. */
import { eq } from "drizzle-orm";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { createContact } from "../contacts/create.ts";
import { findErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { findByAnySpelling, findByNetworkUser, getContact } from "../contacts/find.ts";
import { learnNetworkId, learnNetworkUser } from "../contacts/identity.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";

export interface NamedPerson {
  /** Digits without `+`; null where the network names the person only by its own id. */
  from: string | null;
  userId: string | null;
  profileName: string | null;
}

export function findSender(tx: Tx, workspace: Workspace, { from, userId }: NamedPerson): Contact | undefined {
  const phone = from === null ? null : fromNetwork(from);
  const byPhone = phone === null ? undefined : findByAnySpelling(tx, workspace.id, phone);
  return byPhone ?? (userId === null ? undefined : findByNetworkUser(tx, workspace.id, userId));
}

/** By number in any spelling, else by the network's own id; a stranger becomes a contact without consent. */
export function findOrCreateSender(tx: Tx, workspace: Workspace, person: NamedPerson): Contact {
  const { from, userId, profileName } = person;
  const phone = from === null ? null : fromNetwork(from);
  const known = findSender(tx, workspace, person);
  if (known === undefined) {
    return createContact(tx, workspace.id, { phone, networkUserId: userId, profile: { name: profileName } });
  }
  if (phone !== null && known.phone === null) return nameByPhone(tx, workspace, known, phone);
  if (from !== null) learnNetworkId(tx, workspace, known, from);
  if (userId !== null) learnNetworkUser(tx, workspace, known, userId);
  return getContact(tx, workspace.id, known.id);
}

/** Somebody known by the network's id alone has shown the number: from now on the API lists them. */
function nameByPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): Contact {
  const named = tx.db
    .update(contacts)
    .set({ phone, updatedAt: tx.now })
    .where(eq(contacts.id, contact.id))
    .returning()
    .get();
  if (named === undefined) return contact;
  // Whoever was erased after opting out is recognised by the number alone: forgetting does not lift the refusal.
  const refusedAt = findErasedOptOut(tx, workspace.id, phone);
  if (refusedAt === null) return named;
  const why = { source: "manual" as const, evidence: {}, at: refusedAt };
  return changeConsent(tx, workspace, named, { kind: "opt_out" }, why);
}
