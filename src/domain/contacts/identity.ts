/**
 * Identity: the link between contacts that are one person. Contacts are never merged: linked contacts both stay and
 * share STOP, START and opt-out. `learn-identity.ts` says when two contacts turn out to be one person.
 */
import { and, eq, ne } from "drizzle-orm";
import { listRows, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import { decideConsent } from "./consent.ts";
import { getContact } from "./find.ts";
import { isLiftedByMarketingPreference, isOptedOutByMarketingPreference } from "./marketing-preference.ts";
import { type Contact, contacts } from "./table.ts";

/** Links two contacts as one person. An opt-out of either then holds for both, with the same source and time. */
export function linkContacts(tx: Tx, workspace: Workspace, one: Contact, other: Contact): void {
  if (one.identityId !== null && one.identityId === other.identityId) return;
  const identityId = one.identityId ?? other.identityId ?? Math.min(one.id, other.id);
  for (const contact of [one, other]) {
    if (contact.identityId === null || contact.identityId === identityId) {
      updateRows(tx, contacts, { id: contact.id }, { identityId });
    } else {
      updateRows(tx, contacts, { identityId: contact.identityId }, { identityId });
    }
  }
  shareCommandTimes(tx, identityId);
  reconcile(tx, workspace, getContact(tx, workspace.id, one.id), getContact(tx, workspace.id, other.id));
}

/** A STOP or START under one number counts for all linked contacts, so each stores the latest times. */
function shareCommandTimes(tx: Tx, identityId: number): void {
  const everyone = listRows(tx, contacts, { identityId });
  const latest = (times: (number | null)[]): number | null =>
    times.reduce((one, other) => (one === null || (other !== null && other > one) ? other : one), null);
  const stopSaidAt = latest(everyone.map((contact) => contact.stopSaidAt));
  const startSaidAt = latest(everyone.map((contact) => contact.startSaidAt));
  const mayWantToStopSaidAt = latest(everyone.map((contact) => contact.mayWantToStopSaidAt));
  updateRows(tx, contacts, { identityId }, { stopSaidAt, startSaidAt, mayWantToStopSaidAt });
  shareDoubt(tx, identityId, everyone, startSaidAt);
}

/** A doubt about one contact holds for all linked contacts, unless the person has sent START since. */
function shareDoubt(tx: Tx, identityId: number, everyone: readonly Contact[], startSaidAt: number | null): void {
  const doubts = everyone.filter((one) => (one.mayWantToStopSaidAt ?? -1) >= (startSaidAt ?? -1));
  const since = doubts.flatMap((one) => one.mayWantToStopSince ?? []);
  const mayWantToStopSince = since.length === 0 ? null : Math.min(...since);
  const isReachable = and(eq(contacts.identityId, identityId), ne(contacts.consent, "opted_out"));
  tx.db.update(contacts).set({ mayWantToStopSince }).where(isReachable).run();
}

/**
 * Aligns the consent of two newly linked contacts: the later of the person's STOP and START holds for both, and so does
 * any other opt-out.
 */
function reconcile(tx: Tx, workspace: Workspace, one: Contact, other: Contact): void {
  const optedOut = one.consent === "opted_out" ? one : other;
  const reachable = optedOut === one ? other : one;
  if (optedOut.consent !== "opted_out" || reachable.consent === "opted_out") return;
  const started = isLiftedByMarketingPreference(tx, reachable) ? null : reachable.startSaidAt;
  const lifted = started === null ? null : decideConsent(optedOut, { kind: "start", saidAt: started });
  if (started !== null && lifted !== null) {
    const why = { source: "inbound_message" as const, evidence: { linked_contact: reachable.id } };
    const lifting = changeConsent(tx, workspace, optedOut, { kind: "start", saidAt: started }, why);
    // A later opt-out of another linked contact keeps all of them opted out.
    if (lifting.consent !== "opted_out") return;
  }
  const why = {
    source: optedOut.consentSource ?? ("manual" as const),
    evidence: {
      linked_contact: optedOut.id,
      ...(isOptedOutByMarketingPreference(tx, optedOut) ? { control: "stop" } : {}),
    },
    ...(optedOut.consentAt === null ? {} : { at: optedOut.consentAt }),
  };
  changeConsent(tx, workspace, reachable, { kind: "opt_out" }, why);
}

/** The key that counts linked contacts as one person. */
export function identityOf(contact: Pick<Contact, "id" | "identityId">): number {
  return contact.identityId ?? contact.id;
}
