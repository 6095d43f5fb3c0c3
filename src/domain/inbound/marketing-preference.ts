/**
 * Applies the network's own control for marketing messages, which people use instead of writing STOP. "stop" opts out
 * like STOP; "resume" lifts only an opt-out made by the same control, because the control knows nothing of others.
 */
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { listLinkedContacts } from "../contacts/find.ts";
import { isOptedOutByMarketingPreference } from "../contacts/marketing-preference.ts";
import { optOutByMarketingPreference } from "../contacts/opt-out.ts";
import type { Contact } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { PreferenceItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";

export function applyPreference(tx: Tx, number: SendingNumber, item: PreferenceItem): void {
  if (item.waId === null && item.networkUserId === null) return;
  const workspace = getWorkspace(tx, number.workspaceId);
  const { waId: from, networkUserId, parentUserId } = item;
  const sender = { from, networkUserId, parentUserId, profileName: null };
  const contact = findOrCreateSender(tx, workspace, sender, portfolioOf(tx, number));
  if (item.value === "stop") {
    optOutByMarketingPreference(tx, workspace, contact, item.at);
  } else if (mayLift(tx, contact)) {
    const saidAt = Math.min(item.at, tx.now);
    const consentEvidence = { source: "inbound_message" as const, evidence: { control: item.value } };
    changeConsent(tx, workspace, contact, { kind: "start", saidAt }, consentEvidence);
  }
}

/** Linked contacts may have opted out in different ways: one that did so otherwise keeps all of them opted out. */
function mayLift(tx: Tx, contact: Contact): boolean {
  const refused = [contact, ...listLinkedContacts(tx, contact)].filter(({ consent }) => consent === "opted_out");
  return refused.every((one) => isOptedOutByMarketingPreference(tx, one)) && refused.length > 0;
}
