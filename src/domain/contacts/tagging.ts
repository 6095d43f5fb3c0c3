/** Adds and removes tags of a contact. Adding an unknown tag creates it. */
import { and, eq, sql } from "drizzle-orm";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { foldName } from "../groups/group.ts";
import { contactTags, type Tag, tags } from "./table.ts";

const byName = statement((db) =>
  db
    .select()
    .from(tags)
    .where(and(eq(tags.workspaceId, sql.placeholder("workspaceId")), eq(tags.folded, sql.placeholder("folded"))))
    .prepare(),
);

function findTag(tx: ReadTx, workspaceId: number, name: string): Tag | undefined {
  return byName(tx).get({ workspaceId, folded: foldName(name) });
}

const insert = statement((db) =>
  db
    .insert(contactTags)
    .values({ contactId: sql.placeholder("contactId"), tagId: sql.placeholder("tagId") })
    .onConflictDoNothing()
    .prepare(),
);

export function findOrCreateTag(tx: Tx, workspaceId: number, name: string): Tag {
  return (
    findTag(tx, workspaceId, name) ??
    tx.db
      .insert(tags)
      .values({ workspaceId, name, folded: foldName(name) })
      .returning()
      .get()
  );
}

/** Returns false if the contact already had the tag. */
export function addTag(tx: Tx, workspaceId: number, contactId: number, name: string): boolean {
  return insert(tx).run({ contactId, tagId: findOrCreateTag(tx, workspaceId, name).id }).changes === 1;
}

/** Attaches a tag that the contact does not have yet. */
export function attachTag(tx: Tx, contactId: number, tagId: number): void {
  insert(tx).run({ contactId, tagId });
}

const remove = statement((db) =>
  db
    .delete(contactTags)
    .where(
      and(eq(contactTags.contactId, sql.placeholder("contactId")), eq(contactTags.tagId, sql.placeholder("tagId"))),
    )
    .prepare(),
);

/** Returns false if the contact did not have the tag. */
export function removeTag(tx: Tx, workspaceId: number, contactId: number, name: string): boolean {
  const tag = findTag(tx, workspaceId, name);
  return tag !== undefined && remove(tx).run({ contactId, tagId: tag.id }).changes === 1;
}
