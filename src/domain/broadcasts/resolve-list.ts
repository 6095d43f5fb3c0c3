/**
 * Resolves the recipients of a broadcast's list: the contact behind each number, and who is skipped and why, in the
 * order of the list. It writes nothing; creating and previewing a broadcast share it.
 */
import { otherVariant } from "#src/core/phone.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { type ContactLookup, lookUpContact } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { isRecentRecipient, remainingUnderCap } from "../messages/daily-cap.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { SkipReason } from "./skip.ts";
import { type BroadcastVariables, requiredFields, resolveValues } from "./values.ts";

export interface ResolvedRecipient {
  /** As the caller wrote it. */
  input: string;
  /** Null: it is not a phone number. */
  contactLookup: ContactLookup | null;
  skip: Skip | null;
}

interface Skip {
  reason: SkipReason;
  /** For an opt-out or a doubt: since when. */
  since: number | null;
  /** For a missing value: the name of the field. */
  detail: string | null;
}

interface ResolveOptions {
  workspace: Workspace;
  variables: BroadcastVariables;
  /** False where the cap is checked later, as for a scheduled broadcast. */
  isCapChecked: boolean;
}

export function resolveList(tx: ReadTx, to: readonly string[], options: ResolveOptions): ResolvedRecipient[] {
  const { workspace, variables } = options;
  const seen = new Set<string>();
  const needsFields = requiredFields(variables).length > 0;
  const findMissing = (contact: Contact | null): string | null => {
    const resolved = needsFields ? resolveValues(tx, variables, contact) : null;
    return resolved !== null && "missing" in resolved ? resolved.missing : null;
  };
  let capRemaining = options.isCapChecked ? remainingUnderCap(tx, workspace) : null;
  const isOverCap = (contact: Contact | null): boolean => {
    if (capRemaining === null) return false;
    if (contact !== null && isRecentRecipient(tx, workspace.id, identityOf(contact))) return false;
    capRemaining -= 1;
    return capRemaining < 0;
  };
  return to.map((input) => {
    const contactLookup = lookUpContact(tx, workspace.id, input, workspace.country);
    const skip = (reason: SkipReason, more: Partial<Skip> = {}): ResolvedRecipient => ({
      input,
      contactLookup,
      skip: { reason, since: null, detail: null, ...more },
    });
    if (contactLookup === null) return skip("invalid_number");
    const keys = identityKeys(contactLookup);
    if (keys.some((key) => seen.has(key))) return skip("duplicate");
    for (const key of keys) seen.add(key);
    const since = optedOutSince(tx, workspace.id, contactLookup);
    if (since !== null) return skip("opted_out", { since });
    const { contact } = contactLookup;
    if (contact !== null && contact.mayWantToStopSince !== null) {
      return skip("may_want_to_stop", { since: contact.mayWantToStopSince });
    }
    const missing = findMissing(contact);
    if (missing !== null) return skip("missing_variable", { detail: missing });
    if (isOverCap(contact)) return skip("daily_cap");
    return { input, contactLookup, skip: null };
  });
}

/** Keys that identify a person: linked contacts share one, and so do two variants of a number. */
function identityKeys({ contact, phone }: ContactLookup): string[] {
  if (contact !== null) return [`person ${identityOf(contact)}`];
  const other = otherVariant(phone);
  return other === null ? [phone] : [phone, other];
}

function optedOutSince(tx: ReadTx, workspaceId: number, { contact, phone }: ContactLookup): number | null {
  if (contact === null) return findErasedOptOut(tx, workspaceId, phone);
  return contact.consent === "opted_out" ? (contact.consentAt ?? contact.updatedAt) : null;
}
