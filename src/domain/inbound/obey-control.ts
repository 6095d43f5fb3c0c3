/**
 * The network's own control for marketing messages, which people press instead of writing. It opts out like STOP; its
 * "resume" lifts only an opt-out that the same control made, for it knows nothing of any other.
 */
import { desc, eq } from "drizzle-orm";
import type { Tx } from "#src/storage/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { consentLog } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { PreferenceReport } from "./report.ts";
import { findOrCreateSender } from "./sender.ts";

export function obeyControl(tx: Tx, number: SendingNumber, report: PreferenceReport): void {
  if (report.waId === null && report.userId === null) return;
  const workspace = getWorkspace(tx, number.workspaceId);
  const person = { from: report.waId, userId: report.userId, profileName: null };
  const contact = findOrCreateSender(tx, workspace, person);
  const saidAt = Math.min(report.at, tx.now);
  const why = { source: "inbound_message" as const, evidence: { control: report.value } };
  if (report.value === "stop") {
    changeConsent(tx, workspace, contact, { kind: "stop", saidAt }, why);
  } else if (wasMadeByControl(tx, contact.id)) {
    changeConsent(tx, workspace, contact, { kind: "start", saidAt }, why);
  }
}

function wasMadeByControl(tx: Tx, contactId: number): boolean {
  const last = tx.db
    .select({ became: consentLog.became, evidence: consentLog.evidence })
    .from(consentLog)
    .where(eq(consentLog.contactId, contactId))
    .orderBy(desc(consentLog.id))
    .limit(1)
    .get();
  return last?.became === "opted_out" && last.evidence.control === "stop";
}
