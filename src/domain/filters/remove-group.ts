/**
 * Takes a group away. A list may have a million members, each of whom changes by it (a contact shows its lists), and the
 * command line must not hold the database while the server runs: so it goes a few hundred members a transaction.
 */
import { inArray } from "drizzle-orm";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import type { Reading, Tx } from "#src/db/transaction.ts";
import { contacts } from "../contacts/table.ts";
import { isDynamic } from "../groups/group.ts";
import { removeMembers, removeRow } from "../groups/membership.ts";
import { findGroup, listGroups } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Filter } from "./filter.ts";
import { groupsIn, readSearch } from "./group-filter.ts";

const MEMBERS_A_TIME = 500;
const ALL = 1_000_000;

/**
 * False: members are left, call again. True: the group is gone. Throws `not_found`, and `invalid_request` (path `id`)
 * while a saved search names the group: without it the search would find others than were meant.
 */
export function removeGroup(tx: Tx, workspaceId: number, id: number): boolean {
  const group = findGroup(tx, workspaceId, id);
  if (group === undefined) throw notFound("group");
  const search = findSearch(tx, workspaceId, (filter) =>
    groupsIn(tx, workspaceId, filter).some((named) => named.group?.id === id),
  );
  if (search !== undefined) {
    throw invalidRequest({ id: [`The saved search ${search.name} asks for ${group.name}; remove that one first.`] });
  }
  const members = removeMembers(tx, id, MEMBERS_A_TIME);
  if (members.length > 0) {
    tx.db.update(contacts).set({ updatedAt: tx.now }).where(inArray(contacts.id, members)).run();
  }
  if (members.length === MEMBERS_A_TIME) return false;
  removeRow(tx, id);
  return true;
}

/** The first saved search whose filter is such; one that cannot be read any more reaches nobody, whatever it names. */
export function findSearch(
  reading: Reading,
  workspaceId: number,
  isSuch: (filter: Filter) => boolean,
): Group | undefined {
  const workspace = getWorkspace(reading, workspaceId);
  const searches = listGroups(reading, workspaceId, { offset: 0 }, ALL).filter(isDynamic);
  return searches.find((search) => {
    try {
      return isSuch(readSearch(reading, workspace, search.filter));
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  });
}
