/**
 * The people of a broadcast's list: who each number is, and who is left out and why, in the order in which they stand.
 * It writes nothing; making a broadcast and looking at one beforehand share it.
 */
import { otherSpelling } from "#src/core/phone.ts";
import type { Reading } from "#src/db/transaction.ts";
import { findErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { type FoundPerson, findPerson } from "../contacts/find.ts";
import { personOf } from "../contacts/identity.ts";
import { isReached, leftUnderCap } from "../messages/daily-cap.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { SkipReason } from "./skip.ts";
import { type BroadcastVariables, requiredFields, resolveValues } from "./values.ts";

export interface Judged {
  /** As the caller wrote it. */
  input: string;
  /** Null: it is no phone number. */
  person: FoundPerson | null;
  skip: Skip | null;
}

export interface Skip {
  reason: SkipReason;
  /** Of an opt-out: since when. */
  since: number | null;
  /** Of a missing value: the field. */
  detail: string | null;
}

export interface JudgeOptions {
  workspace: Workspace;
  variables: BroadcastVariables;
  /** False where it is judged at the start, and when each one's turn comes. */
  underCap: boolean;
}

export function judgePeople(reading: Reading, to: readonly string[], options: JudgeOptions): Judged[] {
  const { workspace, variables } = options;
  const seen = new Set<string>();
  const needsFields = requiredFields(variables).length > 0;
  let left = options.underCap ? leftUnderCap(reading, workspace) : null;
  return to.map((input) => {
    const person = findPerson(reading, workspace.id, input, workspace.country);
    const skip = (reason: SkipReason, more: Partial<Skip> = {}): Judged => ({
      input,
      person,
      skip: { reason, since: null, detail: null, ...more },
    });
    if (person === null) return skip("invalid_number");
    const names = namesOf(person);
    if (names.some((name) => seen.has(name))) return skip("duplicate");
    for (const name of names) seen.add(name);
    const since = optedOutSince(reading, workspace.id, person);
    if (since !== null) return skip("opted_out", { since });
    if (needsFields) {
      const resolved = resolveValues(reading, variables, person.contact);
      if ("missing" in resolved) return skip("missing_variable", { detail: resolved.missing });
    }
    const isCounted = person.contact !== null && isReached(reading, workspace.id, personOf(person.contact));
    if (left !== null && !isCounted) {
      if (left === 0) return skip("daily_cap");
      left -= 1;
    }
    return { input, person, skip: null };
  });
}

/** By what the same person would be recognised: linked contacts are one, and so are two spellings of a number. */
function namesOf({ contact, phone }: FoundPerson): string[] {
  if (contact !== null) return [`person ${personOf(contact)}`];
  const other = otherSpelling(phone);
  return other === null ? [phone] : [phone, other];
}

function optedOutSince(reading: Reading, workspaceId: number, { contact, phone }: FoundPerson): number | null {
  if (contact === null) return findErasedOptOut(reading, workspaceId, phone);
  return contact.consent === "opted_out" ? (contact.consentAt ?? contact.updatedAt) : null;
}
