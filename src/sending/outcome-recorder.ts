/**
 * Records outcomes, even if the storage fails for a while. An outcome that cannot be written is kept in memory and retried.
 * Until it is written, its number sends nothing new: each message would be one more outcome that only memory holds.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { NotPromise, Tx } from "#src/db/transaction.ts";

const RETRY_MS = 1_000;

interface OutcomeRecorderOptions {
  store: Store;
  clock: Clock;
  /** Called when a number becomes blocked by an unwritten outcome, and when its outcome is written. */
  onDelay: (numberId: number, messageId: number, isOver: boolean) => void;
  onError: (error: unknown) => void;
}

export class OutcomeRecorder {
  readonly #options: OutcomeRecorderOptions;
  /** Messages whose outcome is only in memory, by number. */
  readonly #unwritten = new Map<number, Set<number>>();
  #isStopped = false;

  constructor(options: OutcomeRecorderOptions) {
    this.#options = options;
  }

  /**
   * Writes in the next group commit; `write` is repeatable (`Store.writeRepeatable`). If the storage fails, it rejects
   * with `StorageUnavailable`, and `fallback` is written as soon as possible; by then no request waits for the message.
   */
  async record<T>(
    numberId: number,
    messageId: number,
    write: (tx: Tx) => NotPromise<T>,
    fallback: (tx: Tx) => unknown = write,
  ): Promise<T> {
    try {
      return await this.#options.store.writeRepeatable(write);
    } catch (error) {
      if (error instanceof StorageUnavailable) void this.#writeLater(numberId, messageId, fallback);
      throw error;
    }
  }

  /** Throws `StorageUnavailable` while an outcome of this number waits to be written. */
  requireUnblocked(numberId: number): void {
    if (!this.isBlocked(numberId)) return;
    throw new StorageUnavailable("an outcome of this number could not be written yet");
  }

  isBlocked(numberId: number): boolean {
    return this.#unwritten.has(numberId);
  }

  /** True while this message's outcome is only in memory. */
  isUnwritten(messageId: number): boolean {
    return [...this.#unwritten.values()].some((messages) => messages.has(messageId));
  }

  /** Outcomes of a broadcast could not be written: the number sends nothing new until `unblock`. */
  block(numberId: number, messageIds: readonly number[]): void {
    const waiting = this.#unwritten.get(numberId) ?? new Set<number>();
    for (const id of messageIds) {
      if (waiting.size === 0) this.#options.onDelay(numberId, id, false);
      waiting.add(id);
    }
    if (waiting.size > 0) this.#unwritten.set(numberId, waiting);
  }

  unblock(numberId: number, messageIds: readonly number[]): void {
    const waiting = this.#unwritten.get(numberId);
    if (waiting === undefined) return;
    for (const id of messageIds) waiting.delete(id);
    if (waiting.size > 0) return;
    this.#unwritten.delete(numberId);
    const [first] = messageIds;
    if (first !== undefined) this.#options.onDelay(numberId, first, true);
  }

  get blockedNumberCount(): number {
    return this.#unwritten.size;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #writeLater(numberId: number, messageId: number, write: (tx: Tx) => unknown): Promise<void> {
    const { store, clock, onDelay, onError } = this.#options;
    const waiting = this.#unwritten.get(numberId) ?? new Set<number>();
    this.#unwritten.set(numberId, waiting.add(messageId));
    onDelay(numberId, messageId, false);
    while (!this.#isStopped) {
      await sleep(clock, RETRY_MS);
      try {
        await store.write((tx) => void write(tx));
        onDelay(numberId, messageId, true);
        break;
      } catch (error) {
        if (error instanceof StorageUnavailable) continue;
        onError(error);
        break;
      }
    }
    waiting.delete(messageId);
    if (waiting.size === 0) this.#unwritten.delete(numberId);
  }
}
