/** Looking groups up. */
import { and, asc, count, eq, gt, or, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/db/transaction.ts";
import { foldName } from "./group.ts";
import { type Group, groupMembers, groups } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(groups)
    .where(and(eq(groups.workspaceId, sql.placeholder("workspaceId")), eq(groups.id, sql.placeholder("id"))))
    .prepare(),
);

/** Undefined for another workspace's. */
export function findGroup(reading: Reading, workspaceId: number, id: number): Group | undefined {
  return byId(reading).get({ workspaceId, id });
}

const byName = statement((db) =>
  db
    .select()
    .from(groups)
    .where(and(eq(groups.workspaceId, sql.placeholder("workspaceId")), eq(groups.folded, sql.placeholder("folded"))))
    .prepare(),
);

export function findGroupByName(reading: Reading, workspaceId: number, name: string): Group | undefined {
  return byName(reading).get({ workspaceId, folded: foldName(name) });
}

const ofContact = statement((db) =>
  db
    .select({ id: groups.id, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(eq(groupMembers.contactId, sql.placeholder("contactId")))
    .orderBy(asc(groups.folded))
    .prepare(),
);

/** The lists that a contact stands on, by name. */
export function listGroupsOfContact(reading: Reading, contactId: number): { id: number; name: string }[] {
  return ofContact(reading).all({ contactId });
}

export interface GroupPosition {
  folded: string;
  id: number;
}

/** Ordered by name, then id: either from `offset` on, or after a position. */
export function listGroups(
  reading: Reading,
  workspaceId: number,
  from: { offset: number } | { after: GroupPosition },
  limit: number,
): Group[] {
  const after = "after" in from ? from.after : null;
  return reading.db
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

export function countGroups(reading: Reading, workspaceId: number): number {
  const row = reading.db.select({ total: count() }).from(groups).where(eq(groups.workspaceId, workspaceId)).get();
  return row?.total ?? 0;
}
