/**
 * The loop around one kind of work: claims what is due lane by lane, hands each row to `perform`, and sleeps until the
 * next row is due or somebody nudges it. Lanes are served in turn and each has a bounded number of rows in flight, so
 * that one workspace with a slow or dead receiver delays nobody else.
 */
import type { Clock, Timer } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { claim, lanes, postpone } from "./claim.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface WorkerOptions {
  store: Store;
  clock: Clock;
  boot: string;
  kind: OutboxKind;
  /** Most rows of a lane in flight at the same time. */
  concurrency: (lane: number) => number;
  /** Does the work and records it, outbox row included. What it throws is logged and the row tried again later. */
  perform: (row: OutboxRow) => Promise<void>;
  onError: (error: unknown, row: OutboxRow | null) => void;
}

/** When `perform` threw (a fault of ours or of the storage), the row waits this long. */
const AFTER_FAULT_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;
/** The loop looks at least this often, whatever the timer says: a wall clock may be set back. */
const LOOK_AT_LEAST_MS = 600_000;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #inFlight = new Map<number, number>();
  #timer: Timer | null = null;
  #isRunning = false;
  #isNudged = false;
  #isStopped = true;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Looks for work now. Cheap: several nudges in one turn are one look. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#isNudged = true;
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
      while (this.#isNudged && !this.#isStopped) {
        this.#isNudged = false;
        await this.runOnce();
      }
    } catch (error) {
      this.#options.onError(error, null);
      this.#sleepUntil(this.#options.clock.now() + AFTER_FAULT_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Claims everything that is due and fits, starts it, and arms the timer for what comes next. */
  async runOnce(): Promise<void> {
    const { store, clock, kind, boot } = this.#options;
    const now = clock.now();
    const waiting = store.read((reading) => lanes(reading, kind));
    const wanted = waiting
      .filter(({ dueAt }) => dueAt <= now)
      .map(({ lane }) => ({ lane, room: this.#options.concurrency(lane) - (this.#inFlight.get(lane) ?? 0) }))
      .filter(({ room }) => room > 0);
    const later = waiting.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt);
    if (later.length > 0) this.#sleepUntil(Math.min(...later));
    if (wanted.length === 0) return;
    const rows = await store.write((tx) => wanted.flatMap(({ lane, room }) => claim(tx, kind, lane, room, boot)));
    for (const row of rows) void this.#perform(row);
    if (rows.length > 0) this.#isNudged = true;
    // The wall clock was set back between the look and the claim, so what was due is due later: look again then.
    else this.#sleepUntil(Math.max(clock.now() + LOOK_AGAIN_MS, Math.min(...waiting.map(({ dueAt }) => dueAt))));
  }

  async #perform(row: OutboxRow): Promise<void> {
    this.#inFlight.set(row.lane, (this.#inFlight.get(row.lane) ?? 0) + 1);
    try {
      await this.#options.perform(row);
    } catch (error) {
      this.#options.onError(error, row);
      await this.#giveBack(row);
    } finally {
      const left = (this.#inFlight.get(row.lane) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(row.lane, left);
      else this.#inFlight.delete(row.lane);
      this.nudge();
    }
  }

  /** Keeps trying: a claimed row that is never given back would wait for the next start. */
  async #giveBack(row: OutboxRow): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      try {
        return await store.write((tx) => postpone(tx, row.id, tx.now + AFTER_FAULT_MS));
      } catch {
        if (this.#isStopped) return;
        await new Promise<void>((resolve) => clock.setTimer(AFTER_FAULT_MS, resolve));
      }
    }
  }

  #sleepUntil(dueAt: number): void {
    const { clock } = this.#options;
    this.#timer?.cancel();
    // A look that was under way when the worker was stopped must not leave a timer that keeps the process alive.
    if (this.#isStopped) return;
    const delayMs = Math.min(Math.max(0, dueAt - clock.now()), LOOK_AT_LEAST_MS);
    this.#timer = clock.setTimer(delayMs, () => this.nudge());
  }
}
