/**
 * Inserts many new contacts in few statements. The result equals `putContact` for each row, but state shared by the
 * rows is read once. Only for contacts with no known identifier; the caller passes every other row, and every row that
 * `add` rejects, to `putContact`, which reports why. A batch lives for one operation, because its cached state is valid
 * only then.
 */
import type { E164 } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { foldName, isDynamic } from "../groups/group.ts";
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

export class NewContactBatch {
  readonly #tx: Tx;
  readonly #workspaceId: number;
  readonly #known = new Set<string>();
  readonly #fields: Map<string, CustomField>;
  readonly #tagIds = new Map<string, number>();
  readonly #staticGroups = new Map<string, number | null>();
  readonly #hasErased: boolean;
  /** A person is being erased: contacts are created one at a time, which checks who each is. */
  readonly #isErasing: boolean;
  #pending: Pending[] = [];
  #members: { groupId: number; contactId: number }[] = [];

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
    const values = this.#readFields(changes.fields ?? {});
    const groupIds = (changes.addToGroups ?? []).map((name) => this.#findStaticGroup(name));
    if (values === null || groupIds.includes(null)) return false;
    this.#pending.push({
      phone,
      profile: changes.profile ?? {},
      values,
      tagIds: [...new Set((changes.addTags ?? []).map((name) => this.#tagId(name)))],
      groupIds: [...new Set((changes.addToGroups ?? []).map((name) => this.#staticGroupId(name)))],
      optIn,
    });
    this.markKnown(identifiers);
    return true;
  }

  /** Marks identifiers as taken, because another contact has them or may have them. */
  markKnown(identifiers: readonly string[]): void {
    for (const name of identifiers) this.#known.add(name);
  }

  /** Writes all queued contacts and their group memberships. Call it before any other write of the operation. */
  writeAll(): void {
    this.write();
    addNewMembers(this.#tx, this.#members);
    this.#members = [];
  }

  /** Writes all queued contacts except group memberships, which `writeAll` writes together in few statements. */
  write(): void {
    if (this.#pending.length === 0) return;
    const tx = this.#tx;
    const workspaceId = this.#workspaceId;
    const firstId = (lastContactId(tx).get()?.id ?? 0) + 1;
    const people = this.#pending.map((one, index) => ({ ...one, contactId: firstId + index }));
    this.#pending = [];
    insertContacts(
      tx,
      people.map(({ contactId, phone, profile, optIn }) => ({
        id: contactId,
        workspaceId,
        phone,
        consent: optIn === null ? "unknown" : "opted_in",
        consentSource: optIn?.source ?? null,
        consentAt: optIn === null ? null : tx.now,
        createdAt: tx.now,
        updatedAt: tx.now,
        ...fullProfile(null, profile),
      })),
    );
    const taggings: { contactId: number; tagId: number }[] = [];
    const optIns: NewConsentChange[] = [];
    for (const { contactId, groupIds, values, tagIds, optIn } of people) {
      for (const groupId of groupIds) this.#members.push({ groupId, contactId });
      for (const { field, value } of values) {
        insertValue(tx).run({ contactId, fieldId: field.id, ...storeValue(value) });
      }
      for (const tagId of tagIds) taggings.push({ contactId, tagId });
      if (optIn === null) continue;
      optIns.push({ contact: { id: contactId, workspaceId, consent: "opted_in" }, was: "unknown", why: optIn });
    }
    insertTaggings(tx, taggings);
    logConsents(tx, optIns);
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
    const folded = foldName(name);
    const known = this.#staticGroups.get(folded);
    if (known !== undefined) return known;
    const group = findGroupByName(this.#tx, this.#workspaceId, name);
    if (group === undefined) return undefined;
    const id = isDynamic(group) ? null : group.id;
    this.#staticGroups.set(folded, id);
    return id;
  }

  #staticGroupId(name: string | number): number {
    const id = this.#findStaticGroup(name) ?? findOrCreateStaticGroup(this.#tx, this.#workspaceId, String(name)).id;
    this.#staticGroups.set(foldName(String(name)), id);
    return id;
  }

  #tagId(name: string): number {
    const folded = foldName(name);
    const id = this.#tagIds.get(folded) ?? findOrCreateTag(this.#tx, this.#workspaceId, name).id;
    this.#tagIds.set(folded, id);
    return id;
  }
}
