/** Takes members off a list, and a group away; a batch at a time, for a list may be long. */
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Tx } from "#src/storage/transaction.ts";
import { groupMembers, groups } from "./table.ts";

/** At most `limit` of them; answers the contacts that stood on it. */
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

/** The group itself, once nobody stands on it. */
export function removeRow(tx: Tx, groupId: number): void {
  tx.db.delete(groups).where(eq(groups.id, groupId)).run();
}
