/**
 * Inserts many new contacts in few statements. The result equals `putContact` for each row, but state shared by the
 * rows is read once. Only for contacts with no known identifier; the caller passes every other row, and every row that
 * `add` rejects, to `putContact`, which reports why. A batch lives for one operation, because its cached state is valid
 * only then.
 */
import type { E164 } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { isDynamic } from "../groups/group.ts";
import { addNewMembers, findOrCreateStaticGroup } from "../groups/membership.ts";
import { findGroupByName } from "../groups/read.ts";
import { hasOpenErasures } from "./being-erased.ts";
import { type ConsentEvidence, logConsents, type NewConsentChange } from "./consent-log.ts";
import { type FieldValue, findValueProblem, givenValue, storeValue } from "./custom-field.ts";
import { listFields } from "./custom-fields.ts";
import { insertContacts, insertTaggings, insertValue } from "./detail-statements.ts";
import { findOrCreateTag } from "./details.ts";
import { findErasedOptOut, hasErasedOptOuts } from "./erased-opt-outs.ts";
import { type ContactIdentifiers, findKnownIdentifiers } from "./find.ts";
import { fullProfile, type Profile } from "./profile.ts";
import type { ContactChanges } from "./put.ts";
import { lastContactId } from "./statements.ts";
import type { CustomField } from "./table.ts";

interface NewContactRow {
  person: ContactIdentifiers;
  changes: Pick<ContactChanges, "profile" | "fields" | "addTags" | "addToGroups">;
  optIn: ConsentEvidence | null;
}

interface Pending {
  phone: E164;
  profile: Profile;
  values: { field: CustomField; value: FieldValue }[];
  tagIds: number[];
  groupIds: number[];
  optIn: ConsentEvidence | null;
}

/** Tags and opt-ins are written together, because a statement takes several of them. More would make one step too long. */
const DETAILS_AT_ONCE = 256;

export class NewContactBatch {
  readonly #tx: Tx;
  readonly #workspaceId: number;
  readonly #known = new Set<string>();
  readonly #fields: Map<string, CustomField>;
  /** By name as the caller writes it; others may be of the same tag. */
  readonly #tagIds = new Map<string, number>();
  readonly #staticGroups = new Map<string, number | null>();
  readonly #hasErased: boolean;
  /** A person is being erased: contacts are created one at a time, which checks who each is. */
  readonly #isErasing: boolean;
  #pending: Pending[] = [];
  /** What belongs to contacts that are written. */
  #members: { groupId: number; contactId: number }[] = [];
  #taggings: { contactId: number; tagId: number }[] = [];
  #optIns: NewConsentChange[] = [];
  /** Of the next contact; null: others may have been created since the last one. */
  #nextId: number | null = null;

