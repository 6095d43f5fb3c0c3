/**
 * Applies what networks told us: stored bodies in the order in which they came, item by item, some hundred items a
 * write. A broken item is noted and passed by: the items of a write are applied together, and where one fails, once more
 * one by one, each in a savepoint of its own. A body is done in the same write as its last item, and applying an item
 * twice (after a crash between two writes) changes nothing.
 */

import type { MessageWatch } from "#src/core/change-watch.ts";
import type { Clock, Timer } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { emptyCallback, finishCallback, getCallback, listPending, nextDueAt } from "#src/domain/inbound/callbacks.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import type { CallbackItem, Networks } from "#src/networks/network.ts";
import { applyItem, type BatchContext, type ItemResult, NOT_OURS } from "./apply-item.ts";

export interface ApplyOptions {
  store: Store;
  clock: Clock;
  networks: Networks;
  watch: MessageWatch;
  instanceId: string;
  log: Log;
  /** Told of each status whose message another copy of this database made, or nobody knows. */
  onIgnored?: () => void;
}

const BODIES_PER_READ = 64;
/** Few enough that a request which comes meanwhile does not wait for long. */
const ITEMS_PER_WRITE = 100;
/** A body of a thousand items for somebody else says the same a thousand times. */
const NOTES_MAX = 20;
const RETRY_AFTER_FAULT_MS = 2_000;
/** A wall clock may be set back: the loop looks at least this often. */
const POLL_INTERVAL_MAX_MS = 600_000;

const NO_EFFECT: ItemResult = { note: null, messageId: null };

interface BatchEntry {
  callback: Omit<Callback, "body">;
  item: CallbackItem;
  isLast: boolean;
}

export class CallbackApplier {
  readonly #options: ApplyOptions;
  #timer: Timer | null = null;
  #isRunning = false;
  #isNotified = false;
  #isStopped = true;

  constructor(options: ApplyOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.notify();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  notify(): void {
    if (this.#isStopped) return;
    this.#isNotified = true;
    if (!this.#isRunning) void this.#run();
  }

  get isActive(): boolean {
    return this.#isRunning;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isNotified && !this.#isStopped) {
        this.#isNotified = false;
        if (await this.runOnce()) this.#isNotified = true;
      }
      this.#pollWhenDue();
    } catch (error) {
      this.#options.log.error("callbacks could not be applied; trying again", { error });
      this.#pollAfter(RETRY_AFTER_FAULT_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Applies what is due now; true when there may be more. */
  async runOnce(): Promise<boolean> {
    const { store } = this.#options;
    const waiting = store.read((tx) => listPending(tx, BODIES_PER_READ));
    let entries: BatchEntry[] = [];
    for (const { id } of waiting) {
      if (this.#isStopped) return false;
      entries.push(...this.#entriesOf(id));
      // One body at a time is read and taken apart: between two of them requests and other callbacks have their turn.
      if (entries.length >= ITEMS_PER_WRITE) {
        await this.#applyAll(entries);
        entries = [];
      }
    }
    await this.#applyAll(entries);
    return waiting.length === BODIES_PER_READ;
  }

  /** A body without a single item still has to be finished. */
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
   * What became of each item. `known`: by body, what could not be applied in earlier writes; `ofErased`: bodies that name
   * somebody who was erased, added to.
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

  /** Null where one of them failed: then nothing of any is left. */
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

  /** One item's fault is noted and passed by; only a failing disk goes on to the caller. */
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
        this.#options.log.error("an item of a callback could not be applied", { callback: callback.id, error });
        return { note: `failed: ${error instanceof Error ? error.message : String(error)}`, messageId: null };
      }
    });
  }

  #newContext(tx: Tx): BatchContext {
    return { instanceId: this.#options.instanceId, deltas: new CounterDeltas(tx), numbers: new Map() };
  }

  #pollWhenDue(): void {
    if (this.#isStopped) return;
    const { store, clock } = this.#options;
    const dueAt = store.read(nextDueAt);
    if (dueAt !== null) this.#pollAfter(Math.min(Math.max(0, dueAt - clock.now()), POLL_INTERVAL_MAX_MS));
  }

  #pollAfter(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.notify());
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
