/**
 * Doubt: a person may want to stop, but did not clearly say so. While it lasts, no send is recorded as consent and
 * no marketing is sent. Linked contacts share it. It ends when a user clears it, when the person sends START, or with an
 * opt-out. Also the refusals that doubt and an opt-out cause.
 */
import { formatInstant } from "#src/core/instant.ts";
import { notFound, Problem } from "#src/core/problem.ts";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { publish } from "../webhooks/publish.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import { type ContactLookup, getContact, listLinkedContacts, lookUpContact } from "./find.ts";
import { CONTACT_CHANGED, type Contact, contacts } from "./table.ts";
import { viewContact } from "./view.ts";

interface Doubt {
  /** What the person wrote. */
  text: string;
  /** The network's time. */
  saidAt: number;
  /** Publishes no event: the person wrote it before the number was connected. */
  isSilent?: boolean;
}

/** Publishes the event only if there was no doubt before. Nothing changes if the person has sent START since. */
export function raiseDoubt(tx: Tx, workspace: Workspace, contact: Contact, doubt: Doubt): Contact {
  const { text, saidAt, isSilent = false } = doubt;
  if ((contact.startSaidAt ?? -1) > saidAt) return contact;
  for (const one of [contact, ...listLinkedContacts(tx, contact)]) {
    // The time is stored for a person who has opted out too: it is compared with a START that arrives later.
    const mayWantToStopSaidAt = Math.max(one.mayWantToStopSaidAt ?? 0, saidAt);
    const isNew = one.mayWantToStopSince === null && one.consent !== "opted_out";
    const since = isNew ? { mayWantToStopSince: saidAt, updatedAt: tx.now } : {};
    updateRows(tx, contacts, { id: one.id }, { mayWantToStopSaidAt, ...since });
  }
  tx.notify(CONTACT_CHANGED);
  const doubtful = getContact(tx, workspace.id, contact.id);
  if (!isSilent && contact.mayWantToStopSince === null && doubtful.mayWantToStopSince !== null) {
    publish(tx, workspace, "contact.may_want_to_stop", { contact: viewContact(tx, doubtful, workspace), text });
  }
  return doubtful;
}

/** A user has read what the person wrote, and keeps the person. Nothing else changes. */
export function clearDoubt(tx: Tx, workspace: Workspace, contact: Contact): Contact {
  for (const one of [contact, ...listLinkedContacts(tx, contact)]) {
    if (one.mayWantToStopSince === null) continue;
    const cleared = { mayWantToStopSince: null, mayWantToStopSaidAt: null, updatedAt: tx.now };
    updateRows(tx, contacts, { id: one.id }, cleared);
  }
  tx.notify(CONTACT_CHANGED);
  return getContact(tx, workspace.id, contact.id);
}

/** The same for the person with a number that a caller wrote. Throws `not_found`. */
export function clearDoubtOf(tx: Tx, workspace: Workspace, number: string): Contact {
  const contact = lookUpContact(tx, workspace.id, number, workspace.country)?.contact;
  if (contact == null) throw notFound("contact");
  return clearDoubt(tx, workspace, contact);
}

/** Throws `opted_out` with the date, also for a person who was erased after opting out. */
export function requireNotOptedOut(
  tx: ReadTx,
  workspace: Workspace,
  { contact, phone, networkUserId }: ContactLookup,
): void {
  const since =
    contact === null
      ? findErasedOptOut(tx, workspace.id, phone, networkUserId)
      : contact.consent === "opted_out"
        ? (contact.consentAt ?? contact.updatedAt)
        : null;
  if (since === null) return;
  throw new Problem(
    "opted_out",
    `This person opted out on ${formatInstant(since, workspace.timezone).slice(0, 10)} and can only opt in again by sending START.`,
    { since, timezone: workspace.timezone },
  );
}

/** Throws `opted_out` with the date while the person may want to stop: no marketing. */
export function requireNoDoubt(workspace: Workspace, contact: Contact | null): void {
  const since = contact?.mayWantToStopSince ?? null;
  if (since === null) return;
  const { timezone } = workspace;
  throw new Problem(
    "opted_out",
    `What this person wrote on ${formatInstant(since, timezone).slice(0, 10)} may mean that they want to stop. Until a person clears that in the console, marketing waits.`,
    { since, timezone },
  );
}
