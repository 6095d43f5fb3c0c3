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
import { findAddressProblem } from "../messages/plan.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Template } from "../templates/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { describeReached, findReached, listRepeated, type Repeats } from "./again.ts";
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
  /** For a missing value: the name of the field. For a user id that does not do, or who is reached already: why. */
  detail: string | null;
}

interface ResolveOptions {
  workspace: Workspace;
  /** Null: user ids are not checked. */
  address: { sender: SendingNumber; template: Template } | null;
  variables: BroadcastVariables;
  /** False where the cap is checked later, as for a scheduled broadcast. */
  isCapChecked: boolean;
  /** What the broadcast repeats. Absent: nothing. */
  again?: Repeats | undefined;
}

export function resolveList(tx: ReadTx, to: readonly string[], options: ResolveOptions): ResolvedRecipient[] {
  const { workspace, variables, address } = options;
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
  const findUnfit = (lookup: ContactLookup): string | null =>
    address === null ? null : findAddressProblem(tx, lookup, address.sender, address.template);
  const isRepeated = (lookup: ContactLookup): boolean => {
    const keys = identityKeys(lookup);
    if (keys.some((key) => seen.has(key))) return true;
    for (const key of keys) seen.add(key);
    return false;
  };
  const { again = { againOf: null, isAgainUnknown: false } } = options;
  const family = listRepeated(tx, again);
  const findReachedBefore = (contact: Contact | null): Skip | null => {
    const reachedBy = contact === null ? null : findReached(tx, again, family, contact);
    return reachedBy === null ? null : skipFor("duplicate", { detail: describeReached(reachedBy) });
  };
  const findSkip = (lookup: ContactLookup): Skip | null => {
    const unfit = findUnfit(lookup);
    if (unfit !== null) return skipFor("invalid_number", { detail: unfit });
    if (isRepeated(lookup)) return skipFor("duplicate");
    const { contact } = lookup;
    const kept = findReachedBefore(contact) ?? findUnwilling(tx, workspace.id, lookup);
    if (kept !== null) return kept;
    const missing = findMissing(contact);
    if (missing !== null) return skipFor("missing_variable", { detail: missing });
    return isOverCap(contact) ? skipFor("daily_cap") : null;
  };
  return to.map((input) => {
    const contactLookup = lookUpContact(tx, workspace.id, input, workspace.country);
    const skip = contactLookup === null ? skipFor("invalid_number") : findSkip(contactLookup);
    return { input, contactLookup, skip };
  });
}

function skipFor(reason: SkipReason, more: Partial<Skip> = {}): Skip {
  return { reason, since: null, detail: null, ...more };
}

/** Keys that identify a person: linked contacts share one, and so do two variants of a number. */
function identityKeys({ contact, phone, networkUserId }: ContactLookup): string[] {
  if (contact !== null) return [`person ${identityOf(contact)}`];
  if (phone === null) return [networkUserId ?? ""];
  const other = otherVariant(phone);
  return other === null ? [phone] : [phone, other];
}

/** Opted out, or may want to. */
function findUnwilling(tx: ReadTx, workspaceId: number, lookup: ContactLookup): Skip | null {
  const since = optedOutSince(tx, workspaceId, lookup);
  if (since !== null) return skipFor("opted_out", { since });
  const doubtSince = lookup.contact?.mayWantToStopSince ?? null;
  return doubtSince === null ? null : skipFor("may_want_to_stop", { since: doubtSince });
}

function optedOutSince(tx: ReadTx, workspaceId: number, lookup: ContactLookup): number | null {
  const { contact, phone, networkUserId } = lookup;
  if (contact === null) return findErasedOptOut(tx, workspaceId, phone, networkUserId);
  return contact.consent === "opted_out" ? (contact.consentAt ?? contact.updatedAt) : null;
}
