/**
 * Creates a contact by phone number or by the network's user id. A person who was erased after opting out is created as
 * opted out: the opt-out outlives the erasure.
 */
import type { E164 } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type ConsentEvidence, logConsent } from "./consent-log.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import { fullProfile, type Profile } from "./profile.ts";
import { insertContact } from "./statements.ts";
import type { Contact } from "./table.ts";

interface NewContact {
  phone: E164 | null;
  networkUserId?: string | null;
  profile?: Profile;
  /** An opt-in recorded in the same write as the contact. Ignored if the person was erased after opting out. */
  optIn?: ConsentEvidence;
}

export function createContact(tx: Tx, workspaceId: number, input: NewContact): Contact {
  const optedOutAt = input.phone === null ? null : findErasedOptOut(tx, workspaceId, input.phone);
  const optIn = optedOutAt === null ? input.optIn : undefined;
  const contact = insertContact(tx).only({
    workspaceId,
    phone: input.phone,
    networkUserId: input.networkUserId ?? null,
    ...fullProfile(null, input.profile ?? {}),
    consent: optedOutAt !== null ? "opted_out" : optIn !== undefined ? "opted_in" : "unknown",
    consentSource: optedOutAt !== null ? "manual" : (optIn?.source ?? null),
    // The time of the original opt-out: a START written now is later and lifts it.
    consentAt: optedOutAt ?? (optIn === undefined ? null : tx.now),
    createdAt: tx.now,
  });
  if (optIn !== undefined) logConsent(tx, contact, "unknown", optIn);
  else if (optedOutAt !== null) logConsent(tx, contact, "unknown", { source: "manual", evidence: { erased: true } });
  return contact;
}
