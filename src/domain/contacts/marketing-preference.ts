/** Opt-outs made by the person's marketing preference, the network's own control. The control may lift them again. */
import { desc, eq } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Contact, consentLog } from "./table.ts";

/**
 * True if the current opt-out was made by the control and no other opt-out has been logged since. An opt-out inherited
 * from a linked contact keeps its origin.
 */
export function isOptedOutByMarketingPreference(tx: ReadTx, contact: Contact): boolean {
  const last = lastChange(tx, contact);
  return last?.became === "opted_out" && last.evidence.control === "stop";
}

/**
 * True if the person resumed marketing with the control without writing START. That does not lift any other opt-out.
 */
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
