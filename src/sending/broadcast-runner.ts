/**
 * Advances the open broadcasts: builds the recipients of a queueing broadcast, offers a running one to the queue of its
 * number, and resumes a paused one when the cause of its pause is over. All state is in the broadcasts' rows, so a restart
 * continues where the last run stopped.
 */

import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { listUnreported, reportBlocked } from "#src/domain/broadcasts/blocked.ts";
import { resumesAutomatically } from "#src/domain/broadcasts/broadcast.ts";
import type { LatenessRules } from "#src/domain/broadcasts/lateness.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { canResume, resumeBroadcasts } from "#src/domain/broadcasts/start.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { isWaitOver } from "#src/domain/broadcasts/wait.ts";
import { listDown, probeDueAt, recordProbe } from "#src/domain/numbers/network-health.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { NetworkHealth } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import { type BuildOptions, buildBroadcast } from "./build-broadcast.ts";
import { NumberQueue, type NumberQueueOptions } from "./number-queue.ts";

interface BroadcastRunnerOptions extends NumberQueueOptions, BuildOptions {
  lateness: LatenessRules;
}

/**
 * While a broadcast is open, poll at least this often: quiet hours end, a network recovers, the wall clock is set, and
 * the template of a scheduled broadcast is rejected.
 */
const POLL_INTERVAL_MAX_MS = 60_000;
const PROBE_TIMEOUT_MS = 10_000;

export class BroadcastRunner extends ServiceLoop {
  readonly #options: BroadcastRunnerOptions;
  readonly #queues = new Map<number, NumberQueue>();
  readonly #building = new Map<number, Promise<void>>();
  /** Monotonic time of the last probe of unreachable networks. */
  #probedAt = Number.NEGATIVE_INFINITY;
  /** Time alone changes nothing for the open broadcasts; a commit might. */
  #isParked = false;

  constructor(options: BroadcastRunnerOptions) {
    const { clock, log } = options;
    super({
      name: "run_broadcasts",
      clock,
      retryAfterMs: POLL_INTERVAL_MAX_MS,
      onError: (error) =>
        log.error("broadcast.poll_failed", "Open broadcasts could not be read; trying again in a minute", { error }),
    });
    this.#options = options;
  }

