/**
 * The loop around one kind of work: claims what is due lane by lane, hands each row to `perform`, and sleeps until the
 * next row is due or somebody nudges it. Lanes are served in turn and each has a bounded number of rows in flight, so
 * that one workspace with a slow or dead receiver delays nobody else.
 */
import type { Clock, Timer } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { claim, listQueues, postpone } from "./claim.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface WorkerOptions {
  store: Store;
  clock: Clock;
  runId: string;
  kind: OutboxKind;
  /** Most rows of a lane in flight at the same time. */
  concurrency: (queueKey: number) => number;
  /** Does the work and records it, outbox row included. What it throws is logged and the row tried again later. */
  perform: (row: OutboxRow) => Promise<void>;
  onError: (error: unknown, row: OutboxRow | null) => void;
}

/** When `perform` threw (a fault of ours or of the storage), the row waits this long. */
const RETRY_AFTER_FAULT_MS = 5_000;
const RETRY_CLAIM_MS = 1_000;
/** The loop looks at least this often, whatever the timer says: a wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #inFlight = new Map<number, number>();
  #timer: Timer | null = null;
  #isRunning = false;
  #isNotified = false;
  #isStopped = true;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.notify();
  }

  /** Looks for work now. Cheap: several nudges in one turn are one look. */
  notify(): void {
    if (this.#isStopped) return;
    this.#isNotified = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** No new work is taken; what is in flight goes on. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** True while work is being claimed or performed. */
  get isActive(): boolean {
    return this.#isRunning || this.#inFlight.size > 0;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isNotified && !this.#isStopped) {
        this.#isNotified = false;
        await this.runOnce();
      }
    } catch (error) {
      this.#options.onError(error, null);
      this.#pollAt(this.#options.clock.now() + RETRY_AFTER_FAULT_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Claims everything that is due and fits, starts it, and arms the timer for what comes next. */
  async runOnce(): Promise<void> {
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
    if (upcoming.length > 0) this.#pollAt(Math.min(...upcoming));
    if (claimable.length === 0) return;
    const rows = await store.write((tx) =>
      claimable.flatMap(({ queueKey, freeSlots }) => claim(tx, kind, queueKey, freeSlots, runId)),
    );
    for (const row of rows) void this.#perform(row);
    if (rows.length > 0) this.#isNotified = true;
    // The wall clock was set back between the look and the claim, so what was due is due later: look again then.
    else this.#pollAt(Math.max(clock.now() + RETRY_CLAIM_MS, Math.min(...queues.map(({ dueAt }) => dueAt))));
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

  /** Keeps trying: a claimed row that is never given back would wait for the next start. */
  async #release(row: OutboxRow): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      try {
        return await store.write((tx) => postpone(tx, row.id, tx.now + RETRY_AFTER_FAULT_MS));
      } catch {
        if (this.#isStopped) return;
        await new Promise<void>((resolve) => clock.setTimer(RETRY_AFTER_FAULT_MS, resolve));
      }
    }
  }

  #pollAt(dueAt: number): void {
    const { clock } = this.#options;
    this.#timer?.cancel();
    // A look that was under way when the worker was stopped must not leave a timer that keeps the process alive.
    if (this.#isStopped) return;
    const delayMs = Math.min(Math.max(0, dueAt - clock.now()), POLL_INTERVAL_MAX_MS);
    this.#timer = clock.setTimer(delayMs, () => this.notify());
  }
}
