/**
 * Applies stored callbacks in the order of their arrival, up to a hundred items in one write. The items of a write are
 * applied together; if one fails, all of them are applied again one by one, each in its own savepoint, and the failed item
 * is noted and skipped. A callback is finished in the same write as its last item. Applying an item twice (after a crash
 * between two writes) changes nothing.
 *
 * A start never depends on what a stored callback holds: see `domain/inbound/quarantine.ts`.
 */

import type { MessageWatch } from "#src/core/change-watch.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import {
  emptyCallback,
  finishCallback,
  getCallback,
  lastCallbackId,
  listPending,
  nextDueAt,
} from "#src/domain/inbound/callbacks.ts";
import {
  BODY,
  findQuarantined,
  findSuspects,
  markAlone,
  markBodies,
  TRIES_MAX,
  unmark,
  unmarkAll,
} from "#src/domain/inbound/quarantine.ts";
import { type Callback, type CallbackState, callbackStates } from "#src/domain/inbound/table.ts";
import { countUnused, NOT_OURS, type Unused } from "#src/domain/inbound/unused-items.ts";
import { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import type { CallbackItem, Networks } from "#src/networks/network.ts";
import { applyItem, type BatchContext, type ItemResult } from "./apply-item.ts";
import { doubtPersonOf } from "./doubt-quarantined.ts";

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
const NOTES_MAX = 20;
const RETRY_AFTER_FAULT_MS = 2_000;
/** Poll at least this often: the wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;

const NO_RESULT: ItemResult = { unused: null, messageId: null };

/** What the items of one callback did not bring about, by reason and subject. */
type UnusedItems = Map<string, Unused & { count: number }>;

interface BatchEntry {
  callback: Omit<Callback, "body">;
  /** In the body. */
  position: number;
  item: CallbackItem | Quarantined;
  isLast: boolean;
}

/** `named`: the item itself, whose person is looked for; null if that stopped the server too. */
interface Quarantined {
  kind: "quarantined";
  named: CallbackItem | null;
}

const QUARANTINED = "an item stopped the server three times";

export class CallbackApplier extends ServiceLoop {
  readonly #options: ApplyOptions;
  /** The last callback that was stored before this start; null until the first run. */
  #storedBefore: number | null = null;

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
    this.#storedBefore ??= store.read(lastCallbackId);
    const waiting = store.read((tx) => listPending(tx, BODIES_PER_READ));
    const { marked, suspects } = await this.#mark(waiting.map(({ id }) => id).filter((id) => this.#isOld(id)));
    let entries: BatchEntry[] = [];
    for (const { id } of waiting) {
      if (this.isStopped) {
        if (marked.length > 0) await store.write((tx) => unmarkAll(tx, marked));
        return null;
      }
      if (suspects.has(id)) {
        await this.#applyAll(entries);
        entries = [];
        await this.#applyAlone(id);
        continue;
      }
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

  #isOld(id: number): boolean {
    return id <= (this.#storedBefore ?? 0);
  }

  /** Marks callbacks that an earlier start did not begin yet. `suspects`: those that it began and did not finish. */
  async #mark(ids: number[]): Promise<{ marked: number[]; suspects: Set<number> }> {
    if (ids.length === 0) return { marked: [], suspects: new Set() };
    const { store } = this.#options;
    const suspects = store.read((tx) => findSuspects(tx, ids));
    const marked = ids.filter((id) => !suspects.has(id));
    if (marked.length > 0) await store.write((tx) => markBodies(tx, marked));
    return { marked, suspects };
  }

  /** Item by item, each marked on disk before it is tried. What stopped the process three times is put aside. */
  async #applyAlone(id: number): Promise<void> {
    const { store, log } = this.#options;
    const quarantined = store.read((tx) => findQuarantined(tx, id));
    if (quarantined.size > 0) {
      log.error("callback.quarantined", "Parts of a callback stopped the server three times and were put aside", {
        callback: id,
        items: [...quarantined.keys()].join(),
      });
    }
    if (quarantined.has(BODY)) {
      await store.write((tx) => {
        const about = "reading it stopped the server three times";
        countUnused(tx, new Map([["", { reason: "quarantined", about, count: 1 }]]));
        finishCallback(tx, id, `quarantined: ${about}`, "quarantined");
        unmarkAll(tx, [id]);
      });
      return;
    }
    await store.write((tx) => markAlone(tx, id, BODY));
    const entries = this.#entriesOf(id).map((entry): BatchEntry => {
      const tries = quarantined.get(entry.position);
      if (tries === undefined || entry.item.kind === "quarantined") return entry;
      return { ...entry, item: { kind: "quarantined", named: tries > TRIES_MAX ? null : entry.item } };
    });
    await this.#applyAll(entries, true);
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
    return all.map((item, position) => ({ callback, position, item, isLast: position === all.length - 1 }));
  }

  async #applyAll(entries: BatchEntry[], isAlone = false): Promise<void> {
    const { store, watch, onIgnored } = this.#options;
    const unused = new Map<number, UnusedItems>();
    const erasedCallbacks = new Set<number>();
    const perWrite = isAlone ? 1 : ITEMS_PER_WRITE;
    for (let start = 0; start < entries.length; start += perWrite) {
      if (isAlone && this.isStopped) return;
      const batch = entries.slice(start, start + perWrite);
      const [first] = batch;
      if (isAlone && first !== undefined) await store.write((tx) => markAlone(tx, first.callback.id, first.position));
      const applied = await store
        .writeRepeatable((tx) => this.#applyBatch(tx, batch, unused, erasedCallbacks))
        .catch((error: unknown) => {
          if (isStorageFailure(error)) throw error;
          return store.write((tx) => this.#applyBatch(tx, batch, unused, erasedCallbacks, true));
        });
      batch.forEach(({ callback }, index) => {
        const found = applied[index] ?? NO_RESULT;
        if (found.messageId !== null) watch.notify(found.messageId);
        addTo(unused, callback.id, found.unused);
        if (found.isContactErased === true) erasedCallbacks.add(callback.id);
        if (found.unused === NOT_OURS) onIgnored?.();
      });
    }
  }

  /**
   * Returns the result of each item. `earlier` holds what earlier writes did not use, by callback, and `earlierErased` the
   * callbacks in which they met an erased contact. Throws if an item fails, unless they are applied one by one.
   */
  #applyBatch(
    tx: Tx,
    batch: BatchEntry[],
    earlier: ReadonlyMap<number, UnusedItems>,
    earlierErased: ReadonlySet<number>,
    isOneByOne = false,
  ): ItemResult[] {
    const applied = isOneByOne ? this.#applyOneByOne(tx, batch) : this.#applyTogether(tx, batch);
    // Copied: the write may be rolled back.
    const unused = new Map(batch.map(({ callback: { id } }) => [id, new Map(earlier.get(id))]));
    const erased = new Set(earlierErased);
    batch.forEach(({ callback, position, item, isLast }, index) => {
      const { unused: found, isContactErased = false } = applied[index] ?? NO_RESULT;
      addTo(unused, callback.id, found);
      if (this.#isOld(callback.id) && item.kind !== "quarantined") unmark(tx, callback.id, position);
      if (isContactErased) erased.add(callback.id);
      if (isLast) this.#finish(tx, callback, unused.get(callback.id) ?? new Map(), erased);
    });
    return applied;
  }

  #finish(tx: Tx, { id, state }: BatchEntry["callback"], unused: UnusedItems, erased: ReadonlySet<number>): void {
    // One that is applied again was counted before.
    if (state === null) countUnused(tx, unused);
    finishCallback(tx, id, noteOf(unused), stateOf(unused));
    if (this.#isOld(id)) unmarkAll(tx, [id]);
    if (erased.has(id)) emptyCallback(tx, id);
  }

  #applyTogether(tx: Tx, batch: BatchEntry[]): ItemResult[] {
    const context = this.#newContext(tx);
    const applied = batch.map(({ callback, item }) => handleItem(tx, callback, item, context));
    context.deltas.flush();
    return applied;
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
        const reason = item.kind === "quarantined" ? "quarantined" : "unhandled";
        const about = `failed: ${error instanceof Error ? error.message : String(error)}`;
        return { unused: { reason, about }, messageId: null };
      }
    });
  }

  #newContext(tx: Tx): BatchContext {
    return { instanceId: this.#options.instanceId, deltas: new CounterDeltas(tx) };
  }
}

