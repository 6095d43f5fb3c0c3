/**
 * Runs the jobs of one kind: claims what is due, queue by queue, calls `perform` for each row, and waits until the next row
 * is due or the worker is notified. Each queue has a bounded number of rows in flight, so that a workspace with a slow or
 * dead receiver does not delay the others.
 *
 * Two things save the commit that claims a job. A worker with `enqueueTaken` takes new jobs by memory (`takers.ts`) while
 * its queue has no backlog in the database, and keeps some of them waiting. And work whose record can be repeated claims the
 * job that follows in the same commit (`claimNext`), which takes its place in flight.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { claim, listQueues, postpone } from "./claim.ts";
import { IN_MEMORY, type OutboxKind, type OutboxRow } from "./table.ts";
import { type JobTaker, takersOf } from "./takers.ts";
import { WaitingJobs } from "./waiting-jobs.ts";

/**
 * Claims a due job of the same queue, or returns null: nothing is due, the worker stops, or too many are in flight. Changes
 * nothing in memory, so that a repeatable operation may call it.
 */
export type ClaimNext = (tx: Tx) => OutboxRow | null;

export interface WorkerOptions {
  store: Store;
  clock: Clock;
  runId: string;
  kind: OutboxKind;
  /** With it, the worker takes new jobs by memory. Puts such a job into the outbox, if its subject still waits for it. */
  enqueueTaken?: (tx: Tx, row: OutboxRow, dueAt: number) => void;
  /** Maximum number of rows of a queue in flight at the same time. */
  concurrency: (tx: ReadTx, queueKey: number) => number;
  /**
   * Does the work and records it, outbox row included. When it throws, the error is reported and the row retried. Returns
   * the row that `claimNext` claimed in the transaction of the record; null if it did not call it.
   */
  perform: (row: OutboxRow, claimNext: ClaimNext) => Promise<OutboxRow | null>;
  onError: (error: unknown, row: OutboxRow | null) => void;
}

/** When `perform` or a claim threw (a bug, or the storage failed), retry after this long. */
const RETRY_AFTER_FAULT_MS = 5_000;
const RETRY_CLAIM_MS = 1_000;
/** Poll at least this often: the wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;
/** A test that moves the clock by months would wait for every poll. */
const STEADY_POLL_INTERVAL_MS = 7 * 86_400_000;

/** With as many jobs waiting in memory, of one queue and of all, new ones are enqueued. */
const WAITING_MAX = { queue: 10_000, all: 20_000 };
/** How many of them one transaction enqueues when the worker stops. */
const ENQUEUED_TOGETHER = 1_000;

export class Worker extends ServiceLoop implements JobTaker {
  readonly #options: WorkerOptions;
  readonly #inFlight = new Map<number, number>();
  readonly #waiting = new WaitingJobs();
  /** Queues with due jobs in the database, which come before new ones; null until a run has looked. */
  #backlogged: Set<number> | null = null;
  #isReleasing = false;

  constructor(options: WorkerOptions) {
    const { kind, clock, onError } = options;
    super({ name: kind, clock, retryAfterMs: RETRY_AFTER_FAULT_MS, onError: (error) => onError(error, null) });
    this.#options = options;
    if (options.enqueueTaken !== undefined) options.store.read((tx) => takersOf(tx).set(kind, this));
  }

  get runId(): string {
    return this.#options.runId;
  }

  /** True while jobs are claimed or performed. */
  override get isActive(): boolean {
    return super.isActive || this.#inFlight.size > 0 || this.#waiting.count > 0 || this.#isReleasing;
  }

