/**
 * Changes a contact's consent: updates the row, appends to the append-only consent log and publishes the customer's
 * event. Linked contacts change together.
 */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { publish } from "../webhooks/publish.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type ConsentMove, decideConsent, doubtAfter, latestCommandTimes } from "./consent.ts";
import { type ConsentEvidence, hasOtherTerms, logConsent } from "./consent-log.ts";
import { deleteErasedOptOut } from "./erased-opt-outs.ts";
import { listLinkedContacts } from "./find.ts";
import { isOptedOutByMarketingPreference } from "./marketing-preference.ts";
import { setUpdatedAt, updateConsent } from "./statements.ts";
import { CONTACT_CHANGED, type Contact, contacts } from "./table.ts";
import { viewContact } from "./view.ts";

/** Applies the move to the contact and to every contact linked to it. Returns the updated contact. */
export function changeConsent(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  move: ConsentMove,
  why: ConsentEvidence,
): Contact {
  // An opt-in recorded by the customer applies to the number it was given for, not to the person's other numbers.
  const linked = move.kind === "opt_in" ? [] : listLinkedContacts(tx, contact);
  if (move.kind === "start" && [contact, ...linked].some((one) => remainsOptedOut(one, move))) {
    for (const one of linked) storeUnchanged(tx, one, move);
    return storeUnchanged(tx, contact, move);
  }
  const changed = applyMove(tx, workspace, contact, move, why);
  for (const one of linked) applyMove(tx, workspace, one, move, why);
  return changed;
}

/**
 * A START that does not lift the opt-out of one linked contact lifts none of them: the opt-out belongs to the person.
 */
function remainsOptedOut(contact: Contact, move: ConsentMove): boolean {
  return contact.consent === "opted_out" && decideConsent(contact, move) === null;
}

function applyMove(tx: Tx, workspace: Workspace, contact: Contact, move: ConsentMove, why: ConsentEvidence): Contact {
  const became = decideConsent(contact, move);
  if (became === null) {
    if (isAdditionalOptOut(tx, contact, move, why)) logConsent(tx, contact, "opted_out", why);
    if (move.kind === "opt_in" && hasOtherTerms(tx, contact, why)) return storeTerms(tx, contact, why);
    return storeUnchanged(tx, contact, move);
  }
  const was = contact.consent;
  const { source, at = tx.now } = why;
  const changed = updateConsent(tx).get({
    id: contact.id,
    was,
    consent: became,
    consentSource: source,
    consentAt: at,
    updatedAt: tx.now,
    mayWantToStopSince: doubtAfter(contact, move, became),
    ...latestCommandTimes(contact, move),
  });
  // The contact was read in this transaction, so no other writer can have changed it.
  if (changed === undefined) throw new Error(`contact ${contact.id} was not ${was} any more`);
  tx.notify(CONTACT_CHANGED);
  logConsent(tx, changed, was, why);
  if (became === "opted_out")
    publish(tx, workspace, "contact.opted_out", { contact: viewContact(tx, changed, workspace) });
  if (was === "opted_out") deleteErasedOptOut(tx, workspace.id, changed);
  if (was === "opted_out") publish(tx, workspace, "contact.opted_in", { contact: viewContact(tx, changed, workspace) });
  return changed;
}

/**
 * The contact is opted out by the network's marketing control, and a second opt-out arrives in another way. Date and
 * source of the first stay, and no event is published. The second is logged, because the network's control may lift
 * only an opt-out that it alone made.
 */
function isAdditionalOptOut(tx: Tx, contact: Contact, move: ConsentMove, why: ConsentEvidence): boolean {
  if (move.kind !== "opt_out" && move.kind !== "stop") return false;
  // A STOP older than the latest known START is not an opt-out.
  if (move.kind === "stop" && (contact.startSaidAt ?? -1) > move.saidAt) return false;
  return (
    why.evidence.control === undefined &&
    contact.consent === "opted_out" &&
    isOptedOutByMarketingPreference(tx, contact)
  );
}

/**
 * Consent stays. The times of STOP and START are stored all the same, because later moves are compared with them, and
 * START ends a doubt.
 */
function storeUnchanged(tx: Tx, contact: Contact, move: ConsentMove): Contact {
  const { stopSaidAt, startSaidAt } = latestCommandTimes(contact, move);
  const mayWantToStopSince = doubtAfter(contact, move, contact.consent);
  const isSameDoubt = mayWantToStopSince === contact.mayWantToStopSince;
  if (stopSaidAt === contact.stopSaidAt && startSaidAt === contact.startSaidAt && isSameDoubt) return contact;
  const updatedAt = isSameDoubt ? contact.updatedAt : tx.now;
  const stored = { stopSaidAt, startSaidAt, mayWantToStopSince, updatedAt };
  updateRows(tx, contacts, { id: contact.id }, stored);
  tx.notify(CONTACT_CHANGED);
  return { ...contact, ...stored };
}

/** The person agreed again, to other terms: source and time of the first opt-in stay, the log has both. */
function storeTerms(tx: Tx, contact: Contact, why: ConsentEvidence): Contact {
  logConsent(tx, contact, "opted_in", why);
  setUpdatedAt(tx).run({ id: contact.id, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  return { ...contact, updatedAt: tx.now };
}
