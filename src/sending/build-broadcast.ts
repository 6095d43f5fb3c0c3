/**
 * Builds the recipients of one broadcast, part by part, until everybody is there or something stops it. Saved searches are
 * asked on the reader's thread; between two parts everybody else has their turn.
 */

import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { BUILD_BATCH, buildList, buildMembers, finishBuilding, nextPart } from "#src/domain/broadcasts/build.ts";
import { finishBroadcast } from "#src/domain/broadcasts/finish.ts";
import { findAnyBroadcast, getBroadcast } from "#src/domain/broadcasts/read.ts";

export interface BuildOptions {
  store: Store;
  /** A saved search may take long: nobody else waits behind it. */
  reader: Reader;
  instanceId: string;
}

/** People that a saved search is asked for at once. */
const SEARCH_ROWS = 2_000;

export async function buildBroadcast(options: BuildOptions, id: number, isStopped: () => boolean): Promise<void> {
  const { store } = options;
  while (!isStopped()) {
    const broadcast = store.read((reading) => findAnyBroadcast(reading, id));
    if (broadcast?.status !== "queueing") return;
    const part = store.read((reading) => nextPart(reading, broadcast, BUILD_BATCH * PARTS_AT_ONCE));
    let hasMore: boolean;
    switch (part.kind) {
      case "list":
        hasMore = await store.write((tx) => buildList(tx, id));
        break;
      case "members":
        hasMore = part.contactIds.length > 0;
        await addMembers(options, id, part.contactIds, isStopped);
        break;
      case "search": {
        const ids = await search(options.reader, part.query);
        hasMore = ids.length > 0;
        await addMembers(options, id, ids, isStopped);
        break;
      }
      case "group_gone":
        await store.write((tx) => void finishBroadcast(tx, getBroadcast(tx, id), "failed", part.reason));
        return;
    }
    if (!hasMore) {
      await store.write((tx) => finishBuilding(tx, id));
      return;
    }
  }
}

const PARTS_AT_ONCE = SEARCH_ROWS / BUILD_BATCH;

async function addMembers(
  { store, instanceId }: BuildOptions,
  id: number,
  contactIds: readonly number[],
  isStopped: () => boolean,
): Promise<void> {
  for (let start = 0; start < contactIds.length && !isStopped(); start += BUILD_BATCH) {
    const part = contactIds.slice(start, start + BUILD_BATCH);
    await store.write((tx) => buildMembers(tx, id, part, instanceId));
  }
}

async function search(reader: Reader, query: { sql: string; parameters: (string | number)[] }): Promise<number[]> {
  const rows = await reader.query(query.sql, query.parameters);
  return rows.map(({ id }) => Number(id));
}
