/**
 * The record of every change of consent, with what proves it, and of a further refusal beside the one of the network's
 * control (which changes nothing that is shown). Rows are only ever added.
 */
import { desc, eq, sql } from "drizzle-orm";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import type { Consent, ConsentSource } from "./consent.ts";
import { type Contact, consentLog } from "./table.ts";

export interface ConsentEvidence {
  source: ConsentSource;
  /** When it was recorded, where that was before now: an opt-out that a newly linked contact takes over. */
  at?: number;
  /** What proves it: ids of the message, import, key …; never the text itself. */
  evidence: Record<string, unknown>;
}

export type ConsentChange = typeof consentLog.$inferSelect;

const CHANGES_SHOWN = 100;

/** The newest changes first, a hundred at most. */
export function listConsentChanges(tx: ReadTx, contactId: number): ConsentChange[] {
  return tx.db
    .select()
    .from(consentLog)
    .where(eq(consentLog.contactId, contactId))
    .orderBy(desc(consentLog.id))
    .limit(CHANGES_SHOWN)
    .all();
}

const insertLog = statement((db) =>
  db
    .insert(consentLog)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      contactId: sql.placeholder("contactId"),
      was: sql.placeholder("was"),
      became: sql.placeholder("became"),
      source: sql.placeholder("source"),
      evidence: sql.placeholder("evidence"),
      at: sql.placeholder("at"),
    })
    .prepare(),
);

/** Writes down what the contact's consent was and what it has become. */
export function logConsent(
  tx: Tx,
  contact: Pick<Contact, "id" | "workspaceId" | "consent">,
  was: Consent,
  { source, evidence }: ConsentEvidence,
): void {
  insertLog(tx).run({
    workspaceId: contact.workspaceId,
    contactId: contact.id,
    was,
    became: contact.consent,
    source,
    evidence,
    at: tx.now,
  });
}
