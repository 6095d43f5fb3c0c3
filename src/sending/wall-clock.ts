/**
 * Whether the wall clock is to be believed. A time of day that somebody asked for (`send_at`) is only kept by a clock that
 * is right, so scheduled broadcasts wait while it is not. Two things speak against it: what a network's answers are dated,
 * and a commit that seems to lie in the future. Where a network has spoken, its word is the one that counts.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { readLastCommit, writeLastCommit } from "#src/db/instance.ts";
import type { Store } from "#src/db/store.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import type { Networks } from "#src/networks/network.ts";

export interface WallClockOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Asks the networks that date their answers for the time; the answers come to `hear`. */
  ask: () => Promise<void>;
  /** It is right (again): whoever waited for that looks again. */
  onRight: () => void;
}

/** Less is what a network's answer takes, and what people's clocks are off. */
const NETWORK_SKEW_MAX_MS = 5 * 60_000;
const COMMIT_SKEW_MAX_MS = 60_000;
/** How often the time of the last commit is written down: by so much a start may think that it was earlier. */
const RECORD_INTERVAL_MS = 10_000;
const ASK_INTERVAL_MS = 60_000;
const ANSWER_TIMEOUT_MS = 10_000;

export class WallClock {
  readonly #options: WallClockOptions;
  /** Wall time. */
  #lastCommit: number;
  #recordedAt: number;
  /** The networks' time less the monotonic clock: so it goes on between two answers. Null: none has spoken yet. */
  #networkOffset: number | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #isAsking = false;
  #state: "not_known" | "right" | "wrong" = "not_known";

  constructor(options: WallClockOptions) {
    this.#options = options;
    const recorded = readLastCommit(options.store.client);
    this.#lastCommit = recorded ?? options.clock.now();
    this.#recordedAt = recorded ?? Number.NEGATIVE_INFINITY;
  }

  /** It counts as right only when the networks were asked once: a machine may come up with a clock that is wrong. */
  start(): void {
    this.#isStarted = true;
    this.#ask();
  }

  get isRight(): boolean {
    this.check();
    return this.#state === "right";
  }

  get isActive(): boolean {
    return this.#isAsking;
  }

  /** `networkTime`, milliseconds, as an answer that came just now was dated. */
  recordNetworkTime(networkTime: number): void {
    this.#networkOffset = networkTime - this.#options.clock.monotonic();
    this.check();
  }

  /** To be called after every commit. */
  recordCommit(): void {
    const now = this.#options.clock.now();
    if (now >= this.#lastCommit) {
      this.#lastCommit = now;
      if (now - this.#recordedAt >= RECORD_INTERVAL_MS) this.#write(now);
    }
    if (this.#state !== "right") this.check();
  }

  /** Cheap: to be called several times a second. */
  check(): void {
    if (!this.#isStarted || this.#isAsking) return;
    const { log, onRight } = this.#options;
    const before = this.#state;
    const fault = this.#findFault();
    this.#state = fault === null ? "right" : "wrong";
    if (fault !== null) {
      const next = "set it by NTP: timedatectl set-ntp true";
      if (before !== "wrong")
        log.warn(`scheduled broadcasts wait until the wall clock is right: ${fault.reason}`, {
          byMs: fault.byMs,
          next,
        });
      // The machine may have slept, and the monotonic clock with it: only a new answer knows.
      if (this.#networkOffset !== null) this.#ask();
      return;
    }
    if (this.#networkOffset !== null) this.#resetFutureCommit();
    if (before === "wrong") log.info("the wall clock is right again");
    if (before !== "right") onRight();
  }

  /** What speaks against the wall clock, and by how much it is ahead, milliseconds. */
  #findFault(): { byMs: number; reason: string } | null {
    const { clock } = this.#options;
    const now = clock.now();
    if (this.#networkOffset !== null) {
      const byMs = Math.round(now - (this.#networkOffset + clock.monotonic()));
      return Math.abs(byMs) > NETWORK_SKEW_MAX_MS
        ? { byMs, reason: "the network's answers are dated otherwise" }
        : null;
    }
    const byMs = Math.round(now - this.#lastCommit);
    return byMs < -COMMIT_SKEW_MAX_MS ? { byMs, reason: "the last commit was made at a later time" } : null;
  }

  /** The network says that the clock is right, so what was written under a later time was written under a wrong one. */
  #resetFutureCommit(): void {
    const now = this.#options.clock.now();
    if (this.#lastCommit <= now + COMMIT_SKEW_MAX_MS) return;
    this.#lastCommit = now;
    this.#write(now);
  }

  #write(at: number): void {
    this.#recordedAt = at;
    const { store } = this.#options;
    // Where it cannot be written the next commit tries again, or a start knows an older one: no harm in either.
    store.write(() => writeLastCommit(store.client, at)).catch(() => undefined);
  }

  #ask(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#askedAt < ASK_INTERVAL_MS) return;
    this.#askedAt = now;
    this.#isAsking = true;
    void this.#options
      .ask()
      .catch(() => undefined)
      .finally(() => {
        this.#isAsking = false;
        this.check();
      });
  }
}

/** Only networks whose answers are dated, and only where a number is on one: nobody else is called. */
export async function askForTime(store: Store, networks: Networks): Promise<void> {
  if (store.read((tx) => listOnNetwork(tx, "whatsapp")).length === 0) return;
  await networks.whatsapp.isReachable(ANSWER_TIMEOUT_MS);
}
