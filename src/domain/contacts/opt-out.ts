/**
 * Opt-outs other than by a written STOP: recorded by the customer, or by the network's marketing control. `optOut` also
 * works for numbers without a contact.
 */

import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import type { ConsentEvidence } from "./consent-log.ts";
import { createPerson } from "./create.ts";
import { type ContactLookup, requirePerson } from "./find.ts";
import type { ListedIdentity } from "./list.ts";
import type { OptOutView } from "./schema.ts";
import type { Contact } from "./table.ts";

/** Opts out the person with a number that a caller wrote. Throws `invalid_number`. */
export function optOutNumber(tx: Tx, workspace: Workspace, number: string, why: ConsentEvidence): Contact {
  return optOut(tx, workspace, requirePerson(tx, workspace, number), why);
}

/** Opts a person out. Opting out twice keeps the first date and publishes no second event. */
export function optOut(tx: Tx, workspace: Workspace, person: ContactLookup, why: ConsentEvidence): Contact {
  const contact = person.contact ?? createPerson(tx, workspace.id, person);
  return changeConsent(tx, workspace, contact, { kind: "opt_out" }, why);
}

/** With the user id in lists that hold people without a phone number. */
export function viewOptOut(
  contact: Contact,
  workspace: Pick<Workspace, "timezone">,
  identity: ListedIdentity,
): Static<typeof OptOutView> {
  return {
    phone: contact.phone,
    ...(identity === "any" ? { user_id: contact.networkUserId } : {}),
    opted_out_at: formatInstant(contact.consentAt ?? contact.updatedAt, workspace.timezone),
    source: contact.consentSource ?? "manual",
  };
}

/** The person used the control, or the network reports that they did. Counts as a STOP at `saidAt`. */
export function optOutByMarketingPreference(tx: Tx, workspace: Workspace, contact: Contact, saidAt: number): void {
  const why = { source: "inbound_message" as const, evidence: { control: "stop" } };
  changeConsent(tx, workspace, contact, { kind: "stop", saidAt: Math.min(saidAt, tx.now) }, why);
}
