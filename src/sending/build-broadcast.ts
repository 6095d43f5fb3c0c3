/**
 * Builds the recipients of one broadcast, batch by batch, until all are built or the broadcast is stopped. Filters of
 * dynamic groups are queried on the reader's thread; between two batches other writes have their turn.
 */

import type { Reader, WorkspaceReaders } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { BUILD_BATCH, buildList, buildMembers, finishBuilding, nextBatch } from "#src/domain/broadcasts/build.ts";
import { finishBroadcast } from "#src/domain/broadcasts/finish.ts";
import { findAnyBroadcast, getBroadcast } from "#src/domain/broadcasts/read.ts";

export interface BuildOptions {
  store: Store;
  /** A thread of its own: the query of a dynamic group may take long. */
  readers: WorkspaceReaders;
  instanceId: string;
}

/** Number of contacts that one query of a dynamic group returns. */
const QUERY_ROWS = 2_000;

export async function buildBroadcast(options: BuildOptions, id: number, isStopped: () => boolean): Promise<void> {
  const { store } = options;
  while (!isStopped()) {
    const broadcast = store.read((tx) => findAnyBroadcast(tx, id));
    if (broadcast?.status !== "queueing") return;
    const batch = store.read((tx) => nextBatch(tx, broadcast, BUILD_BATCH * BATCHES_PER_QUERY));
    let hasMore: boolean;
    switch (batch.kind) {
      case "list":
        hasMore = await store.write((tx) => buildList(tx, id));
        break;
      case "members":
        hasMore = batch.contactIds.length > 0;
        await addMembers(options, id, batch.contactIds, isStopped);
        break;
      case "search": {
        const ids = await queryIds(options.readers.of(broadcast.workspaceId), batch.query);
        hasMore = ids.length > 0;
        await addMembers(options, id, ids, isStopped);
        break;
      }
      case "group_gone":
        await store.write((tx) => void finishBroadcast(tx, getBroadcast(tx, id), "failed", batch.reason));
        return;
    }
    if (!hasMore) {
      await store.write((tx) => finishBuilding(tx, id));
      return;
    }
  }
}

const BATCHES_PER_QUERY = QUERY_ROWS / BUILD_BATCH;

async function addMembers(
  { store, instanceId }: BuildOptions,
  id: number,
  contactIds: readonly number[],
  isStopped: () => boolean,
): Promise<void> {
  for (let start = 0; start < contactIds.length && !isStopped(); start += BUILD_BATCH) {
    const batch = contactIds.slice(start, start + BUILD_BATCH);
    await store.write((tx) => buildMembers(tx, id, batch, instanceId));
  }
}

async function queryIds(reader: Reader, query: { sql: string; parameters: (string | number)[] }): Promise<number[]> {
  const rows = await reader.query(query.sql, query.parameters);
  return rows.map(({ id }) => Number(id));
}
