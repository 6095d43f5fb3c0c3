/** Members of static groups. Triggers maintain the group's count in the same transaction. */
import { and, asc, eq, inArray } from "drizzle-orm";
import { deleteRows, insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { foldName } from "./group.ts";
import { findGroupByName } from "./read.ts";
import { deleteMember, insertMember, insertMembers, memberIds } from "./statements.ts";
import { type Group, groupMembers, groups } from "./table.ts";

/**
 * Finds or creates the static group of this name. A dynamic group of the same name is returned as it is: check
 * `isDynamic` before adding members.
 */
export function findOrCreateStaticGroup(tx: Tx, workspaceId: number, name: string): Group {
  return (
    findGroupByName(tx, workspaceId, name) ??
    insertRow(tx, groups, { workspaceId, name, folded: foldName(name), memberCount: 0, createdAt: tx.now })
  );
}

/** Returns false if the contact was already a member. */
export function addMember(tx: Tx, groupId: number, contactId: number): boolean {
  return insertMember(tx).run({ groupId, contactId }) === 1;
}

/** Returns false if the contact was not a member. */
export function removeMember(tx: Tx, groupId: number, contactId: number): boolean {
  return deleteMember(tx).run({ groupId, contactId }) === 1;
}

/** Ids of up to `limit` members with an id greater than `after`, in ascending order. */
export function listMemberIds(tx: ReadTx, groupId: number, after: number, limit: number): number[] {
  return memberIds(tx)
    .all({ groupId, after, limit })
    .map(({ contactId }) => contactId);
}

/** Inserts memberships, none of which may exist. */
export function addNewMembers(tx: Tx, members: readonly { groupId: number; contactId: number }[]): void {
  insertMembers(tx, members);
}

/** Removes up to `limit` members; returns their contact ids. */
export function removeMembers(tx: Tx, groupId: number, limit: number): number[] {
  const members = tx.db
    .select({ id: groupMembers.contactId })
    .from(groupMembers)
    .where(eq(groupMembers.groupId, groupId))
    .orderBy(asc(groupMembers.contactId))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (members.length > 0) {
    tx.db
      .delete(groupMembers)
      .where(and(eq(groupMembers.groupId, groupId), inArray(groupMembers.contactId, members)))
      .run();
  }
  return members;
}

/** Deletes a group that has no members. */
export function deleteGroup(tx: Tx, groupId: number): void {
  deleteRows(tx, groups, { id: groupId });
}
