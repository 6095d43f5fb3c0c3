/** An opt-out by the network's own control for marketing, learned from the control itself or from a refusal. */
import type { Tx } from "#src/storage/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import type { Contact } from "./table.ts";

/** The network refuses a message with this code because the person switched marketing off (Meta: error codes). */
export const MARKETING_REFUSED = "131050";

/** The person pressed the control, or the network says that they have. Holds like a STOP at `saidAt`. */
export function refuseByControl(tx: Tx, workspace: Workspace, contact: Contact, saidAt: number): void {
  const why = { source: "inbound_message" as const, evidence: { control: "stop" } };
  changeConsent(tx, workspace, contact, { kind: "stop", saidAt: Math.min(saidAt, tx.now) }, why);
}
