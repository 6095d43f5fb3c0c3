/**
 * Creates or updates a contact. Only given fields change, and a contact that ends up equal does not count as changed.
 * Everything is validated before anything is written.
 */
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { isDynamic } from "../groups/group.ts";
import { addMember, findOrCreateStaticGroup, removeMember } from "../groups/membership.ts";
import { findGroup, findGroupByName, listGroupsOfContact } from "../groups/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import { type ConsentEvidence, type ConsentTerms, withOwnTerms } from "./consent-log.ts";
import { createPerson } from "./create.ts";
import { type FieldValue, findValueProblem, givenValue, readValue, storeValue } from "./custom-field.ts";
import { findField, listFields } from "./custom-fields.ts";
import { deleteValue, storedValue, upsertValue } from "./detail-statements.ts";
import { addTag, listTags, removeTag } from "./details.ts";
import { clearDoubt, requireNotOptedOut } from "./doubt.ts";
import { type ContactLookup, getContact, requirePerson } from "./find.ts";
import { type NewPerson, replacePeople } from "./people.ts";
import { fullProfile, type Profile } from "./profile.ts";
import { profileColumns } from "./profile-fields.ts";
import { setUpdatedAt, updateProfile } from "./statements.ts";
import { CONTACT_CHANGED, type Contact, type CustomField } from "./table.ts";

/** An omitted field stays unchanged; null clears it. The caller checks shapes; this module checks meaning. */
export interface ContactChanges {
  profile?: Profile;
  /** By key, merged with the stored fields; null clears one. */
  fields?: Record<string, unknown>;
  /** The complete list; it replaces the stored one. */
  people?: NewPerson[];
  addTags?: string[];
  removeTags?: string[];
  /** A number is an id, a string always a name. */
  addToGroups?: (number | string)[];
  removeFromGroups?: (number | string)[];
  consent?: "opted_in" | "opted_out";
  /** The caller asked the person, who wants to keep receiving messages. */
  endsDoubt?: true;
  /** What the person was told; only with an opt-in. */
  terms?: Partial<ConsentTerms>;
  /** The evidence is another system's: an opt-in without terms stays without. */
  keepsTerms?: true;
}

interface PutResult {
  contact: Contact;
  isNew: boolean;
  isChanged: boolean;
}

/** The contact with a number that a caller wrote. Mistakes in the changes are reported before mistakes in the number. */
export function putContactOf(
  tx: Tx,
  workspace: Workspace,
  number: string,
  changes: ContactChanges,
  why: ConsentEvidence,
): PutResult {
  requireValidChanges(tx, workspace.id, changes);
  return putContact(tx, workspace, requirePerson(tx, workspace, number), changes, why);
}

/**
 * Throws `invalid_request` with the path of each mistake, and `opted_out` for an opt-in of a person who opted out: only
 * that person can lift the opt-out.
 */
export function putContact(
  tx: Tx,
  workspace: Workspace,
  person: ContactLookup,
  changes: ContactChanges,
  by: ConsentEvidence,
): PutResult {
  const given = { ...by, evidence: { ...by.evidence, ...changes.terms } };
  // An opt-in that repeats one says nothing of what the person was told.
  const isNewOptIn = changes.consent === "opted_in" && person.contact?.consent !== "opted_in";
  const why = isNewOptIn && changes.keepsTerms !== true ? withOwnTerms(workspace, given) : given;
  const values = requireValidChanges(tx, workspace.id, changes);
  if (changes.consent === "opted_in") requireNotOptedOut(tx, workspace, person);

  const isNew = person.contact === null;
  const { profile = {} } = changes;
  const optIn = changes.consent === "opted_in" ? { optIn: why } : {};
  const before = person.contact ?? createPerson(tx, workspace.id, person, { profile, ...optIn });
  const isChanged = [
    changeProfile(tx, before, profile),
    changeFields(tx, before.id, values),
    changes.people !== undefined && replacePeople(tx, before.id, changes.people),
    changeTags(tx, workspace.id, before.id, changes),
    changeGroups(tx, workspace.id, before.id, changes),
  ].some(Boolean);
  if (isChanged) touchContact(tx, before.id);
  const changed = isChanged ? getContact(tx, workspace.id, before.id) : before;
  // Consent changes last, so that the event of an opt-out shows the contact as this request leaves it.
  const isDoubtEnded = changes.endsDoubt === true && changed.mayWantToStopSince !== null;
  const sure = isDoubtEnded ? clearDoubt(tx, workspace, changed) : changed;
  const contact = moveConsent(tx, workspace, sure, changes.consent, why);
  return { contact, isNew, isChanged: isNew || isChanged || contact !== changed };
}

