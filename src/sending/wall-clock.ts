/**
 * Decides whether the wall clock can be trusted. Scheduled messages and broadcasts (`send_at`) wait while it cannot. There
 * are two signs of a wrong clock: the `Date` of a network's answers, and a last commit that lies in the future. Once a network
 * has answered, only its time counts.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { readLastCommit, writeLastCommit } from "#src/db/instance.ts";
import type { Store } from "#src/db/store.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import type { Networks } from "#src/networks/network.ts";

interface WallClockOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Asks the networks that date their answers for the time; the dates arrive at `recordNetworkTime`. */
  ask: () => Promise<void>;
  /** Called when the clock becomes right, at the start and later. */
  onRight: () => void;
}

/** A smaller difference is the latency of an answer, or the usual error of a clock. */
const NETWORK_SKEW_MAX_MS = 5 * 60_000;
const COMMIT_SKEW_MAX_MS = 60_000;
/** How often the time of the last commit is stored; after a restart it may be too early by this much. */
const RECORD_INTERVAL_MS = 10_000;
const ASK_INTERVAL_MS = 60_000;
const ANSWER_TIMEOUT_MS = 10_000;

export class WallClock extends ServiceLoop {
  readonly #options: WallClockOptions;
  /** Wall time. */
  #lastCommit: number;
  #recordedAt: number;
  /** The networks' time minus the monotonic clock, so that it advances between answers. Null: no answer yet. */
  #networkOffset: number | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #state: "not_known" | "right" | "wrong" = "not_known";

  constructor(options: WallClockOptions) {
    const { clock, log } = options;
    super({
      name: "wall_clock",
      clock,
      retryAfterMs: ASK_INTERVAL_MS,
      onError: (error) =>
        log.error("clock.comparison_failed", "Wall clock could not be compared with the networks", { error }),
    });
    this.#options = options;
    const recorded = readLastCommit(options.store.client);
    this.#lastCommit = recorded ?? options.clock.now();
    this.#recordedAt = recorded ?? Number.NEGATIVE_INFINITY;
  }

  get isRight(): boolean {
    this.check();
    return this.#state === "right";
  }

  /** `networkTime`: the date of an answer that just arrived, milliseconds. */
  recordNetworkTime(networkTime: number): void {
    this.#networkOffset = networkTime - this.#options.clock.monotonic();
    this.check();
  }

  /** Call it after every commit. */
  recordCommit(): void {
    const now = this.#options.clock.now();
    if (now >= this.#lastCommit) {
      this.#lastCommit = now;
      if (now - this.#recordedAt >= RECORD_INTERVAL_MS) this.#write(now);
    }
    if (this.#state !== "right") this.check();
  }

  /** Cheap: call it several times a second. Until the networks were asked once, the clock does not count as right. */
  check(): void {
    if (this.isStopped || this.#isAsking) return;
    const { log, onRight } = this.#options;
    const before = this.#state;
    const fault = this.#findFault();
    this.#state = fault === null ? "right" : "wrong";
    if (fault !== null) {
      const next = "synchronize it by NTP: timedatectl set-ntp true";
      if (before !== "wrong")
        log.warn(
          "clock.wrong",
          `Scheduled messages and broadcasts wait until the wall clock is right: ${fault.reason}`,
          {
            byMs: fault.byMs,
            next,
          },
        );
      // The machine may have been suspended, and the monotonic clock with it: only a new answer tells.
      if (this.#networkOffset !== null) this.notify();
      return;
    }
    if (this.#networkOffset !== null) this.#resetFutureCommit();
    if (before === "wrong") log.info("clock.right", "Wall clock is right again");
    if (before !== "right") onRight();
  }

  /** The sign that the wall clock is wrong, and how far it is ahead, milliseconds. */
  #findFault(): { byMs: number; reason: string } | null {
    const { clock } = this.#options;
    const now = clock.now();
    if (this.#networkOffset !== null) {
      const byMs = Math.round(now - (this.#networkOffset + clock.monotonic()));
      return Math.abs(byMs) > NETWORK_SKEW_MAX_MS ? { byMs, reason: "the network's answers have another date" } : null;
    }
    const byMs = Math.round(now - this.#lastCommit);
    return byMs < -COMMIT_SKEW_MAX_MS ? { byMs, reason: "the last commit has a later time" } : null;
  }

  /** The network confirms the clock, so a last commit in the future was written by a wrong clock. */
  #resetFutureCommit(): void {
    const now = this.#options.clock.now();
    if (this.#lastCommit <= now + COMMIT_SKEW_MAX_MS) return;
    this.#lastCommit = now;
    this.#write(now);
  }

  #write(at: number): void {
    this.#recordedAt = at;
    const { store } = this.#options;
    // If it fails, a later commit writes it again; until then a restart reads an older time, which is harmless.
    store.write(() => writeLastCommit(store.client, at)).catch(() => undefined);
  }

  /** Asks the networks for the time, at most once a minute. */
  async runOnce(): Promise<NextRun> {
    const now = this.#options.clock.monotonic();
    if (now - this.#askedAt < ASK_INTERVAL_MS) return null;
    this.#askedAt = now;
    this.#isAsking = true;
    try {
      await this.#options.ask();
    } catch {
      // An unreachable network says nothing about the clock.
    } finally {
      this.#isAsking = false;
    }
    this.check();
    return null;
  }
}

/** Only WhatsApp dates its answers; it is asked only if a number uses it. */
export async function askForTime(store: Store, networks: Networks): Promise<void> {
  if (store.read((tx) => listOnNetwork(tx, "whatsapp")).length === 0) return;
  await networks.whatsapp.isReachable(ANSWER_TIMEOUT_MS);
}
