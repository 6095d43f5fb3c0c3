/** Refreshes the counts of dynamic groups before a list of groups is shown, for the API and the console. */
import { QueryOverBudget } from "#src/db/query-budget.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { countsToRefresh, recordCount } from "#src/domain/filters/count.ts";
import type { Group } from "#src/domain/groups/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

/** Recounts dynamic groups, the large ones at most once a minute, one after the other, on the reader's thread. */
export async function refreshCounts(
  { store, searchReader, workspace }: { store: Store; searchReader: Reader; workspace: Workspace },
  groups: readonly Group[],
): Promise<void> {
  const stale = store.read((tx) => countsToRefresh(tx, workspace, groups));
  for (const { groupId, sql, parameters, knownCount, isExpired } of stale) {
    const rows = await searchReader.query(sql, parameters).catch((error: unknown) => {
      // The list shows the previous count of such a group.
      if (error instanceof QueryOverBudget) return null;
      throw error;
    });
    if (rows === null) return;
    const count = Number(rows[0]?.total ?? 0);
    if (count !== knownCount || isExpired) await store.write((tx) => recordCount(tx, groupId, count));
  }
}
