/** Adds and removes tags of a contact. Adding an unknown tag creates it. */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { foldName } from "../groups/group.ts";
import { deleteTagging, insertTagging, tagByName } from "./detail-statements.ts";
import { type Tag, tags } from "./table.ts";

function findTag(tx: ReadTx, workspaceId: number, name: string): Tag | undefined {
  return tagByName(tx).get({ workspaceId, folded: foldName(name) });
}

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
  return insertTagging(tx).run({ contactId, tagId: findOrCreateTag(tx, workspaceId, name).id }) === 1;
}

/** Returns false if the contact did not have the tag. */
export function removeTag(tx: Tx, workspaceId: number, contactId: number, name: string): boolean {
  const tag = findTag(tx, workspaceId, name);
  return tag !== undefined && deleteTagging(tx).run({ contactId, tagId: tag.id }) === 1;
}
