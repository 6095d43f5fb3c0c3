/** Opt-outs by the network's own control for marketing, which may then lift them again. */
import { desc, eq } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Contact, consentLog } from "./table.ts";

/**
 * Of the opt-out that is in force, and nobody has refused otherwise since. An opt-out that a linked contact took over
 * keeps who made it.
 */
export function isOptedOutByMarketingPreference(tx: ReadTx, contact: Contact): boolean {
  const last = lastChange(tx, contact);
  return last?.became === "opted_out" && last.evidence.control === "stop";
}

/** The person let go of the control and wrote no START: that says nothing about any other refusal. */
export function isLiftedByMarketingPreference(tx: ReadTx, contact: Contact): boolean {
  const last = lastChange(tx, contact);
  return last?.was === "opted_out" && last.evidence.control === "resume";
}

function lastChange(tx: ReadTx, contact: Contact) {
  return tx.db
    .select({ was: consentLog.was, became: consentLog.became, evidence: consentLog.evidence })
    .from(consentLog)
    .where(eq(consentLog.contactId, contact.id))
    .orderBy(desc(consentLog.id))
    .limit(1)
    .get();
}
