/** Finds contacts that may be one person: one query after the other, on a thread that reads. */
import {
  type FoundPair,
  mergePairs,
  type PairReason,
  pairQueries,
  pairReasons,
} from "#src/domain/erasure/join-pairs.ts";

type Rows = Record<string, unknown>[];

/** `query` runs one SELECT. At most 50 pairs. */
export async function findPairs(query: (sql: string) => Promise<Rows>, workspaceId: number): Promise<FoundPair[]> {
  const queries = pairQueries(workspaceId);
  const found = {} as Record<PairReason, Rows>;
  for (const reason of pairReasons) found[reason] = await query(queries[reason]);
  return mergePairs(found);
}
