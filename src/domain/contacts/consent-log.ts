/**
 * The append-only log of consent changes, each with its evidence. It also records an opt-out that follows one by the
 * network's marketing control, which changes nothing that is shown.
 */
import { desc, eq } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Consent, ConsentSource } from "./consent.ts";
import { insertConsentChanges } from "./detail-statements.ts";
import { insertConsentLog } from "./statements.ts";
import { type Contact, consentLog } from "./table.ts";

export interface ConsentEvidence {
  source: ConsentSource;
  /**
   * When consent was recorded, if before now: a newly linked contact takes the time of the opt-out that it inherits.
   */
  at?: number;
  /** The evidence: ids of the message, import or key; never the text itself. */
  evidence: Record<string, unknown>;
}

type ConsentChange = typeof consentLog.$inferSelect;

const CHANGES_SHOWN = 100;

/** The newest 100 changes, newest first. */
export function listConsentChanges(tx: ReadTx, contactId: number): ConsentChange[] {
  return tx.db
    .select()
    .from(consentLog)
    .where(eq(consentLog.contactId, contactId))
    .orderBy(desc(consentLog.id))
    .limit(CHANGES_SHOWN)
    .all();
}

/** The change of a contact from `was` to the consent that it has now. */
export interface NewConsentChange {
  contact: Pick<Contact, "id" | "workspaceId" | "consent">;
  was: Consent;
  why: ConsentEvidence;
}

/** Appends the change from `was` to the contact's current consent. */
export function logConsent(tx: Tx, contact: NewConsentChange["contact"], was: Consent, why: ConsentEvidence): void {
  insertConsentLog(tx).run(entryOf(tx, { contact, was, why }));
}

/** Appends many changes in few statements, in their order. */
export function logConsents(tx: Tx, changes: readonly NewConsentChange[]): void {
  insertConsentChanges(
    tx,
    changes.map((change) => entryOf(tx, change)),
  );
}

function entryOf(tx: Tx, { contact, was, why }: NewConsentChange): Omit<ConsentChange, "id"> {
  return {
    workspaceId: contact.workspaceId,
    contactId: contact.id,
    was,
    became: contact.consent,
    source: why.source,
    evidence: why.evidence,
    at: tx.now,
  };
}
