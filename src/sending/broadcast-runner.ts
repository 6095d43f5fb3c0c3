/**
 * Keeps broadcasts going: builds those that are queueing, gives those that run to the lane of their number, and lets those
 * go on that something stopped which is over. What is to be done stands in the broadcasts themselves, so a start finds
 * all of it again.
 */

import type { Timer } from "#src/core/clock.ts";
import type { LatenessRules } from "#src/domain/broadcasts/lateness.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { canResume, resumeBroadcasts } from "#src/domain/broadcasts/start.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { type BuildOptions, buildBroadcast } from "./build-broadcast.ts";
import { NumberQueue, type NumberQueueOptions } from "./number-queue.ts";

export interface BroadcastRunnerOptions extends NumberQueueOptions, BuildOptions {
  lateness: LatenessRules;
}

/** While one is under way it looks at least this often: a night ends, a network can be reached again, a clock is set. */
const POLL_INTERVAL_MAX_MS = 60_000;
const PROBE_TIMEOUT_MS = 10_000;

export class BroadcastRunner {
  readonly #options: BroadcastRunnerOptions;
  readonly #queues = new Map<number, NumberQueue>();
  readonly #building = new Map<number, Promise<void>>();
  #timer: Timer | null = null;
  #isRunning = false;
  #isNotified = false;
  #isStopped = true;
  /** When (monotonic) networks were last asked whether they answer. */
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BroadcastRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.notify();
  }

  /** Nobody else is taken; who is on the way is waited for. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const queue of this.#queues.values()) queue.stop();
  }

  notify(): void {
    if (this.#isStopped) return;
    this.#isNotified = true;
    if (!this.#isRunning) void this.#run();
  }

  get isActive(): boolean {
    return this.#isRunning || this.#building.size > 0 || [...this.#queues.values()].some((queue) => queue.isActive);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isNotified && !this.#isStopped) {
        this.#isNotified = false;
        await this.#poll();
      }
    } catch (error) {
      this.#options.log.error("broadcasts could not be looked at; trying again in a minute", { error });
      this.#pollAfter(POLL_INTERVAL_MAX_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  async #poll(): Promise<void> {
    const { store, clock, lateness } = this.#options;
    const due = store.read((tx) => {
      const now = tx.now;
      const active = listOpen(tx, ["queueing", "running"]);
      const paused = listOpen(tx, ["paused"]);
      return {
        hasPaused: paused.length > 0,
        areQuietHoursOver: active.some(({ waitsUntil }) => waitsUntil !== null && waitsUntil <= now),
        resumable: paused.filter((broadcast) => canResume(tx, broadcast)),
      };
    });
    if (due.areQuietHoursOver || due.resumable.length > 0) {
      const reachable = await this.#findReachable(due.resumable);
      await store.write((tx) => resumeBroadcasts(tx, lateness, ({ numberId }) => reachable.has(numberId)));
    }
    const open = store.read((tx) => listOpen(tx, ["queueing", "running"]));
    const now = clock.now();
    const active = open.filter(({ waitsUntil }) => waitsUntil === null || waitsUntil <= now);
    for (const { id } of active.filter(({ status }) => status === "queueing")) this.#build(id);
    this.#offer(active.filter(({ status }) => status === "running"));
    const quietEnds = open.flatMap(({ waitsUntil }) =>
      waitsUntil !== null && waitsUntil > now ? [waitsUntil - now] : [],
    );
    // Where none is under way, a new one says so itself.
    if (open.length > 0 || due.hasPaused) this.#pollAfter(Math.min(POLL_INTERVAL_MAX_MS, ...quietEnds));
  }

  #build(id: number): void {
    if (this.#building.has(id)) return;
    const built = buildBroadcast(this.#options, id, () => this.#isStopped)
      .catch((error: unknown) => {
        // The look a minute later begins where it stopped.
        if (!this.#isStopped) this.#options.log.error("a broadcast could not be built", { broadcast: id, error });
      })
      .finally(() => {
        this.#building.delete(id);
      });
    this.#building.set(id, built);
  }

  #offer(running: readonly Broadcast[]): void {
    const numbers = new Set([...this.#queues.keys(), ...running.map(({ numberId }) => numberId)]);
    for (const numberId of numbers) {
      const queue = this.#queues.get(numberId) ?? new NumberQueue(numberId, this.#options);
      queue.offer(running.filter((broadcast) => broadcast.numberId === numberId).map(({ id }) => id));
      if (queue.isIdle) this.#queues.delete(numberId);
      else this.#queues.set(numberId, queue);
    }
  }

  /** Numbers whose network answers again; asked once a minute at most, and only where a broadcast waits for it. */
  async #findReachable(due: readonly Broadcast[]): Promise<Set<number>> {
    const { store, networks, clock } = this.#options;
    const waiting = due.filter(({ pauseCause }) => pauseCause === "unreachable");
    const now = clock.monotonic();
    if (waiting.length === 0 || now - this.#probedAt < POLL_INTERVAL_MAX_MS) return new Set();
    this.#probedAt = now;
    const reachable = new Set<number>();
    for (const { numberId } of waiting) {
      const number = store.read((tx) => findNumber(tx, numberId));
      if (number !== undefined && (await networks[number.network].isReachable(PROBE_TIMEOUT_MS)))
        reachable.add(numberId);
    }
    return reachable;
  }

  #pollAfter(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.notify());
  }
}
