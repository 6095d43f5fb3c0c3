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
import { emptyCallback, finishCallback, getCallback, listWaiting, nextDueAt } from "#src/domain/inbound/callbacks.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { Tally } from "#src/domain/messages/counter-deltas.ts";
import type { Networks, Report } from "#src/networks/network.ts";
import { type Applied, applyReport, NOT_OURS, type ReportBatch } from "./apply-item.ts";

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
const AFTER_FAULT_MS = 2_000;
/** A wall clock may be set back: the loop looks at least this often. */
const LOOK_AT_LEAST_MS = 600_000;

const NOTHING: Applied = { note: null, messageId: null };

interface Item {
  callback: Omit<Callback, "body">;
  report: Report;
  isLast: boolean;
}

export class CallbackApplier {
  readonly #options: ApplyOptions;
  #timer: Timer | null = null;
  #isRunning = false;
  #isNudged = false;
  #isStopped = true;

  constructor(options: ApplyOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  nudge(): void {
    if (this.#isStopped) return;
    this.#isNudged = true;
    if (!this.#isRunning) void this.#run();
  }

  get isActive(): boolean {
    return this.#isRunning;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isNudged && !this.#isStopped) {
        this.#isNudged = false;
        if (await this.runOnce()) this.#isNudged = true;
      }
      this.#sleepUntilDue();
    } catch (error) {
      this.#options.log.error("callbacks could not be applied; trying again", { error });
      this.#sleep(AFTER_FAULT_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Applies what is due now; true when there may be more. */
  async runOnce(): Promise<boolean> {
    const { store } = this.#options;
    const waiting = store.read((reading) => listWaiting(reading, BODIES_PER_READ));
    let items: Item[] = [];
    for (const { id } of waiting) {
      if (this.#isStopped) return false;
      items.push(...this.#itemsOf(id));
      // One body at a time is read and taken apart: between two of them requests and other callbacks have their turn.
      if (items.length >= ITEMS_PER_WRITE) {
        await this.#applyAll(items);
        items = [];
      }
    }
    await this.#applyAll(items);
    return waiting.length === BODIES_PER_READ;
  }

  /** A body without a single item still has to be finished. */
  #itemsOf(id: number): Item[] {
    const { store, networks } = this.#options;
    const { body, ...callback } = store.read((reading) => getCallback(reading, id));
    const reports = networks[callback.network].parse(body);
    const all: Report[] = reports.length > 0 ? reports : [{ kind: "ignored", about: "an empty body" }];
    return all.map((report, index) => ({ callback, report, isLast: index === all.length - 1 }));
  }

  async #applyAll(items: Item[]): Promise<void> {
    const { store, watch, onIgnored } = this.#options;
    const notes = new Map<number, string[]>();
    const ofErased = new Set<number>();
    for (let start = 0; start < items.length; start += ITEMS_PER_WRITE) {
      const batch = items.slice(start, start + ITEMS_PER_WRITE);
      const applied = await store.write((tx) => this.#applyBatch(tx, batch, notes, ofErased));
      batch.forEach(({ callback }, index) => {
        const { note, messageId } = applied[index] ?? NOTHING;
        if (messageId !== null) watch.changed(messageId);
        if (note !== null) notes.set(callback.id, withNote(notes.get(callback.id), note));
        if (note === NOT_OURS) onIgnored?.();
      });
    }
  }

  /**
   * What became of each item. `known`: by body, what could not be applied in earlier writes; `ofErased`: bodies that name
   * somebody who was erased, added to.
   */
  #applyBatch(tx: Tx, batch: Item[], known: ReadonlyMap<number, string[]>, ofErased: Set<number>): Applied[] {
    const applied = this.#applyTogether(tx, batch) ?? this.#applyOneByOne(tx, batch);
    const notes = new Map(known);
    batch.forEach(({ callback, isLast }, index) => {
      const { note, isOfErased = false } = applied[index] ?? NOTHING;
      if (note !== null) notes.set(callback.id, withNote(notes.get(callback.id), note));
      if (isOfErased) ofErased.add(callback.id);
      if (!isLast) return;
      finishCallback(tx, callback.id, notes.get(callback.id)?.join("; ") ?? null);
      if (ofErased.has(callback.id)) emptyCallback(tx, callback.id);
    });
    return applied;
  }

  /** Null where one of them failed: then nothing of any is left. */
  #applyTogether(tx: Tx, batch: Item[]): Applied[] | null {
    try {
      return tx.savepoint(() => {
        const shared = this.#newBatch(tx);
        const applied = batch.map(({ callback, report }) => applyItem(tx, callback, report, shared));
        shared.tally.flush();
        return applied;
      });
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      return null;
    }
  }

  /** One item's fault is noted and passed by; only a failing disk goes on to the caller. */
  #applyOneByOne(tx: Tx, batch: Item[]): Applied[] {
    return batch.map(({ callback, report }) => {
      try {
        return tx.savepoint(() => {
          const shared = this.#newBatch(tx);
          const applied = applyItem(tx, callback, report, shared);
          shared.tally.flush();
          return applied;
        });
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        this.#options.log.error("an item of a callback could not be applied", { callback: callback.id, error });
        return { note: `failed: ${error instanceof Error ? error.message : String(error)}`, messageId: null };
      }
    });
  }

  #newBatch(tx: Tx): ReportBatch {
    return { instanceId: this.#options.instanceId, tally: new Tally(tx), numbers: new Map() };
  }

  #sleepUntilDue(): void {
    if (this.#isStopped) return;
    const { store, clock } = this.#options;
    const dueAt = store.read(nextDueAt);
    if (dueAt !== null) this.#sleep(Math.min(Math.max(0, dueAt - clock.now()), LOOK_AT_LEAST_MS));
  }

  #sleep(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.nudge());
  }
}

function applyItem(tx: Tx, callback: Item["callback"], report: Report, batch: ReportBatch): Applied {
  if (report.kind === "broken") return { note: `unreadable: ${report.why}`, messageId: null };
  if (report.kind === "ignored") return NOTHING;
  return applyReport(tx, callback, report, batch);
}

function withNote(notes: readonly string[] = [], note: string): string[] {
  return [...notes, note].slice(0, NOTES_MAX);
}