function moveConsent(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  consent: ContactChanges["consent"],
  why: ConsentEvidence,
): Contact {
  if (consent === undefined) return contact;
  const move = consent === "opted_in" ? ({ kind: "opt_in", isStated: true } as const) : ({ kind: "opt_out" } as const);
  return changeConsent(tx, workspace, contact, move, why);
}

/** Marks the contact as changed. Call it when anything that the API shows of the contact has changed. */
export function touchContact(tx: Tx, contactId: number): void {
  setUpdatedAt(tx).run({ id: contactId, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
}

/** Custom fields with their validated values; null clears one. */
type FieldValues = { field: CustomField; value: FieldValue | null }[];

/** Validates what depends on stored data, without writing. Throws `invalid_request` with the path of each mistake. */
export function requireValidChanges(tx: ReadTx, workspaceId: number, changes: ContactChanges): FieldValues {
  const problems: FieldProblems = {};
  const values: FieldValues = [];
  for (const [key, given] of Object.entries(changes.fields ?? {})) {
    const field = findField(tx, workspaceId, key);
    const value = givenValue(field, given);
    const problem =
      field === undefined
        ? unknownName(
            "There is no custom field of this name; an operator can add one.",
            key,
            listFields(tx, workspaceId).map((known) => known.key),
          )
        : value === null
          ? null
          : findValueProblem(field, value);
    if (problem !== null) problems[`fields.${key}`] = [problem];
    else if (field !== undefined) values.push({ field, value: value as FieldValue | null });
  }
  checkGroups(tx, workspaceId, "add_to_groups", changes.addToGroups ?? [], problems);
  checkGroups(tx, workspaceId, "remove_from_groups", changes.removeFromGroups ?? [], problems);
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return values;
}

function checkGroups(
  tx: ReadTx,
  workspaceId: number,
  path: string,
  groupNames: (number | string)[],
  problems: FieldProblems,
): void {
  groupNames.forEach((name, index) => {
    const group = typeof name === "number" ? findGroup(tx, workspaceId, name) : findGroupByName(tx, workspaceId, name);
    if (typeof name === "number" && group === undefined) {
      problems[`${path}.${index}`] = [{ rule: "not_found", sentence: `There is no group ${name}.` }];
    } else if (group !== undefined && isDynamic(group)) {
      problems[`${path}.${index}`] = [`${group.name} is a dynamic group; contacts cannot be added to it or removed.`];
    }
  });
}

function changeProfile(tx: Tx, contact: Contact, profile: Profile): boolean {
  const merged = fullProfile(contact, profile);
  if (profileColumns.every((column) => merged[column] === contact[column])) return false;
  updateProfile(tx).run({ id: contact.id, ...merged });
  return true;
}

function changeFields(tx: Tx, contactId: number, values: FieldValues): boolean {
  let isChanged = false;
  for (const { field, value } of values) {
    const stored = storedValue(tx).get({ contactId, fieldId: field.id });
    const current = stored === undefined ? null : readValue(field.kind, stored);
    if (current === value) continue;
    isChanged = true;
    if (value === null) deleteValue(tx).run({ contactId, fieldId: field.id });
    else upsertValue(tx).run({ contactId, fieldId: field.id, ...storeValue(value) });
  }
  return isChanged;
}

/**
 * Adds first, then removes: a tag in both lists ends up removed. Returns whether the contact's tags differ from before.
 */
function changeTags(
  tx: Tx,
  workspaceId: number,
  contactId: number,
  { addTags = [], removeTags = [] }: ContactChanges,
): boolean {
  if (addTags.length === 0 && removeTags.length === 0) return false;
  const before = listTags(tx, contactId);
  for (const name of addTags) addTag(tx, workspaceId, contactId, name);
  for (const name of removeTags) removeTag(tx, workspaceId, contactId, name);
  return JSON.stringify(before) !== JSON.stringify(listTags(tx, contactId));
}

function changeGroups(tx: Tx, workspaceId: number, contactId: number, changes: ContactChanges): boolean {
  const { addToGroups = [], removeFromGroups = [] } = changes;
  if (addToGroups.length === 0 && removeFromGroups.length === 0) return false;
  const before = listGroupsOfContact(tx, contactId);
  for (const name of addToGroups) {
    addMember(tx, typeof name === "number" ? name : findOrCreateStaticGroup(tx, workspaceId, name).id, contactId);
  }
  for (const name of removeFromGroups) {
    const groupId = typeof name === "number" ? name : findGroupByName(tx, workspaceId, name)?.id;
    if (groupId !== undefined) removeMember(tx, groupId, contactId);
  }
  const after = listGroupsOfContact(tx, contactId);
  return before.map(({ id }) => id).join() !== after.map(({ id }) => id).join();
}
