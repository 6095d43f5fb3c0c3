/**
 * Runs the jobs of one kind: calls `perform` for each that is due, queue by queue, and waits until the next one is due or
 * the worker is notified. Each queue has a bounded number of jobs in flight, so that a workspace with a slow or dead receiver
 * does not delay the others. A database has one server, so the worker's memory is enough to begin no job twice.
 */
import { type Clock, nextTurn, sleep } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listJobs, listQueues, postpone } from "./outbox.ts";
import { type Room, takeTurns } from "./shared-room.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface WorkerOptions {
  store: Store;
  clock: Clock;
  kind: OutboxKind;
  /** Maximum number of jobs of a queue in flight at the same time. */
  concurrency: (tx: ReadTx, queueKey: number) => number;
  /** For how many milliseconds a queue begins nothing; 0: it may begin. Default: it may. */
  pausedMs?: (tx: ReadTx, queueKey: number) => number;
  /** The queues with which a queue shares a number of jobs in flight; null: it shares with none. Default: none share. */
  room?: (tx: ReadTx, queueKey: number) => Room | null;
  /** Does the work and records it, outbox row included. When it throws, the error is reported and the job retried. */
  perform: (row: OutboxRow) => Promise<void>;
  onError: (error: unknown, row: OutboxRow | null) => void;
}

/** When `perform` or a look threw (a bug, or the storage failed), retry after this long. */
const RETRY_AFTER_FAULT_MS = 5_000;
/** Poll at least this often: the wall clock may be set back. */
const POLL_INTERVAL_MAX_MS = 600_000;
/** A test that moves the clock by months would wait for every poll. */
const STEADY_POLL_INTERVAL_MS = 7 * 86_400_000;

const TURNS_KEPT_MAX = 10_000;

/** What of a queue may begin now, and when the next of its jobs is due; null: another one ends before that. */
interface Look {
  queueKey: number;
  due: OutboxRow[];
  nextAt: number | null;
  room: Room | null;
}

export class Worker extends ServiceLoop {
  readonly #options: WorkerOptions;
  /** The ids of the jobs in flight, by queue. */
  readonly #inFlight = new Map<number, Set<number>>();
  /** Of queues that share: when each had its last turn. */
  readonly #turns = new Map<number, number>();
  #turn = 0;

  constructor(options: WorkerOptions) {
    const { kind, clock, onError } = options;
    super({ name: kind, clock, retryAfterMs: RETRY_AFTER_FAULT_MS, onError: (error) => onError(error, null) });
    this.#options = options;
  }

  /** True while the worker looks for jobs or has some in flight. */
  override get isActive(): boolean {
    return super.isActive || this.#inFlight.size > 0;
  }

  hasInFlight(queueKey: number): boolean {
    return this.#inFlight.has(queueKey);
  }

  /** Begins the due jobs for which their queue has room, without waiting for them. */
  async runOnce(): Promise<NextRun> {
    // Jobs whose records share a commit end in one turn: those that follow begin together, and share the next one.
    await nextTurn();
    if (this.isStopped) return null;
    const { store, clock, kind } = this.#options;
    const now = clock.now();
    const looks = store.read((tx) => listQueues(tx, kind).map((queue) => this.#look(tx, queue, now)));
    for (const row of looks.flatMap(({ due, room }) => (room === null ? due : []))) void this.#perform(row);
    for (const row of this.#shareRooms(looks)) void this.#perform(row);
    const upcoming = looks.flatMap(({ nextAt }) => nextAt ?? []);
    if (upcoming.length === 0) return null;
    const max = clock.isSteady === true ? STEADY_POLL_INTERVAL_MS : POLL_INTERVAL_MAX_MS;
    return Math.min(Math.max(0, Math.min(...upcoming) - now), max);
  }

  #look(tx: ReadTx, queue: { queueKey: number; dueAt: number }, now: number): Look {
    const { queueKey, dueAt } = queue;
    if (dueAt > now) return { queueKey, due: [], nextAt: dueAt, room: null };
    const pausedMs = this.#options.pausedMs?.(tx, queueKey) ?? 0;
    if (pausedMs > 0) return { queueKey, due: [], nextAt: now + pausedMs, room: null };
    const inFlight = this.#inFlight.get(queueKey);
    const limit = this.#options.concurrency(tx, queueKey);
    const free = limit - (inFlight?.size ?? 0);
    if (free <= 0) return { queueKey, due: [], nextAt: null, room: null };
    // With those in flight, which are the earliest, as many as may be in flight.
    const waiting = listJobs(tx, this.#options.kind, queueKey, limit).filter(({ id }) => inFlight?.has(id) !== true);
    return {
      queueKey,
      due: waiting.filter((row) => row.dueAt <= now).slice(0, free),
      nextAt: waiting.find((row) => row.dueAt > now)?.dueAt ?? null,
      room: this.#options.room?.(tx, queueKey) ?? null,
    };
  }

  /** Of the due jobs whose queues share, those that may begin. The others begin when one of theirs has ended. */
  #shareRooms(looks: readonly Look[]): OutboxRow[] {
    const sharing = looks.filter(({ room }) => room !== null);
    const begun: OutboxRow[] = [];
    const seen = new Set<number>();
    for (const { queueKey, room } of sharing) {
      if (room === null || seen.has(queueKey)) continue;
      const queues = room.queues.map((key) => {
        seen.add(key);
        return {
          inFlight: this.#inFlight.get(key)?.size ?? 0,
          due: sharing.find((look) => look.queueKey === key)?.due ?? [],
          lastTurn: this.#turns.get(key) ?? 0,
        };
      });
      begun.push(...takeTurns(queues, room.limit));
    }
    if (this.#turns.size > TURNS_KEPT_MAX) this.#turns.clear();
    for (const { queueKey } of begun) this.#turns.set(queueKey, ++this.#turn);
    return begun;
  }

  async #perform(row: OutboxRow): Promise<void> {
    const inFlight = this.#inFlight.get(row.queueKey) ?? new Set();
    this.#inFlight.set(row.queueKey, inFlight.add(row.id));
    try {
      await this.#options.perform(row);
    } catch (error) {
      this.#options.onError(error, row);
      await this.#putOff(row);
    } finally {
      inFlight.delete(row.id);
      if (inFlight.size === 0) this.#inFlight.delete(row.queueKey);
      this.notify();
    }
  }

  /** Retries until it succeeds; until then the job counts as in flight. */
  async #putOff({ id }: OutboxRow): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      try {
        return await store.write((tx) => postpone(tx, id, tx.now + RETRY_AFTER_FAULT_MS));
      } catch {
        if (this.isStopped) return;
        await sleep(clock, RETRY_AFTER_FAULT_MS);
      }
    }
  }
}
