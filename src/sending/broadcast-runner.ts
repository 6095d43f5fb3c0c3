/**
 * Keeps broadcasts going: builds those that are queueing, gives those that run to the lane of their number, and lets those
 * go on that something stopped which is over. What is to be done stands in the broadcasts themselves, so a start finds
 * all of it again.
 */

import type { Timer } from "#src/core/clock.ts";
import type { LatenessRules } from "#src/domain/broadcasts/lateness.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { canWake, wakeBroadcasts } from "#src/domain/broadcasts/start.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { type BuildOptions, buildBroadcast } from "./build-broadcast.ts";
import { type LaneOptions, NumberLane } from "./number-queue.ts";

export interface BroadcastRunnerOptions extends LaneOptions, BuildOptions {
  lateness: LatenessRules;
}

/** While one is under way it looks at least this often: a night ends, a network can be reached again, a clock is set. */
const LOOK_AT_LEAST_MS = 60_000;
const PROBE_TIMEOUT_MS = 10_000;

export class BroadcastRunner {
  readonly #options: BroadcastRunnerOptions;
  readonly #lanes = new Map<number, NumberLane>();
  readonly #building = new Map<number, Promise<void>>();
  #timer: Timer | null = null;
  #isRunning = false;
  #isNudged = false;
  #isStopped = true;
  /** When (monotonic) networks were last asked whether they answer. */
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BroadcastRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Nobody else is taken; who is on the way is waited for. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const lane of this.#lanes.values()) lane.stop();
  }

  nudge(): void {
    if (this.#isStopped) return;
    this.#isNudged = true;
    if (!this.#isRunning) void this.#run();
  }

  get isActive(): boolean {
    return this.#isRunning || this.#building.size > 0 || [...this.#lanes.values()].some((lane) => lane.isActive);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isNudged && !this.#isStopped) {
        this.#isNudged = false;
        await this.#look();
      }
    } catch (error) {
      this.#options.log.error("broadcasts could not be looked at; trying again in a minute", { error });
      this.#sleep(LOOK_AT_LEAST_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  async #look(): Promise<void> {
    const { store, clock, lateness } = this.#options;
    const resting = store.read((reading) => {
      const now = reading.now;
      const awake = listOpen(reading, ["queueing", "running"]);
      const paused = listOpen(reading, ["paused"]);
      return {
        hasPaused: paused.length > 0,
        isNightOver: awake.some(({ waitsUntil }) => waitsUntil !== null && waitsUntil <= now),
        over: paused.filter((broadcast) => canWake(reading, broadcast)),
      };
    });
    if (resting.isNightOver || resting.over.length > 0) {
      const reachable = await this.#reachable(resting.over);
      await store.write((tx) => wakeBroadcasts(tx, lateness, ({ numberId }) => reachable.has(numberId)));
    }
    const open = store.read((reading) => listOpen(reading, ["queueing", "running"]));
    const now = clock.now();
    const awake = open.filter(({ waitsUntil }) => waitsUntil === null || waitsUntil <= now);
    for (const { id } of awake.filter(({ status }) => status === "queueing")) this.#build(id);
    this.#offer(awake.filter(({ status }) => status === "running"));
    const nights = open.flatMap(({ waitsUntil }) =>
      waitsUntil !== null && waitsUntil > now ? [waitsUntil - now] : [],
    );
    // Where none is under way, a new one says so itself.
    if (open.length > 0 || resting.hasPaused) this.#sleep(Math.min(LOOK_AT_LEAST_MS, ...nights));
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
    const numbers = new Set([...this.#lanes.keys(), ...running.map(({ numberId }) => numberId)]);
    for (const numberId of numbers) {
      const lane = this.#lanes.get(numberId) ?? new NumberLane(numberId, this.#options);
      lane.offer(running.filter((broadcast) => broadcast.numberId === numberId).map(({ id }) => id));
      if (lane.isIdle) this.#lanes.delete(numberId);
      else this.#lanes.set(numberId, lane);
    }
  }

  /** Numbers whose network answers again; asked once a minute at most, and only where a broadcast waits for it. */
  async #reachable(resting: readonly Broadcast[]): Promise<Set<number>> {
    const { store, networks, clock } = this.#options;
    const waiting = resting.filter(({ pauseCause }) => pauseCause === "unreachable");
    const now = clock.monotonic();
    if (waiting.length === 0 || now - this.#probedAt < LOOK_AT_LEAST_MS) return new Set();
    this.#probedAt = now;
    const found = new Set<number>();
    for (const { numberId } of waiting) {
      const number = store.read((reading) => findNumber(reading, numberId));
      if (number !== undefined && (await networks[number.network].isReachable(PROBE_TIMEOUT_MS))) found.add(numberId);
    }
    return found;
  }

  #sleep(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.nudge());
  }
}
