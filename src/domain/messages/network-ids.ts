/**
 * Finds a message by the id that the network gave it. An id is appended to `recent_network_ids` and kept in memory, and
 * moves to `network_ids` later: see `batch-index.ts`. Both tables and the memory hold hashes. A missing entry would lose a
 * status, so a search also reads the rows that are not in memory yet.
 */
import { inArray } from "drizzle-orm";
import { textHash } from "#src/core/text-hash.ts";
import { deleteRows } from "#src/db/rows.ts";
import { oncePerConnection, type ReadTx, type Tx } from "#src/db/transaction.ts";
import type { BatchIndex, BatchMove } from "./batch-index.ts";
import {
  deleteIndexed,
  deleteMoved,
  indexedByHash,
  insertRecent,
  moveSlice,
  recentAfter,
  unseenByHash,
} from "./network-id-statements.ts";
import { messageById } from "./statements.ts";
import { type Message, recentNetworkIds } from "./table.ts";

/** A move takes this many steps, each with an equal part of all hashes. */
const SLICES = 16;
const HASH_MIN = -(2 ** 31);
const SLICE_WIDTH = 2 ** 32 / SLICES;

/** Ids in memory that move together. */
interface Batch extends BatchMove {
  /** The last of their rows in `recent_network_ids`. */
  until: number;
  /** Ids of messages by the hash of their network's id; a list only where several share it, which saves memory. */
  known: Map<number, number | number[]>;
}

interface Watch {
  /** How many ids move together. */
  count: number;
  onDue: () => void;
}

const newBatch = (until: number): Batch => ({ until, known: new Map(), steps: SLICES });

/** What one connection has in memory of `recent_network_ids`: nothing, unless it is watched. Commands do not live long. */
class RecentIds {
  /** The oldest first; all but the last are full. */
  batches: Batch[] = [newBatch(0)];
  watch: Watch | null = null;

  /** The rows up to this id have been seen. */
  get seen(): number {
    return this.batches.at(-1)?.until ?? 0;
  }

  /** A committed row. Rows of another process may lie before it: then all of them are loaded later. */
  append(id: number, hash: number, messageId: number): void {
    if (this.watch === null) return;
    const isNext = id === this.seen + 1;
    if (isNext) this.add(id, hash, messageId);
    if (!isNext || this.batches.length > 1) this.watch.onDue();
  }

  add(id: number, hash: number, messageId: number): void {
    let last = this.batches.at(-1);
    if (last === undefined || (this.watch !== null && last.known.size >= this.watch.count)) {
      last = newBatch(id);
      this.batches.push(last);
    }
    last.until = id;
    const others = last.known.get(hash);
    if (others === undefined) last.known.set(hash, messageId);
    else last.known.set(hash, [...listOf(others), messageId]);
  }
}

const recentIds = oncePerConnection(() => new RecentIds());

/** Call it in the transaction that stores the id in the message's row. */
export function addNetworkId(tx: Tx, messageId: number, networkMessageId: string): void {
  const hash = textHash(networkMessageId);
  const id = insertRecent(tx).insert({ hash, messageId });
  const recent = recentIds(tx);
  tx.afterCommit(() => recent.append(id, hash, messageId));
}

/** Undefined: no message of this number has the id. */
export function findByNetworkId(tx: ReadTx, numberId: number, networkMessageId: string): Message | undefined {
  // As SQLite stores it.
  const stored = networkMessageId.toWellFormed();
  for (const id of listCandidates(tx, textHash(stored))) {
    const message = messageById(tx).get({ id });
    if (message?.networkMessageId === stored && message.numberId === numberId) return message;
  }
  return undefined;
}

function listOf(known: number | number[] | undefined): number[] {
  return typeof known === "number" ? [known] : (known ?? []);
}

function* listCandidates(tx: ReadTx, hash: number): Generator<number> {
  const { seen, batches } = recentIds(tx);
  for (const { known } of batches) yield* listOf(known.get(hash));
  for (const { messageId } of unseenByHash(tx).all({ seen, hash })) yield messageId;
  for (const { messageId } of indexedByHash(tx).all({ hash })) yield messageId;
}

/** Call it with the messages that are deleted, or whose ids are. */
export function removeNetworkIds(tx: Tx, removed: readonly Pick<Message, "id" | "networkMessageId">[]): void {
  const entries = removed.flatMap(({ id: messageId, networkMessageId }) =>
    networkMessageId === null ? [] : [{ hash: textHash(networkMessageId), messageId }],
  );
  if (entries.length === 0) return;
  for (const entry of entries) deleteIndexed(tx).run(entry);
  const ids = entries.map(({ messageId }) => messageId);
  // The table is short: it is read once for all of them.
  deleteRows(tx, recentNetworkIds, inArray(recentNetworkIds.messageId, ids));
}

export const networkIdIndex: BatchIndex<Batch> = {
  name: "network_ids",
  failure: {
    event: "network_ids.failed",
    message: "Moving the network's ids to their index failed; trying again in a minute",
  },
  watch(tx, count, onDue) {
    recentIds(tx).watch = { count, onDue };
  },
  load(tx, limit) {
    const recent = recentIds(tx);
    const rows = recentAfter(tx).all({ seen: recent.seen, limit });
    for (const { id, hash, messageId } of rows) recent.add(id, hash, messageId);
    return rows.length === limit;
  },
  plan(tx) {
    const [first = null, ...others] = recentIds(tx).batches;
    return others.length === 0 ? null : first;
  },
  /** A step has an equal part of all hashes. */
  copy(tx, { until }, step) {
    const from = HASH_MIN + step * SLICE_WIDTH;
    moveSlice(tx).run({ until, from, to: from + SLICE_WIDTH });
  },
  /** Without effect if the memory was forgotten meanwhile. */
  end(tx, batch) {
    const recent = recentIds(tx);
    if (recent.batches[0] !== batch) return;
    deleteMoved(tx).run({ until: batch.until });
    tx.afterCommit(() => {
      if (recent.batches[0] === batch) recent.batches.shift();
    });
  },
  forget(tx) {
    recentIds(tx).batches = [newBatch(0)];
  },
};
