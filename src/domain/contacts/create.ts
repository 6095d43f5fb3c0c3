/**
 * Creates a contact by phone number or by the network's user id. A person who was erased after opting out is created as
 * opted out: the opt-out outlives the erasure.
 */
import type { E164 } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { onlyPortfolio } from "../numbers/user-id-scope.ts";
import { requireNotBeingErased } from "./being-erased.ts";
import { type ConsentEvidence, logConsent } from "./consent-log.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import type { ContactLookup } from "./find.ts";
import { fullProfile, type Profile } from "./profile.ts";
import { insertContact } from "./statements.ts";
import { CONTACT_CHANGED, type Contact } from "./table.ts";

interface NewContact {
  phone: E164 | null;
  networkUserId?: string | null;
  /** Of the user id; null: not known. */
  networkPortfolio?: string | null;
  username?: string | null | undefined;
  profile?: Profile;
  /** An opt-in recorded in the same write as the contact. Ignored if the person was erased after opting out. */
  optIn?: ConsentEvidence;
}

/**
 * Creates the contact that a look-up did not find. A caller's user id belongs to the workspace's only portfolio; with
 * several, the network's next report tells which. Throws `unavailable` for a person who is being erased.
 */
export function createPerson(
  tx: Tx,
  workspaceId: number,
  { phone, networkUserId }: Pick<ContactLookup, "phone" | "networkUserId">,
  more: Pick<NewContact, "profile" | "optIn" | "networkPortfolio"> = {},
): Contact {
  requireNotBeingErased(tx, workspaceId, { phone, networkUserId });
  if (phone !== null) return createContact(tx, workspaceId, { phone, ...more });
  const { networkPortfolio = onlyPortfolio(tx, workspaceId) } = more;
  return createContact(tx, workspaceId, { phone, networkUserId, ...more, networkPortfolio });
}

export function createContact(tx: Tx, workspaceId: number, input: NewContact): Contact {
  const { phone, networkUserId = null, networkPortfolio = null, username = null } = input;
  const optedOutAt = findErasedOptOut(tx, workspaceId, phone, networkUserId);
  const optIn = optedOutAt === null ? input.optIn : undefined;
  const contact = insertContact(tx).only({
    workspaceId,
    phone,
    networkUserId,
    networkPortfolio: networkUserId === null ? null : networkPortfolio,
    username,
    ...fullProfile(null, input.profile ?? {}),
    consent: optedOutAt !== null ? "opted_out" : optIn !== undefined ? "opted_in" : "unknown",
    consentSource: optedOutAt !== null ? "manual" : (optIn?.source ?? null),
    // The time of the original opt-out: a START written now is later and lifts it.
    consentAt: optedOutAt ?? (optIn === undefined ? null : tx.now),
    createdAt: tx.now,
  });
  tx.notify(CONTACT_CHANGED);
  if (optIn !== undefined) logConsent(tx, contact, "unknown", optIn);
  else if (optedOutAt !== null) logConsent(tx, contact, "unknown", { source: "manual", evidence: { erased: true } });
  return contact;
}
