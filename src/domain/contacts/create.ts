/**
 * Creates a contact by phone number or by the network's user id. A person who was erased after opting out is created as
 * opted out: the opt-out outlives the erasure.
 */
import { sql } from "drizzle-orm";
import type { E164 } from "#src/core/phone.ts";
import { statement, type Tx } from "#src/db/transaction.ts";
import { type ConsentEvidence, logConsent } from "./consent-log.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import { fullProfile, type Profile, profilePlaceholders } from "./profile.ts";
import { type Contact, contacts } from "./table.ts";

const insert = statement((db) =>
  db
    .insert(contacts)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      phone: sql.placeholder("phone"),
      networkUserId: sql.placeholder("networkUserId"),
      ...profilePlaceholders,
      consent: sql.placeholder("consent"),
      consentSource: sql.placeholder("consentSource"),
      consentAt: sql.placeholder("consentAt"),
      createdAt: sql.placeholder("now"),
      updatedAt: sql.placeholder("now"),
    })
    .returning()
    .prepare(),
);

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
  const contact = insert(tx).get({
    workspaceId,
    phone: input.phone,
    networkUserId: input.networkUserId ?? null,
    ...fullProfile(null, input.profile ?? {}),
    consent: optedOutAt !== null ? "opted_out" : optIn !== undefined ? "opted_in" : "unknown",
    consentSource: optedOutAt !== null ? "manual" : (optIn?.source ?? null),
    // The time of the original opt-out: a START written now is later and lifts it.
    consentAt: optedOutAt ?? (optIn === undefined ? null : tx.now),
    now: tx.now,
  });
  if (optIn !== undefined) logConsent(tx, contact, "unknown", optIn);
  return contact;
}