  hasRoom(queueKey: number): boolean {
    if (this.isStopped || this.#backlogged?.has(queueKey) !== false) return false;
    return this.#waiting.countOf(queueKey) < WAITING_MAX.queue && this.#waiting.count < WAITING_MAX.all;
  }

  take(row: OutboxRow): void {
    this.#waiting.add(row);
    this.notify();
  }

  /** Jobs that wait in memory go to the outbox, for the next start. */
  override stop(): void {
    super.stop();
    void this.#enqueueWaiting();
  }

  /** Claims the due rows for which their queue has free slots, and starts them without waiting for them. */
  async runOnce(): Promise<NextRun> {
    const { store, clock, kind, runId } = this.#options;
    const now = clock.now();
    const queues = store.read((tx) => listQueues(tx, kind));
    const due = queues.filter(({ dueAt }) => dueAt <= now);
    this.#backlogged = new Set(due.map(({ queueKey }) => queueKey));
    this.#beginWaiting();
    const claimable = store
      .read((tx) => due.map(({ queueKey }) => ({ queueKey, freeSlots: this.#freeSlots(tx, queueKey) })))
      .filter(({ freeSlots }) => freeSlots > 0);
    const upcoming = queues.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt);
    if (claimable.length === 0) return upcoming.length > 0 ? this.#delayUntil(Math.min(...upcoming)) : null;
    const rows = await store.writeRepeatable((tx) =>
      claimable.flatMap(({ queueKey, freeSlots }) => claim(tx, kind, queueKey, freeSlots, runId)),
    );
    for (const row of rows) void this.#performAll(row);
    if (rows.length > 0) return "at_once";
    // The wall clock was set back between the read and the claim: what was due is due later.
    return this.#delayUntil(Math.max(clock.now() + RETRY_CLAIM_MS, Math.min(...queues.map(({ dueAt }) => dueAt))));
  }

  /** How many jobs of the database may begin. Those that wait in memory come first. */
  #freeSlots(tx: ReadTx, queueKey: number): number {
    return this.#slots(tx, queueKey) - this.#waiting.countOf(queueKey);
  }

  #slots(tx: ReadTx, queueKey: number): number {
    return this.#options.concurrency(tx, queueKey) - (this.#inFlight.get(queueKey) ?? 0);
  }

  #beginWaiting(): void {
    if (this.isStopped || this.#waiting.count === 0) return;
    // All are asked before one is taken: a look-up may throw.
    const queues = this.#options.store.read((tx) =>
      this.#waiting.queueKeys.map((queueKey) => ({ queueKey, slots: this.#slots(tx, queueKey) })),
    );
    for (const { queueKey, slots } of queues) {
      for (let begun = 0; begun < slots; begun++) {
        const row = this.#waiting.takeFirst(queueKey);
        if (row === null) break;
        void this.#performAll(row);
      }
    }
  }

  async #enqueueWaiting(): Promise<void> {
    const rows = this.#waiting.takeAll();
    if (rows.length === 0) return;
    this.#isReleasing = true;
    try {
      for (let from = 0; from < rows.length; from += ENQUEUED_TOGETHER) {
        await this.#options.store.write((tx) => {
          for (const row of rows.slice(from, from + ENQUEUED_TOGETHER)) this.#options.enqueueTaken?.(tx, row, tx.now);
        });
      }
    } catch {
      // The next start finds them by their subjects.
    } finally {
      this.#isReleasing = false;
    }
  }

  /** Performs a row and those that follow in its place. */
  async #performAll(first: OutboxRow): Promise<void> {
    const { queueKey } = first;
    this.#inFlight.set(queueKey, (this.#inFlight.get(queueKey) ?? 0) + 1);
    try {
      for (let row: OutboxRow | null = first; row !== null; ) row = await this.#perform(row);
    } finally {
      const remaining = (this.#inFlight.get(queueKey) ?? 1) - 1;
      if (remaining > 0) this.#inFlight.set(queueKey, remaining);
      else this.#inFlight.delete(queueKey);
      this.notify();
    }
  }

  async #perform(row: OutboxRow): Promise<OutboxRow | null> {
    try {
      return await this.#options.perform(row, (tx) => this.#claimNext(tx, row.queueKey));
    } catch (error) {
      this.#options.onError(error, row);
      await this.#release(row);
      return null;
    }
  }

  #claimNext(tx: Tx, queueKey: number): OutboxRow | null {
    const { kind, runId } = this.#options;
    if (this.isStopped || this.#backlogged?.has(queueKey) !== true) return null;
    const freeSlots = this.#freeSlots(tx, queueKey);
    // The row that is being recorded is still counted, and makes room.
    if (freeSlots < 0) return null;
    // The queue may have more in flight than before: the receiver answers again.
    if (freeSlots > 0) tx.notify(kind);
    return claim(tx, kind, queueKey, 1, runId)[0] ?? null;
  }

  /** Retries until it succeeds: a job that is not released would wait for the next start. */
  async #release(row: OutboxRow): Promise<void> {
    const { store, clock, enqueueTaken } = this.#options;
    for (;;) {
      try {
        return await store.write((tx) => {
          const dueAt = tx.now + RETRY_AFTER_FAULT_MS;
          if (row.id === IN_MEMORY) enqueueTaken?.(tx, row, dueAt);
          else postpone(tx, row.id, dueAt);
        });
      } catch {
        if (this.isStopped) return;
        await sleep(clock, RETRY_AFTER_FAULT_MS);
      }
    }
  }

  #delayUntil(dueAt: number): number {
    const { clock } = this.#options;
    const max = clock.isSteady === true ? STEADY_POLL_INTERVAL_MS : POLL_INTERVAL_MAX_MS;
    return Math.min(Math.max(0, dueAt - clock.now()), max);
  }
}
