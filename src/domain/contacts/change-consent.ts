/**
 * Moves a person's consent: the row, the log that nothing ever edits, and the customer's event. Contacts that are one
 * person move together.
 */
import { and, eq, ne, sql } from "drizzle-orm";
import type { E164 } from "#src/primitives/phone.ts";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { publish } from "../webhooks/publish.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type ConsentMove, type ConsentSource, decideConsent, rememberWords } from "./consent.ts";
import { forgetErasedOptOut } from "./erased.ts";
import { type Contact, consentLog, contacts } from "./table.ts";
import { viewContact } from "./view.ts";

export interface ConsentEvidence {
  source: ConsentSource;
  /** When it was recorded, where that was before now: an opt-out that a newly linked contact takes over. */
  at?: number;
  /** What proves it: ids of the message, import, key …; never the text itself. */
  evidence: Record<string, unknown>;
}

/** Applies the move to the contact and everybody linked to it. Returns the contact as it is afterwards. */
export function changeConsent(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  move: ConsentMove,
  why: ConsentEvidence,
): Contact {
  const changed = moveOne(tx, workspace, contact, move, why);
  // An opt-in by our side is evidence for the number it was given for, not for the person's other ones.
  if (move.kind !== "opt_in" && contact.personId !== null) {
    for (const linked of linkedContacts(tx, contact)) moveOne(tx, workspace, linked, move, why);
  }
  return changed;
}

const update = statement((db) =>
  db
    .update(contacts)
    .set({
      consent: sql`${sql.placeholder("consent")}`,
      consentSource: sql`${sql.placeholder("source")}`,
      consentAt: sql`${sql.placeholder("at")}`,
      stopSaidAt: sql`${sql.placeholder("stopSaidAt")}`,
      startSaidAt: sql`${sql.placeholder("startSaidAt")}`,
      updatedAt: sql`${sql.placeholder("now")}`,
    })
    .where(and(eq(contacts.id, sql.placeholder("id")), eq(contacts.consent, sql.placeholder("was"))))
    .returning()
    .prepare(),
);

const insertLog = statement((db) =>
  db
    .insert(consentLog)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      contactId: sql.placeholder("contactId"),
      was: sql.placeholder("was"),
      became: sql.placeholder("became"),
      source: sql.placeholder("source"),
      evidence: sql.placeholder("evidence"),
      at: sql.placeholder("at"),
    })
    .prepare(),
);

function moveOne(tx: Tx, workspace: Workspace, contact: Contact, move: ConsentMove, why: ConsentEvidence): Contact {
  const became = decideConsent(contact, move);
  const words = rememberWords(contact, move);
  if (became === null) return remember(tx, contact, words);
  const was = contact.consent;
  const { source, at = tx.now } = why;
  const changed = update(tx).get({ id: contact.id, was, consent: became, source, at, now: tx.now, ...words });
  // Nobody else can have moved it: the contact was read in this transaction.
  if (changed === undefined) throw new Error(`contact ${contact.id} was not ${was} any more`);
  insertLog(tx).run({
    workspaceId: workspace.id,
    contactId: contact.id,
    was,
    became,
    source: why.source,
    evidence: why.evidence,
    at: tx.now,
  });
  if (became === "opted_out")
    publish(tx, workspace, "contact.opted_out", { contact: viewContact(tx, changed, workspace) });
  if (was === "opted_out" && changed.phone !== null) forgetErasedOptOut(tx, workspace.id, changed.phone as E164);
  if (was === "opted_out") publish(tx, workspace, "contact.opted_in", { contact: viewContact(tx, changed, workspace) });
  return changed;
}

/** What the person said counts later, too, although it changes nothing that anybody is shown now. */
function remember(tx: Tx, contact: Contact, words: Pick<Contact, "stopSaidAt" | "startSaidAt">): Contact {
  if (words.stopSaidAt === contact.stopSaidAt && words.startSaidAt === contact.startSaidAt) return contact;
  tx.db.update(contacts).set(words).where(eq(contacts.id, contact.id)).run();
  return { ...contact, ...words };
}

function linkedContacts(tx: Tx, contact: Contact): Contact[] {
  if (contact.personId === null) return [];
  return tx.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.personId, contact.personId), ne(contacts.id, contact.id)))
    .all();
}
