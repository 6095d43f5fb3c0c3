/**
 * Applies stored callbacks in the order of their arrival, up to a hundred items in one write. The items of a write are
 * applied together; if one fails, all of them are applied again one by one, each in its own savepoint, and the failed item
 * is noted and skipped. A callback is finished in the same write as its last item. Applying an item twice (after a crash
 * between two writes) changes nothing.
 */

import type { MessageWatch } from "#src/core/change-watch.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { emptyCallback, finishCallback, getCallback, listPending, nextDueAt } from "#src/domain/inbound/callbacks.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import type { CallbackItem, Networks } from "#src/networks/network.ts";
import { applyItem, type BatchContext, type ItemResult, NOT_OURS } from "./apply-item.ts";

interface ApplyOptions {
  store: Store;
  clock: Clock;
  networks: Networks;
  watch: MessageWatch;
  instanceId: string;
  log: Log;
  /** Called for each status of an unknown message, or of a message that another copy of this database sent. */
  onIgnored?: () => void;
}

const BODIES_PER_READ = 64;
/** Bounds how long a request waits for a write in progress. */
const ITEMS_PER_WRITE = 100;
/** A callback with a thousand items for another server would repeat one note a thousand times. */
const NOTES_MAX = 20;
const RETRY_AFTER_FAULT_MS = 2_000;
/** Poll at least this often: the wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;

const NO_EFFECT: ItemResult = { note: null, messageId: null };

interface BatchEntry {
  callback: Omit<Callback, "body">;
  item: CallbackItem;
  isLast: boolean;
}

export class CallbackApplier extends ServiceLoop {
  readonly #options: ApplyOptions;

  constructor(options: ApplyOptions) {
    const { clock, log } = options;
    super({
      name: "apply_callbacks",
      clock,
      retryAfterMs: RETRY_AFTER_FAULT_MS,
      onError: (error) => log.error("callback.batch_failed", "Callbacks could not be applied; trying again", { error }),
    });
    this.#options = options;
  }

  /** Applies what is due now. */
  async runOnce(): Promise<NextRun> {
    const { store } = this.#options;
    const waiting = store.read((tx) => listPending(tx, BODIES_PER_READ));
    let entries: BatchEntry[] = [];
    for (const { id } of waiting) {
      if (this.isStopped) return null;
      entries.push(...this.#entriesOf(id));
      // Callbacks are read and parsed one at a time; between two writes, requests are served.
      if (entries.length >= ITEMS_PER_WRITE) {
        await this.#applyAll(entries);
        entries = [];
      }
    }
    await this.#applyAll(entries);
    return waiting.length === BODIES_PER_READ ? "at_once" : this.#delayUntilDue();
  }

  #delayUntilDue(): NextRun {
    const { store, clock } = this.#options;
    const dueAt = store.read(nextDueAt);
    return dueAt === null ? null : Math.min(Math.max(0, dueAt - clock.now()), POLL_INTERVAL_MAX_MS);
  }

  /** A callback without items must be finished as well. */
  #entriesOf(id: number): BatchEntry[] {
    const { store, networks } = this.#options;
    const { body, ...callback } = store.read((tx) => getCallback(tx, id));
    const parsed = networks[callback.network].parse(body);
    const all: CallbackItem[] = parsed.length > 0 ? parsed : [{ kind: "ignored", about: "an empty body" }];
    return all.map((item, index) => ({ callback, item, isLast: index === all.length - 1 }));
  }

  async #applyAll(entries: BatchEntry[]): Promise<void> {
    const { store, watch, onIgnored } = this.#options;
    const notes = new Map<number, string[]>();
    const erasedCallbacks = new Set<number>();
    for (let start = 0; start < entries.length; start += ITEMS_PER_WRITE) {
      const batch = entries.slice(start, start + ITEMS_PER_WRITE);
      const applied = await store.write((tx) => this.#applyBatch(tx, batch, notes, erasedCallbacks));
      batch.forEach(({ callback }, index) => {
        const { note, messageId } = applied[index] ?? NO_EFFECT;
        if (messageId !== null) watch.notify(messageId);
        if (note !== null) notes.set(callback.id, withNote(notes.get(callback.id), note));
        if (note === NOT_OURS) onIgnored?.();
      });
    }
  }

  /**
   * Returns the result of each item. `earlierNotes` holds the notes of earlier writes by callback; callbacks that name an
   * erased contact are added to `erasedCallbacks`.
   */
  #applyBatch(
    tx: Tx,
    batch: BatchEntry[],
    earlierNotes: ReadonlyMap<number, string[]>,
    erasedCallbacks: Set<number>,
  ): ItemResult[] {
    const applied = this.#applyTogether(tx, batch) ?? this.#applyOneByOne(tx, batch);
    const notes = new Map(earlierNotes);
    batch.forEach(({ callback, isLast }, index) => {
      const { note, isContactErased = false } = applied[index] ?? NO_EFFECT;
      if (note !== null) notes.set(callback.id, withNote(notes.get(callback.id), note));
      if (isContactErased) erasedCallbacks.add(callback.id);
      if (!isLast) return;
      finishCallback(tx, callback.id, notes.get(callback.id)?.join("; ") ?? null);
      if (erasedCallbacks.has(callback.id)) emptyCallback(tx, callback.id);
    });
    return applied;
  }

  /** Null: an item failed, and the savepoint was rolled back. */
  #applyTogether(tx: Tx, batch: BatchEntry[]): ItemResult[] | null {
    try {
      return tx.savepoint(() => {
        const context = this.#newContext(tx);
        const applied = batch.map(({ callback, item }) => handleItem(tx, callback, item, context));
        context.deltas.flush();
        return applied;
      });
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      return null;
    }
  }

  /** A failed item is noted and skipped; only a storage failure is thrown. */
  #applyOneByOne(tx: Tx, batch: BatchEntry[]): ItemResult[] {
    return batch.map(({ callback, item }) => {
      try {
        return tx.savepoint(() => {
          const context = this.#newContext(tx);
          const applied = handleItem(tx, callback, item, context);
          context.deltas.flush();
          return applied;
        });
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        this.#options.log.error("callback.item_failed", "Callback item could not be applied", {
          callback: callback.id,
          error,
        });
        return { note: `failed: ${error instanceof Error ? error.message : String(error)}`, messageId: null };
      }
    });
  }

  #newContext(tx: Tx): BatchContext {
    return { instanceId: this.#options.instanceId, deltas: new CounterDeltas(tx), numbers: new Map() };
  }
}

function handleItem(tx: Tx, callback: BatchEntry["callback"], item: CallbackItem, batch: BatchContext): ItemResult {
  if (item.kind === "broken") return { note: `unreadable: ${item.why}`, messageId: null };
  if (item.kind === "ignored") return NO_EFFECT;
  return applyItem(tx, callback, item, batch);
}

function withNote(notes: readonly string[] = [], note: string): string[] {
  return [...notes, note].slice(0, NOTES_MAX);
}
