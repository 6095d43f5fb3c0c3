/**
 * The network's own control for marketing messages, which people press instead of writing. It opts out like STOP; its
 * "resume" lifts only an opt-out that the same control made, for it knows nothing of any other.
 */
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent, linkedContacts } from "../contacts/change-consent.ts";
import { isRefusedByControl } from "../contacts/marketing-preference.ts";
import { refuseByControl } from "../contacts/opt-out.ts";
import type { Contact } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { PreferenceReport } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";

export function obeyControl(tx: Tx, number: SendingNumber, report: PreferenceReport): void {
  if (report.waId === null && report.userId === null) return;
  const workspace = getWorkspace(tx, number.workspaceId);
  const person = { from: report.waId, userId: report.userId, profileName: null };
  const contact = findOrCreateSender(tx, workspace, person);
  if (report.value === "stop") {
    refuseByControl(tx, workspace, contact, report.at);
  } else if (mayLift(tx, contact)) {
    const saidAt = Math.min(report.at, tx.now);
    const why = { source: "inbound_message" as const, evidence: { control: report.value } };
    changeConsent(tx, workspace, contact, { kind: "start", saidAt }, why);
  }
}

/** Of linked contacts, each may have been refused in its own way; one that was refused otherwise keeps them all. */
function mayLift(tx: Tx, contact: Contact): boolean {
  const refused = [contact, ...linkedContacts(tx, contact)].filter(({ consent }) => consent === "opted_out");
  return refused.every((one) => isRefusedByControl(tx, one)) && refused.length > 0;
}
