/** The parts of a contact that are not in its row: people on the number, tags, groups, custom fields; and how tags change. */
import { and, eq, exists, gte, lt } from "drizzle-orm";
import { insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { foldName } from "../groups/group.ts";
import { listGroupsOfContact } from "../groups/read.ts";
import type { FieldValue } from "./custom-field.ts";
import { readFieldsOfContact } from "./custom-fields.ts";
import {
  deleteTagging,
  detailsHeld,
  insertTagging,
  peopleOfContact,
  tagByName,
  tagsOfContact,
} from "./detail-statements.ts";
import { contactTags, type PersonOnNumber, type Tag, tags } from "./table.ts";

interface ContactDetails {
  fields: Record<string, FieldValue>;
  people: PersonOnNumber[];
  tags: string[];
  groups: { id: number; name: string }[];
}

/** Most contacts have few of these, so one statement says which. */
export function readDetails(tx: ReadTx, contactId: number): ContactDetails {
  const has = detailsHeld(tx).only({ contactId });
  return {
    fields: has.fields === 1 ? readFieldsOfContact(tx, contactId) : {},
    people: has.people === 1 ? listPeople(tx, contactId) : [],
    tags: has.tags === 1 ? listTags(tx, contactId) : [],
    groups: has.groups === 1 ? listGroupsOfContact(tx, contactId) : [],
  };
}

/** The contact's tags, in alphabetical order. */
export function listTags(tx: ReadTx, contactId: number): string[] {
  return tagsOfContact(tx)
    .all({ contactId })
    .map(({ name }) => name);
}

/** The people on the number, in the order in which the caller sent them. */
export function listPeople(tx: ReadTx, contactId: number): PersonOnNumber[] {
  return peopleOfContact(tx).all({ contactId });
}

export function findTag(tx: ReadTx, workspaceId: number, name: string): Tag | undefined {
  return tagByName(tx).get({ workspaceId, folded: foldName(name) });
}

export function findOrCreateTag(tx: Tx, workspaceId: number, name: string): Tag {
  return findTag(tx, workspaceId, name) ?? insertRow(tx, tags, { workspaceId, name, folded: foldName(name) });
}

/** Returns false if the contact already had the tag. */
export function addTag(tx: Tx, workspaceId: number, contactId: number, name: string): boolean {
  return insertTagging(tx).run({ contactId, tagId: findOrCreateTag(tx, workspaceId, name).id }) === 1;
}

/** Returns false if the contact did not have the tag. */
export function removeTag(tx: Tx, workspaceId: number, contactId: number, name: string): boolean {
  const tag = findTag(tx, workspaceId, name);
  return tag !== undefined && deleteTagging(tx).run({ contactId, tagId: tag.id }) === 1;
}

/**
 * Names of tags that contacts have, in alphabetical order: those that begin with `beginning`, by any case; at most `max`. A tag
 * that no contact has any more is not among them.
 */
export function listTagNames(tx: ReadTx, workspaceId: number, beginning: string, max: number): string[] {
  const from = foldName(beginning);
  return tx.db
    .select({ name: tags.name })
    .from(tags)
    .where(
      and(
        eq(tags.workspaceId, workspaceId),
        gte(tags.folded, from),
        lt(tags.folded, `${from}\u{10FFFF}`),
        exists(tx.db.select({ id: contactTags.tagId }).from(contactTags).where(eq(contactTags.tagId, tags.id))),
      ),
    )
    .orderBy(tags.folded)
    .limit(max)
    .all()
    .map(({ name }) => name);
}