  /** Claims no more recipients. `isActive` is true until the messages in flight have their outcome recorded. */
  override stop(): void {
    super.stop();
    for (const queue of this.#queues.values()) queue.drain();
  }

  override get isActive(): boolean {
    return super.isActive || this.#building.size > 0 || [...this.#queues.values()].some((queue) => queue.isActive);
  }

  /** Call after every commit if the clock is steady. */
  unpark(): void {
    if (this.#isParked) this.notify();
  }

  async runOnce(): Promise<NextRun> {
    const { store, clock, lateness } = this.#options;
    this.#isParked = false;
    const due = store.read((tx) => {
      const now = tx.now;
      const active = listOpen(tx, ["queueing", "running"]);
      const scheduled = listOpen(tx, ["scheduled"]);
      const paused = listOpen(tx, ["paused"]);
      const unreported = listUnreported(tx);
      return {
        down: listDown(tx),
        waitsUntil: paused.flatMap(({ pauseCause, resumeAt }) =>
          pauseCause === "wait" && resumeAt !== null && resumeAt > now ? [resumeAt] : [],
        ),
        isPausedForTime: paused.some(({ pauseCause }) => resumesAutomatically(pauseCause)),
        isWaiting: paused.length > 0 || scheduled.length > 0,
        hasUnreported: unreported.length > 0,
        isWaitOver: [...active, ...scheduled].some((broadcast) => isWaitOver(tx, broadcast, lateness)),
        resumable: paused.filter((broadcast) => canResume(tx, broadcast)),
      };
    });
    await this.#probe(due.down);
    if (due.hasUnreported) await store.write(reportBlocked);
    if (due.isWaitOver || due.resumable.length > 0) {
      const reachable = await this.#findReachable(due.resumable);
      await store.write((tx) => resumeBroadcasts(tx, lateness, ({ numberId }) => reachable.has(numberId)));
    }
    const open = store.read((tx) => listOpen(tx, ["queueing", "running"]));
    const now = clock.now();
    const active = open.filter(({ waitsUntil }) => waitsUntil === null || waitsUntil <= now);
    for (const { id } of active.filter(({ status }) => status === "queueing")) this.#build(id);
    this.#offer(active.filter(({ status }) => status === "running"));
    const waitEnds = open.flatMap(({ waitsUntil }) =>
      waitsUntil !== null && waitsUntil > now ? [waitsUntil - now] : [],
    );
    // Without an open broadcast there is nothing to poll: creating one notifies the runner.
    const probes = store.read(listDown).map((health) => Math.max(1, probeDueAt(health, now) - now));
    const waits = due.waitsUntil.map((until) => Math.max(1, until - now));
    const delays = [...waitEnds, ...probes, ...waits];
    const hasWork = open.length > 0 || due.isWaiting || probes.length > 0;
    // A test that moves the clock by months would wait for every poll.
    this.#isParked = clock.isSteady === true && open.length === 0 && !due.isPausedForTime && delays.length === 0;
    if (this.#isParked) return null;
    return hasWork ? Math.min(POLL_INTERVAL_MAX_MS, ...delays) : null;
  }

  #build(id: number): void {
    if (this.#building.has(id)) return;
    const built = buildBroadcast(this.#options, id, () => this.isStopped)
      .catch((error: unknown) => {
        // The poll a minute later continues where this one stopped.
        if (!this.isStopped)
          this.#options.log.error("broadcast.build_failed", "Recipients of a broadcast could not be built", {
            broadcast: id,
            error,
          });
      })
      .finally(() => {
        this.#building.delete(id);
      });
    this.#building.set(id, built);
  }

  #offer(running: readonly Broadcast[]): void {
    const numbers = new Set([...this.#queues.keys(), ...running.map(({ numberId }) => numberId)]);
    for (const numberId of numbers) {
      const queue = this.#queues.get(numberId) ?? this.#openQueue(numberId);
      queue.offer(running.filter((broadcast) => broadcast.numberId === numberId).map(({ id }) => id));
      if (queue.isIdle) this.#queues.delete(numberId);
      else this.#queues.set(numberId, queue);
    }
  }

  #openQueue(numberId: number): NumberQueue {
    const queue = new NumberQueue(numberId, this.#options);
    queue.start();
    return queue;
  }

  /** Asks about each number that is down, once a minute. When a number recovers, its broadcasts resume. */
  async #probe(down: readonly NetworkHealth[]): Promise<void> {
    const { store, networks, clock, box, lateness, log } = this.#options;
    const due = down.filter((health) => probeDueAt(health, clock.now()) <= clock.now());
    for (const { numberId } of due) {
      const number = store.read((tx) => findNumber(tx, numberId));
      let isGood = false;
      try {
        isGood =
          number !== undefined && (await networks[number.network].probe(senderOf(box, number), PROBE_TIMEOUT_MS));
      } catch (error) {
        log.error("number.probe_failed", "Number could not be probed", { number: numberId, error });
      }
      await store.write((tx) => {
        recordProbe(tx, numberId, isGood);
        resumeBroadcasts(tx, lateness, () => false);
      });
    }
  }

  /** Numbers whose network answers again. Probed at most once a minute, and only for broadcasts that wait for it. */
  async #findReachable(due: readonly Broadcast[]): Promise<Set<number>> {
    const { store, networks, clock, box } = this.#options;
    const waiting = due.filter(({ pauseCause }) => pauseCause === "unreachable");
    const now = clock.monotonic();
    if (waiting.length === 0 || now - this.#probedAt < POLL_INTERVAL_MAX_MS) return new Set();
    this.#probedAt = now;
    const reachable = new Set<number>();
    for (const { numberId } of waiting) {
      const number = store.read((tx) => findNumber(tx, numberId));
      if (
        number !== undefined &&
        (await networks[number.network].isReachable(PROBE_TIMEOUT_MS, undefined, senderOf(box, number)))
      )
        reachable.add(numberId);
    }
    return reachable;
  }
}
