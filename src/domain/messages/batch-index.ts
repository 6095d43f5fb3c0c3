/**
 * An index of messages whose keys come in no order: the networks' ids, and the contacts of single messages. An ordinary
 * index writes a page of its own for nearly every entry of that kind, and in a large database reads it first.
 *
 * So an entry is first kept where it is appended, and found there with the help of what the server has in memory. When
 * thousands have accumulated they move, in the order of the index, where by then several share a page. A move has several
 * steps, each a short transaction, so that other work runs between them; its end marks all of them as moved. Whatever is
 * found only says where to look: the message's own row decides. So a superfluous entry is harmless, a step may be repeated,
 * and a move that ended half-way begins again. A message is found before, during and after its move, by every connection,
 * and also if no move ever happens. `server/batch-indexer.ts` moves the entries.
 */
import type { LogEvent } from "#src/core/log-events.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";

/** Entries that move together. */
export interface BatchMove {
  /** How many steps copy all of them. */
  steps: number;
}

export interface BatchIndex<Move extends BatchMove = BatchMove> {
  name: string;
  /** How a move that failed is logged. */
  failure: { event: LogEvent; message: string };
  /**
   * From now on the connection keeps in memory what has not moved, and calls `onDue` after a commit whenever there may be
   * entries to load, or `batch` of them to move. A later call replaces the watch.
   */
  watch(tx: ReadTx, batch: number, onDue: () => void): void;
  /** Reads into memory what is stored and not there yet, about `limit` entries of it. Returns whether there may be more. */
  load(tx: ReadTx, limit: number): boolean;
  /** What moves next; null while there are fewer than `batch`. */
  plan(tx: ReadTx, batch: number): Move | null;
  /** Copies the entries of one step, from 0, into the index. May be repeated. */
  copy(tx: Tx, move: Move, step: number): void;
  /** Every step has been copied. */
  end(tx: Tx, move: Move): void;
  /** The tables are about to be replaced by an earlier state of theirs, or have been. */
  forget(tx: ReadTx): void;
}