function handleItem(
  tx: Tx,
  callback: BatchEntry["callback"],
  item: BatchEntry["item"],
  batch: BatchContext,
): ItemResult {
  switch (item.kind) {
    case "quarantined": {
      const isMarked = item.named !== null && doubtPersonOf(tx, callback, item.named);
      const about = isMarked ? `${QUARANTINED}; its person may want to stop` : QUARANTINED;
      return { unused: { reason: "quarantined", about }, messageId: null };
    }
    case "broken":
      return { unused: { reason: "unreadable", about: item.why }, messageId: null };
    case "ignored":
    case "unhandled":
      return { unused: { reason: item.kind, about: item.about }, messageId: null };
    default:
      return applyItem(tx, callback, item, batch);
  }
}

function addTo(unused: Map<number, UnusedItems>, id: number, found: Unused | null): void {
  if (found === null) return;
  const ofCallback = unused.get(id) ?? new Map();
  const key = `${found.reason} ${found.about}`;
  const known = ofCallback.get(key) ?? { ...found, count: 0 };
  unused.set(id, ofCallback.set(key, { ...known, count: known.count + 1 }));
}

/** The worst first. Intentionally ignored items need no attention. */
function noteOf(unused: UnusedItems): string | null {
  const notes = [...unused.values()]
    .filter(({ reason }) => reason !== "ignored")
    .toSorted((a, b) => severityOf(b) - severityOf(a))
    .map(({ reason, about, count }) => `${reason}: ${about}${count === 1 ? "" : ` (${count} times)`}`);
  return notes.length === 0 ? null : notes.slice(0, NOTES_MAX).join("; ");
}

function stateOf(unused: UnusedItems): CallbackState | null {
  const worst = Math.max(-1, ...[...unused.values()].map(severityOf));
  return callbackStates[worst] ?? null;
}

function severityOf({ reason }: Unused): number {
  return reason === "ignored" ? -1 : callbackStates.indexOf(reason);
}
