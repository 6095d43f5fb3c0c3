/**
 * Creates and updates groups. The caller has validated the filter of a dynamic group, because this module does not know
 * contacts.
 */
import { trimShown } from "#src/core/shown-text.ts";
import { changeRow, insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { foldName, GROUP_NAME_LENGTH_MAX } from "./group.ts";
import { findGroupByName } from "./read.ts";
import { type Group, groups } from "./table.ts";

interface CheckedGroup {
  /** Validated with `findNameProblem`. */
  name: string;
  /** The filter of a dynamic group, as the caller wrote it in JSON; null for a static group. */
  checkedFilter: unknown;
}

export function createGroup(tx: Tx, workspaceId: number, { name, checkedFilter }: CheckedGroup): Group {
  const plain = name.trim();
  return insertRow(tx, groups, {
    workspaceId,
    name: plain,
    folded: foldName(plain),
    filter: checkedFilter,
    memberCount: 0,
    createdAt: tx.now,
  });
}

/**
 * Sets the name and, for a dynamic group, the filter. A changed filter clears `countedAt`, so that the group is counted
 * again.
 */
export function updateGroup(tx: Tx, group: Group, { name, checkedFilter }: CheckedGroup): Group {
  const plain = name.trim();
  const isSame = JSON.stringify(checkedFilter) === JSON.stringify(group.filter);
  return changeRow(
    tx,
    groups,
    { id: group.id },
    { name: plain, folded: foldName(plain), ...(isSame ? {} : { filter: checkedFilter, countedAt: null }) },
  ) as Group;
}

/** Describes in a sentence what is wrong with the name of a new group; null if it is valid. */
export function findNameProblem(tx: ReadTx, workspaceId: number, name: string): string | null {
  const plain = trimShown(name);
  if (plain === "") return "A group needs a name.";
  if (plain.length > GROUP_NAME_LENGTH_MAX) return `A group's name has at most ${GROUP_NAME_LENGTH_MAX} characters.`;
  if (/\p{Cc}/u.test(plain) || !plain.isWellFormed()) return "A group's name is one line of ordinary characters.";
  const known = findGroupByName(tx, workspaceId, plain);
  return known === undefined ? null : `There is already a group ${known.name}; choose another name.`;
}
