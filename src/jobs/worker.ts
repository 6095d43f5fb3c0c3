/**
 * Runs the jobs of one kind: claims what is due, queue by queue, calls `perform` for each row, and waits until the next row
 * is due or the worker is notified. Each queue has a bounded number of rows in flight, so that a workspace with a slow or
 * dead receiver does not delay the others.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { claim, listQueues, postpone } from "./claim.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface WorkerOptions {
  store: Store;
  clock: Clock;
  runId: string;
  kind: OutboxKind;
  /** Maximum number of rows of a queue in flight at the same time. */
  concurrency: (queueKey: number) => number;
  /** Does the work and records it, outbox row included. When it throws, the error is reported and the row retried. */
  perform: (row: OutboxRow) => Promise<void>;
  onError: (error: unknown, row: OutboxRow | null) => void;
}

/** When `perform` or a claim threw (a bug, or the storage failed), retry after this long. */
const RETRY_AFTER_FAULT_MS = 5_000;
const RETRY_CLAIM_MS = 1_000;
/** Poll at least this often: the wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;
/** A test that moves the clock by months would wait for every poll. */
const STEADY_POLL_INTERVAL_MS = 7 * 86_400_000;

export class Worker extends ServiceLoop {
  readonly #options: WorkerOptions;
  readonly #inFlight = new Map<number, number>();

  constructor(options: WorkerOptions) {
    const { kind, clock, onError } = options;
    super({ name: kind, clock, retryAfterMs: RETRY_AFTER_FAULT_MS, onError: (error) => onError(error, null) });
    this.#options = options;
  }

  /** True while jobs are claimed or performed. */
  override get isActive(): boolean {
    return super.isActive || this.#inFlight.size > 0;
  }

  /** Claims the due rows for which their queue has free slots, and starts them without waiting for them. */
  async runOnce(): Promise<NextRun> {
    const { store, clock, kind, runId } = this.#options;
    const now = clock.now();
    const queues = store.read((tx) => listQueues(tx, kind));
    const claimable = queues
      .filter(({ dueAt }) => dueAt <= now)
      .map(({ queueKey }) => ({
        queueKey,
        freeSlots: this.#options.concurrency(queueKey) - (this.#inFlight.get(queueKey) ?? 0),
      }))
      .filter(({ freeSlots }) => freeSlots > 0);
    const upcoming = queues.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt);
    if (claimable.length === 0) return upcoming.length > 0 ? this.#delayUntil(Math.min(...upcoming)) : null;
    const rows = await store.writeRepeatable((tx) =>
      claimable.flatMap(({ queueKey, freeSlots }) => claim(tx, kind, queueKey, freeSlots, runId)),
    );
    for (const row of rows) void this.#perform(row);
    if (rows.length > 0) return "at_once";
    // The wall clock was set back between the read and the claim: what was due is due later.
    return this.#delayUntil(Math.max(clock.now() + RETRY_CLAIM_MS, Math.min(...queues.map(({ dueAt }) => dueAt))));
  }

  async #perform(row: OutboxRow): Promise<void> {
    this.#inFlight.set(row.queueKey, (this.#inFlight.get(row.queueKey) ?? 0) + 1);
    try {
      await this.#options.perform(row);
    } catch (error) {
      this.#options.onError(error, row);
      await this.#release(row);
    } finally {
      const remaining = (this.#inFlight.get(row.queueKey) ?? 1) - 1;
      if (remaining > 0) this.#inFlight.set(row.queueKey, remaining);
      else this.#inFlight.delete(row.queueKey);
      this.notify();
    }
  }

  /** Retries until it succeeds: a claimed row that is not released would wait for the next start. */
  async #release(row: OutboxRow): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      try {
        return await store.write((tx) => postpone(tx, row.id, tx.now + RETRY_AFTER_FAULT_MS));
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
