/**
 * The append-only log of consent changes, each with its evidence. It also records an opt-out that follows one by the
 * network's marketing control, which changes nothing that is shown.
 */
import { and, desc, eq, inArray, lt } from "drizzle-orm";
import { listSome } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { ownConsentTerms } from "../workspaces/consent-terms.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { Consent, ConsentSource } from "./consent.ts";
import { insertConsentChanges } from "./detail-statements.ts";
import { insertConsentLog, latestConsentEvidence } from "./statements.ts";
import { type Contact, consentLog, contactJoins } from "./table.ts";

export interface ConsentEvidence {
  source: ConsentSource;
  /**
   * When consent was recorded, if before now: a newly linked contact takes the time of the opt-out that it inherits.
   */
  at?: number;
  /** The evidence: ids of the message, import or key; never the text itself. */
  evidence: Record<string, unknown>;
}

/** What the person was told when they agreed; members of the evidence. */
export interface ConsentTerms {
  /** What the messages are for. */
  purpose: string | null;
  /** The text that was shown, or its version. */
  notice: string | null;
}

function termsIn(evidence: Readonly<Record<string, unknown>>): ConsentTerms {
  const read = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return { purpose: read(evidence.purpose), notice: read(evidence.notice) };
}

/** The terms of the opt-in that holds. */
export function readConsentTerms(tx: ReadTx, { id, consent }: Pick<Contact, "id" | "consent">): ConsentTerms {
  const latest = consent === "opted_in" ? latestConsentEvidence(tx).get({ contactId: id }) : undefined;
  return termsIn(latest?.evidence ?? {});
}

/** Whether an opt-in names other terms than the stored one. Without any, it repeats the stored one. */
export function hasOtherTerms(tx: ReadTx, contact: Pick<Contact, "id" | "consent">, why: ConsentEvidence): boolean {
  const { purpose, notice } = termsIn(why.evidence);
  if (contact.consent !== "opted_in" || (purpose === null && notice === null)) return false;
  const stored = readConsentTerms(tx, contact);
  return stored.purpose !== purpose || stored.notice !== notice;
}

/** The evidence of a new opt-in: with the workspace's purpose and notice, if it names neither. */
export function withOwnTerms(workspace: Pick<Workspace, "purpose" | "notice">, why: ConsentEvidence): ConsentEvidence {
  const { purpose, notice } = termsIn(why.evidence);
  if (purpose !== null || notice !== null) return why;
  return { ...why, evidence: { ...why.evidence, ...ownConsentTerms(workspace) } };
}

type ConsentChange = typeof consentLog.$inferSelect;

const CHANGES_SHOWN = 100;

/** The contact and those that were joined into it, whose evidence counts too; at most 100. */
function withJoined(tx: ReadTx, contactId: number): number[] {
  const ids = [contactId];
  for (const id of ids) {
    if (ids.length >= CHANGES_SHOWN) break;
    const joins = tx.db
      .select({ id: contactJoins.goneId })
      .from(contactJoins)
      .where(eq(contactJoins.contactId, id))
      .limit(CHANGES_SHOWN)
      .all();
    ids.push(...joins.map((join) => join.id).filter((gone) => !ids.includes(gone)));
  }
  return ids;
}

/** The newest 100 changes, newest first. */
export function listConsentChanges(tx: ReadTx, contactId: number): ConsentChange[] {
  return listSome(
    tx,
    consentLog,
    inArray(consentLog.contactId, withJoined(tx, contactId)),
    CHANGES_SHOWN,
    desc(consentLog.id),
  );
}

/** The changes below an id, newest first. */
export function listConsentBefore(tx: ReadTx, contactId: number, beforeId: number, limit: number): ConsentChange[] {
  return tx.db
    .select()
    .from(consentLog)
    .where(and(inArray(consentLog.contactId, withJoined(tx, contactId)), lt(consentLog.id, beforeId)))
    .orderBy(desc(consentLog.id))
    .limit(limit)
    .all();
}

/** The change of a contact from `was` to the consent that it has now. */
export interface NewConsentChange {
  contact: Pick<Contact, "id" | "workspaceId" | "consent">;
  was: Consent;
  why: ConsentEvidence;
}

/** Appends the change from `was` to the contact's current consent. */
export function logConsent(tx: Tx, contact: NewConsentChange["contact"], was: Consent, why: ConsentEvidence): void {
  insertConsentLog(tx).run(entryOf(tx, { contact, was, why }));
}

/** Appends many changes in few statements, in their order. */
export function logConsents(tx: Tx, changes: readonly NewConsentChange[]): void {
  insertConsentChanges(
    tx,
    changes.map((change) => entryOf(tx, change)),
  );
}

function entryOf(tx: Tx, { contact, was, why }: NewConsentChange): Omit<ConsentChange, "id"> {
  return {
    workspaceId: contact.workspaceId,
    contactId: contact.id,
    was,
    became: contact.consent,
    source: why.source,
    evidence: why.evidence,
    at: tx.now,
  };
}
