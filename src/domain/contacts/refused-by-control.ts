/** Opt-outs by the network's own control for marketing, which may then lift them again. */
import { desc, eq } from "drizzle-orm";
import type { Reading, Tx } from "#src/storage/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import { type Contact, consentLog } from "./table.ts";

/** The network refuses a message with this code because the person switched marketing off (Meta: error codes). */
export const MARKETING_REFUSED = "131050";

/** The person pressed the control, or the network says that they have. Holds like a STOP at `saidAt`. */
export function refuseByControl(tx: Tx, workspace: Workspace, contact: Contact, saidAt: number): void {
  const why = { source: "inbound_message" as const, evidence: { control: "stop" } };
  changeConsent(tx, workspace, contact, { kind: "stop", saidAt: Math.min(saidAt, tx.now) }, why);
}

/**
 * Of the opt-out that is in force, and nobody has refused otherwise since. An opt-out that a linked contact took over
 * keeps who made it.
 */
export function isRefusedByControl(reading: Reading, contact: Contact): boolean {
  const last = lastChange(reading, contact);
  return last?.became === "opted_out" && last.evidence.control === "stop";
}

/** The person let go of the control and wrote no START: that says nothing about any other refusal. */
export function isLiftedByControl(reading: Reading, contact: Contact): boolean {
  const last = lastChange(reading, contact);
  return last?.was === "opted_out" && last.evidence.control === "resume";
}

function lastChange(reading: Reading, contact: Contact) {
  return reading.db
    .select({ was: consentLog.was, became: consentLog.became, evidence: consentLog.evidence })
    .from(consentLog)
    .where(eq(consentLog.contactId, contact.id))
    .orderBy(desc(consentLog.id))
    .limit(1)
    .get();
}
