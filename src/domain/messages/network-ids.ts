/**
 * Finds a message by the id that the network gave it. These ids come in no order, so an index that takes each of them at
 * once writes a page of its own for every message, and in a large database reads that page first. Here an id is first
 * appended to `recent_network_ids`, where many share a page, and kept in memory. Thousands of them then move to
 * `network_ids` in the order of that table (`NetworkIdIndexer`), where by then many share a page as well.
 *
 * Both tables and the memory hold hashes and only say where to look: the row of the message decides. An entry too many
 * does no harm. None may be missing, or a status would not find its message. Therefore a row counts before it is in
 * memory: whatever is newer than what the memory has seen is searched in the table.
 */
import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { textHash } from "#src/core/text-hash.ts";
import { oncePerConnection, type ReadTx, type Tx } from "#src/db/transaction.ts";
import {
  deleteIndexed,
  deleteMoved,
  indexedByHash,
  insertIndexed,
  insertRecent,
  moveSlice,
  recentAfter,
  unseenByHash,
} from "./network-id-statements.ts";
import { messageById } from "./statements.ts";
import { type Message, messages, recentNetworkIds } from "./table.ts";

/** A move takes this many steps, each with an equal part of all hashes. */
export const SLICES = 64;
const HASH_MIN = -(2 ** 31);
const SLICE_WIDTH = 2 ** 32 / SLICES;

/** Ids of messages by the hash of their network's id. */
type Known = Map<number, number[]>;

interface Watch {
  count: number;
  onDue: () => void;
}

/** What one connection has in memory of `recent_network_ids`. */
class RecentIds {
  /** The rows up to this id have been seen. */
  seen = 0;
  known: Known = new Map();
  /** Those that are moving, with the last of their rows. */
  moving: { until: number; known: Known } | null = null;
  watch: Watch | null = null;

  /** A committed row. Rows of another process may lie before it: then it is loaded after them. */
  append(id: number, hash: number, messageId: number): void {
    const isNext = id === this.seen + 1;
    if (isNext) this.add(id, hash, messageId);
    if (this.watch !== null && (!isNext || this.known.size >= this.watch.count)) this.watch.onDue();
  }

  add(id: number, hash: number, messageId: number): void {
    this.seen = id;
    const others = this.known.get(hash);
    if (others === undefined) this.known.set(hash, [messageId]);
    else others.push(messageId);
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
  const hash = textHash(networkMessageId);
  for (const id of listCandidates(tx, hash)) {
    const message = messageById(tx).get({ id });
    if (message?.networkMessageId === networkMessageId && message.numberId === numberId) return message;
  }
  return undefined;
}

function* listCandidates(tx: ReadTx, hash: number): Generator<number> {
  const { seen, known, moving } = recentIds(tx);
  yield* known.get(hash) ?? [];
  yield* moving?.known.get(hash) ?? [];
  for (const { messageId } of unseenByHash(tx).all({ seen, hash })) yield messageId;
  for (const { messageId } of indexedByHash(tx).all({ hash })) yield messageId;
}

/** Call it with the messages that are deleted, or whose ids are. */
export function removeNetworkIds(tx: Tx, removed: readonly Pick<Message, "id" | "networkMessageId">[]): void {
  const named = removed.filter(({ networkMessageId }) => networkMessageId !== null);
  if (named.length === 0) return;
  for (const { id: messageId, networkMessageId } of named) {
    deleteIndexed(tx).run({ hash: textHash(networkMessageId ?? ""), messageId });
  }
  const ids = named.map(({ id }) => id);
  // The table is short: it is read once for all of them.
  tx.db.delete(recentNetworkIds).where(inArray(recentNetworkIds.messageId, ids)).run();
}

/**
 * Calls `onDue`, perhaps often, while there are rows to load or at least `count` ids to move. Later calls replace the
 * watch.
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

/** Begins to move what is in memory if there is enough. Returns whether a move is under way, perhaps an interrupted one. */
export function beginMove(tx: ReadTx): boolean {
  const recent = recentIds(tx);
  const { watch } = recent;
  if (recent.moving === null && watch !== null && recent.known.size >= watch.count) {
    recent.moving = { until: recent.seen, known: recent.known };
    recent.known = new Map();
  }
  return recent.moving !== null;
}

/** Copies the ids of one slice, from 0 to `SLICES - 1`, into the index. May be repeated. */
export function copySlice(tx: Tx, slice: number): void {
  const { moving } = recentIds(tx);
  if (moving === null) return;
  const from = HASH_MIN + slice * SLICE_WIDTH;
  moveSlice(tx).run({ until: moving.until, from, to: from + SLICE_WIDTH });
}

/** Every slice has been copied. */
export function endMove(tx: Tx): void {
  const recent = recentIds(tx);
  const { moving } = recent;
  if (moving === null) return;
  deleteMoved(tx).run({ until: moving.until });
  tx.afterCommit(() => {
    if (recent.moving === moving) recent.moving = null;
  });
}

/** The tables have been replaced by an earlier state of theirs. */
export function forgetRecent(tx: ReadTx): void {
  const recent = recentIds(tx);
  Object.assign(recent, new RecentIds(), { watch: recent.watch });
}

/** A workspace's messages are those of an earlier state, and may have ids that have been removed since. */
export function restoreNetworkIds(tx: Tx, workspaceId: number): void {
  const restored = tx.db
    .select({ id: messages.id, networkMessageId: messages.networkMessageId })
    .from(messages)
    .where(and(eq(messages.workspaceId, workspaceId), isNotNull(messages.networkMessageId)))
    .all();
  for (const { id: messageId, networkMessageId } of restored) {
    insertIndexed(tx).run({ hash: textHash(networkMessageId ?? ""), messageId });
  }
}
