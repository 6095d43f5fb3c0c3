/**
 * Removes a group. A static group may have a million members, each of which changes by it (a contact shows its groups),
 * and the command line must not block a running server's writes, so each transaction removes 100 members.
 */
import { inArray } from "drizzle-orm";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { CONTACT_CHANGED, contacts } from "../contacts/table.ts";
import { isDynamic } from "../groups/group.ts";
import { deleteGroup, removeMembers } from "../groups/membership.ts";
import { findGroup, listGroups } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Filter } from "./filter.ts";
import { listFilterGroups, readGroupFilter } from "./group-filter.ts";

const MEMBERS_PER_BATCH = 100;
const ALL = 1_000_000;

/**
 * Returns false if members remain: call it again. Returns true once the group is removed. Throws `not_found`, and
 * `invalid_request` (path `id`) while a dynamic group names this one: without it that filter would be invalid.
 */
export function removeGroup(tx: Tx, workspaceId: number, id: number): boolean {
  const group = findGroup(tx, workspaceId, id);
  if (group === undefined) throw notFound("group");
  const dependent = findDynamicGroup(tx, workspaceId, (filter) =>
    listFilterGroups(tx, workspaceId, filter).some((named) => named.group?.id === id),
  );
  if (dependent !== undefined) {
    throw invalidRequest({ id: [`The dynamic group ${dependent.name} uses ${group.name}; remove that group first.`] });
  }
  const members = removeMembers(tx, id, MEMBERS_PER_BATCH);
  if (members.length > 0) {
    updateRows(tx, contacts, inArray(contacts.id, members), { updatedAt: tx.now });
    tx.notify(CONTACT_CHANGED);
  }
  if (members.length === MEMBERS_PER_BATCH) return false;
  deleteGroup(tx, id);
  return true;
}

/**
 * The first dynamic group whose filter matches `matches`. Groups whose filter is no longer valid are skipped, because
 * they match no contact anyway.
 */
export function findDynamicGroup(
  tx: ReadTx,
  workspaceId: number,
  matches: (filter: Filter) => boolean,
): Group | undefined {
  const workspace = getWorkspace(tx, workspaceId);
  const dynamicGroups = listGroups(tx, workspaceId, { offset: 0 }, ALL).filter(isDynamic);
  return dynamicGroups.find((group) => {
    try {
      return matches(readGroupFilter(tx, workspace, group.filter));
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  });
}
