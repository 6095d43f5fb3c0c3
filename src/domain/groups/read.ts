/** Queries for groups. */
import { and, asc, count, eq, gt, or } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { foldName } from "./group.ts";
import { groupByName, groupInWorkspace, groupsOfContact } from "./statements.ts";
import { type Group, groups } from "./table.ts";

/** Undefined for a group of another workspace. */
export function findGroup(tx: ReadTx, workspaceId: number, id: number): Group | undefined {
  return groupInWorkspace(tx).get({ workspaceId, id });
}

export function findGroupByName(tx: ReadTx, workspaceId: number, name: string): Group | undefined {
  return groupByName(tx).get({ workspaceId, folded: foldName(name) });
}

/** The static groups that a contact is in, by name. */
export function listGroupsOfContact(tx: ReadTx, contactId: number): { id: number; name: string }[] {
  return groupsOfContact(tx).all({ contactId });
}

interface GroupCursor {
  folded: string;
  id: number;
}

/** Lists groups by name, then id, from an offset or after a cursor. */
export function listGroups(
  tx: ReadTx,
  workspaceId: number,
  from: { offset: number } | { after: GroupCursor },
  limit: number,
): Group[] {
  const after = "after" in from ? from.after : null;
  return tx.db
    .select()
    .from(groups)
    .where(
      and(
        eq(groups.workspaceId, workspaceId),
        after === null
          ? undefined
          : or(gt(groups.folded, after.folded), and(eq(groups.folded, after.folded), gt(groups.id, after.id))),
      ),
    )
    .orderBy(asc(groups.folded), asc(groups.id))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all();
}

export function countGroups(tx: ReadTx, workspaceId: number): number {
  const row = tx.db.select({ total: count() }).from(groups).where(eq(groups.workspaceId, workspaceId)).get();
  return row?.total ?? 0;
}