  constructor(tx: Tx, workspaceId: number) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
    this.#fields = new Map(listFields(tx, workspaceId).map((field) => [field.key, field]));
    this.#hasErased = hasErasedOptOuts(tx, workspaceId);
    this.#isErasing = hasOpenErasures(tx, workspaceId);
  }

  /**
   * Loads which of these identifiers are known. Must be called with the identifiers of every row before that row is
   * added.
   */
  loadKnown(identifiers: readonly string[]): void {
    for (const name of findKnownIdentifiers(this.#tx, this.#workspaceId, identifiers)) this.#known.add(name);
  }

  /** Queues a new contact for `write`. Returns false if the row must go to `putContact`; nothing has changed then. */
  add({ person: { phone, identifiers }, changes, optIn }: NewContactRow): boolean {
    if (phone === null || identifiers.some((name) => this.#known.has(name))) return false;
    if (this.#isErasing) return false;
    if (this.#hasErased && findErasedOptOut(this.#tx, this.#workspaceId, phone) !== null) return false;
    const { profile = {}, fields, addTags = [], addToGroups = [] } = changes;
    const values = fields === undefined ? [] : this.#readFields(fields);
    if (values === null || addToGroups.some((name) => this.#findStaticGroup(name) === null)) return false;
    const tagIds = distinct(addTags, (name) => this.#tagId(name));
    const groupIds = distinct(addToGroups, (name) => this.#staticGroupId(name));
    this.#pending.push({ phone, profile, values, tagIds, groupIds, optIn });
    this.markKnown(identifiers);
    return true;
  }

  /** Marks identifiers as taken, because another contact has them or may have them. */
  markKnown(identifiers: readonly string[]): void {
    for (const name of identifiers) this.#known.add(name);
  }

  /** Writes all queued contacts and what belongs to them. Call it before any other write of the operation. */
  writeAll(): void {
    this.write();
    this.#writeDetails(1);
    addNewMembers(this.#tx, this.#members);
    this.#members = [];
    this.#nextId = null;
  }

  /** Writes all queued contacts. Their tags, opt-ins and groups may wait for those of more contacts, until `writeAll`. */
  write(): void {
    if (this.#pending.length === 0) return;
    const tx = this.#tx;
    const workspaceId = this.#workspaceId;
    const firstId = this.#nextId ?? (lastContactId(tx).get()?.id ?? 0) + 1;
    const people = this.#pending;
    this.#pending = [];
    this.#nextId = firstId + people.length;
    insertContacts(
      tx,
      people.map(({ phone, profile, optIn }, index) =>
        Object.assign(fullProfile(null, profile), {
          id: firstId + index,
          workspaceId,
          phone,
          consent: optIn === null ? ("unknown" as const) : ("opted_in" as const),
          consentSource: optIn?.source ?? null,
          consentAt: optIn === null ? null : tx.now,
          createdAt: tx.now,
          updatedAt: tx.now,
        }),
      ),
    );
    for (const [index, { groupIds, values, tagIds, optIn }] of people.entries()) {
      const contactId = firstId + index;
      for (const groupId of groupIds) this.#members.push({ groupId, contactId });
      for (const { field, value } of values) {
        insertValue(tx).run({ contactId, fieldId: field.id, ...storeValue(value) });
      }
      for (const tagId of tagIds) this.#taggings.push({ contactId, tagId });
      if (optIn === null) continue;
      this.#optIns.push({ contact: { id: contactId, workspaceId, consent: "opted_in" }, was: "unknown", why: optIn });
    }
    this.#writeDetails(DETAILS_AT_ONCE);
  }

  /** Writes the tags, and the opt-ins, if there are at least `min` of them. */
  #writeDetails(min: number): void {
    if (this.#taggings.length >= min) {
      insertTaggings(this.#tx, this.#taggings);
      this.#taggings = [];
    }
    if (this.#optIns.length >= min) {
      logConsents(this.#tx, this.#optIns);
      this.#optIns = [];
    }
  }

  /** Returns null if one of the fields is unknown or its value invalid. */
  #readFields(fields: Record<string, unknown>): Pending["values"] | null {
    const values: Pending["values"] = [];
    for (const [key, given] of Object.entries(fields)) {
      const field = this.#fields.get(key);
      const value = givenValue(field, given);
      if (field === undefined || value === null || findValueProblem(field, value) !== null) return null;
      values.push({ field, value: value as FieldValue });
    }
    return values;
  }

  /** Undefined: no group has this name yet. Null: contacts cannot be added to this group. */
  #findStaticGroup(name: string | number): number | null | undefined {
    if (typeof name === "number") return null;
    const known = this.#staticGroups.get(name);
    if (known !== undefined) return known;
    const group = findGroupByName(this.#tx, this.#workspaceId, name);
    if (group === undefined) return undefined;
    const id = isDynamic(group) ? null : group.id;
    this.#staticGroups.set(name, id);
    return id;
  }

  #staticGroupId(name: string | number): number {
    const id = this.#findStaticGroup(name);
    if (typeof id === "number") return id;
    const created = findOrCreateStaticGroup(this.#tx, this.#workspaceId, String(name)).id;
    this.#staticGroups.set(String(name), created);
    return created;
  }

  #tagId(name: string): number {
    const known = this.#tagIds.get(name);
    if (known !== undefined) return known;
    const { id } = findOrCreateTag(this.#tx, this.#workspaceId, name);
    this.#tagIds.set(name, id);
    return id;
  }
}

/** The ids of these names, each once. */
function distinct<Name>(names: readonly Name[], idOf: (name: Name) => number): number[] {
  const ids: number[] = [];
  for (const name of names) {
    const id = idOf(name);
    if (!ids.includes(id)) ids.push(id);
  }
  return ids;
}
