/** Refreshes the counts of dynamic groups before a list of groups is shown, for the API and the console. */
import { countsToRefresh, recordCount } from "#src/domain/filters/count.ts";
import type { Group } from "#src/domain/groups/table.ts";
import type { Call } from "./endpoint.ts";

/** Recounts dynamic groups whose count is older than a minute, one after the other, on the reader's thread. */
export async function refreshCounts(
  { store, searchReader, workspace }: Pick<Call, "store" | "searchReader" | "workspace">,
  groups: readonly Group[],
): Promise<void> {
  const stale = store.read((tx) => countsToRefresh(tx, workspace, groups));
  for (const { groupId, sql, parameters } of stale) {
    const [row] = await searchReader.query(sql, parameters);
    await store.write((tx) => recordCount(tx, groupId, Number(row?.total ?? 0)));
  }
}
