/** Makes a group, and writes what becomes of one. What a saved search may ask for is judged before, by those who know contacts. */
import { eq } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { foldName, GROUP_NAME_LENGTH_MAX } from "./group.ts";
import { findGroupByName } from "./read.ts";
import { type Group, groups } from "./table.ts";

export interface CheckedGroup {
  /** Without a mistake (`findNameMistake`). */
  name: string;
  /** JSON of a saved search, as it was written; null makes a list. */
  checkedFilter: unknown;
}

export function createGroup(tx: Tx, workspaceId: number, { name, checkedFilter }: CheckedGroup): Group {
  const plain = name.trim();
  return tx.db
    .insert(groups)
    .values({
      workspaceId,
      name: plain,
      folded: foldName(plain),
      filter: checkedFilter,
      memberCount: 0,
      createdAt: tx.now,
    })
    .returning()
    .get();
}

/** Its new name and, of a saved search, its new filter; then it is counted anew. */
export function updateGroup(tx: Tx, group: Group, { name, checkedFilter }: CheckedGroup): Group {
  const plain = name.trim();
  const isSame = JSON.stringify(checkedFilter) === JSON.stringify(group.filter);
  return tx.db
    .update(groups)
    .set({ name: plain, folded: foldName(plain), ...(isSame ? {} : { filter: checkedFilter, countedAt: null }) })
    .where(eq(groups.id, group.id))
    .returning()
    .get() as Group;
}

/** What is wrong with the name of a new group, in a sentence; null when nothing is. */
export function findNameProblem(tx: ReadTx, workspaceId: number, name: string): string | null {
  const plain = name.trim();
  if (plain === "") return "Say what the group is called.";
  if (plain.length > GROUP_NAME_LENGTH_MAX) return `A group's name has ${GROUP_NAME_LENGTH_MAX} characters at most.`;
  if (/\p{Cc}/u.test(plain) || !plain.isWellFormed()) return "A group's name is one line of ordinary characters.";
  const known = findGroupByName(tx, workspaceId, plain);
  return known === undefined ? null : `There is a group ${known.name} already; choose another name.`;
}
