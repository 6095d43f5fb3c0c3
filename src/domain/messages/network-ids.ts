/**
 * Finds a message by the id that the network gave it. These ids do not sort by time. An index that takes each of them at
 * once writes a page of its own for every message, and in a large database reads that page first. Here an id is first
 * appended to `recent_network_ids`, where many share a page, and kept in memory. Thousands of them then move to
 * `network_ids` in the order of that table (`NetworkIdIndexer`), where by then several share a page as well.
 *
 * Both tables and the memory hold hashes and only say where to look: the row of the message decides. A superfluous entry
 * is harmless. A missing one would lose a status. So a search also reads the rows that are not in memory yet.
 */
import { inArray } from "drizzle-orm";
import { textHash } from "#src/core/text-hash.ts";
import { oncePerConnection, type ReadTx, type Tx } from "#src/db/transaction.ts";
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
export const SLICES = 16;
const HASH_MIN = -(2 ** 31);
const SLICE_WIDTH = 2 ** 32 / SLICES;

/** Ids in memory that move together. */
export interface Batch {
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

/** What one connection has in memory of `recent_network_ids`: nothing, unless it is watched. Commands do not live long. */
class RecentIds {
  /** The oldest first; all but the last are full. */
  batches: Batch[] = [{ until: 0, known: new Map() }];
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
      last = { until: id, known: new Map() };
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
  tx.db.delete(recentNetworkIds).where(inArray(recentNetworkIds.messageId, ids)).run();
}

/**
 * From now on `count` ids move together. After a commit, calls `onDue` if there are rows to load or ids to move. A later
 * call replaces the watch.
 */
export function watchRecent(tx: ReadTx, count: number, onDue: () => void): void {
  recentIds(tx).watch = { count, onDue };
}

/** Takes up to `limit` further rows into memory. Returns whether there may be more. */
export function loadRecent(tx: ReadTx, limit: number): boolean {
  const recent = recentIds(tx);
  const rows = recentAfter(tx).all({ seen: recent.seen, limit });
  for (const { id, hash, messageId } of rows) recent.add(id, hash, messageId);
  return rows.length === limit;
}

/** The ids that move next; null while there are too few. */
export function nextBatch(tx: ReadTx): Batch | null {
  const [first = null, ...others] = recentIds(tx).batches;
  return others.length === 0 ? null : first;
}

/** Copies the batch's ids of one slice, from 0 to `SLICES - 1`, into the index. May be repeated. */
export function copySlice(tx: Tx, { until }: Batch, slice: number): void {
  const from = HASH_MIN + slice * SLICE_WIDTH;
  moveSlice(tx).run({ until, from, to: from + SLICE_WIDTH });
}

/** Every slice of the batch has been copied. Without effect if the memory was forgotten meanwhile. */
export function endMove(tx: Tx, batch: Batch): void {
  const recent = recentIds(tx);
  if (recent.batches[0] !== batch) return;
  deleteMoved(tx).run({ until: batch.until });
  tx.afterCommit(() => {
    if (recent.batches[0] === batch) recent.batches.shift();
  });
}

/** The tables are about to be replaced by an earlier state of theirs, or have been. */
export function forgetRecent(tx: ReadTx): void {
  const recent = recentIds(tx);
  recent.batches = new RecentIds().batches;
}
