/**
 * Applies what networks told us: stored bodies in the order in which they came, item by item, a few hundred items a
 * write. Every item is applied in a savepoint of its own, so a broken one is noted and passed by; a body is done in the
 * same write as its last item, and applying an item twice (after a crash between two writes) changes nothing.
 */
import { finishCallback, listWaiting, nextDueAt } from "#src/domain/callbacks/callbacks.ts";
import type { Callback } from "#src/domain/callbacks/table.ts";
import { changeNumber } from "#src/domain/inbound/change-number.ts";
import { obeyControl } from "#src/domain/inbound/obey-control.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import { findByPhoneNumberId } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Log } from "#src/log.ts";
import type { Report } from "#src/networks/network.ts";
import type { Networks } from "#src/networks/registry.ts";
import type { Clock, Timer } from "#src/primitives/clock.ts";
import { isStorageFailure } from "#src/storage/failure.ts";
import type { Store } from "#src/storage/store.ts";
import type { Tx } from "#src/storage/transaction.ts";
import type { MessageWatch } from "./message-watch.ts";

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
const ITEMS_PER_WRITE = 200;
const AFTER_FAULT_MS = 2_000;
/** A wall clock may be set back: the loop looks at least this often. */
const LOOK_AT_LEAST_MS = 600_000;

interface Item {
  callback: Callback;
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
    const { store, networks } = this.#options;
    const waiting = store.read((reading) => listWaiting(reading, BODIES_PER_READ));
    const items = waiting.flatMap((callback) => itemsOf(callback, networks[callback.network].parse(callback.body)));
    const notes = new Map<number, string>();
    for (let start = 0; start < items.length; start += ITEMS_PER_WRITE) {
      const batch = items.slice(start, start + ITEMS_PER_WRITE);
      const changed = await store.write((tx) => this.#applyBatch(tx, batch, notes));
      for (const messageId of changed) this.#options.watch.changed(messageId);
    }
    return waiting.length === BODIES_PER_READ;
  }

  /** Returns the messages that changed. `notes` collects, by body, what could not be applied. */
  #applyBatch(tx: Tx, batch: Item[], notes: Map<number, string>): number[] {
    const changed: number[] = [];
    for (const { callback, report, isLast } of batch) {
      const note = this.#applyItem(tx, callback, report, changed);
      if (note !== null) notes.set(callback.id, [notes.get(callback.id), note].filter(Boolean).join("; "));
      if (isLast) finishCallback(tx, callback.id, notes.get(callback.id) ?? null);
    }
    return changed;
  }

  /** What went wrong, in words, or null. Only a failing disk goes on to the caller. */
  #applyItem(tx: Tx, callback: Callback, report: Report, changed: number[]): string | null {
    if (report.kind === "broken") return `unreadable: ${report.why}`;
    if (report.kind === "ignored") return null;
    try {
      return tx.savepoint(() => this.#apply(tx, report, changed));
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#options.log.error("an item of a callback could not be applied", { callback: callback.id, error });
      return `failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #apply(tx: Tx, report: Exclude<Report, { kind: "broken" | "ignored" }>, changed: number[]): string | null {
    const number = "phoneNumberId" in report ? findByPhoneNumberId(tx, report.phoneNumberId) : undefined;
    if (number === undefined) return `${report.kind} for a number that is not on this server`;
    return this.#applyOfNumber(tx, number, report, changed);
  }

  #applyOfNumber(
    tx: Tx,
    number: SendingNumber,
    report: Exclude<Report, { kind: "broken" | "ignored" }>,
    changed: number[],
  ): string | null {
    switch (report.kind) {
      case "status": {
        const applied = applyStatus(tx, number, report, this.#options.instanceId);
        if (applied.kind === "applied") changed.push(applied.messageId);
        if (applied.kind === "dropped") this.#options.onIgnored?.();
        return applied.kind === "dropped" ? "a status of a message that is not ours" : null;
      }
      case "inbound":
        receive(tx, number, report);
        return null;
      case "number_change":
        changeNumber(tx, number, report);
        return null;
      case "preference":
        obeyControl(tx, number, report);
        return null;
      default:
        return `${report.kind}: not acted on`;
    }
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

/** A body without a single item still has to be finished. */
function itemsOf(callback: Callback, reports: Report[]): Item[] {
  const items: Report[] = reports.length > 0 ? reports : [{ kind: "ignored", about: "an empty body" }];
  return items.map((report, index) => ({ callback, report, isLast: index === items.length - 1 }));
}
