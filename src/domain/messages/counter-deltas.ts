/**
 * Many recipients' moves of one operation, counted together: each broadcast's figures and account are read once and
 * written once. Nothing is in the tables before `flush`, which belongs to the same operation; one that is undone takes
 * its tally with it. Only for moves by status: nobody else may read or write the same figures in between.
 */
import type { Tx } from "#src/db/transaction.ts";
import { bookCharge } from "../billing/hold.ts";
import { adjustCounters, getCounters } from "./adjust-counters.ts";
import { type BreakerSignal, countStatus } from "./breaker.ts";
import {
  addDelta,
  type CounterDelta,
  computeDelta,
  effectiveState,
  type RecipientState,
  zeroDelta,
} from "./broadcast-counters.ts";
import type { BroadcastCounters } from "./table.ts";

interface BroadcastDelta {
  counters: BroadcastCounters;
  total: CounterDelta;
  /** Whether a streak of failures may have begun: without one, an arrival has none to end. */
  hasStreak: boolean;
}

export class CounterDeltas {
  readonly #tx: Tx;
  readonly #byBroadcast = new Map<number, BroadcastDelta>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /** One recipient's row moved from `before` to `after`. */
  countMove(broadcastId: number, messageId: number, before: RecipientState, after: RecipientState): void {
    const { counters, total } = this.#deltaOf(broadcastId);
    const delta = computeDelta(effectiveState(before, counters), effectiveState(after, counters), counters.rate);
    if (counters.settledAt !== null && delta.charged > 0) {
      bookCharge(this.#tx, counters.workspaceId, { messageId, broadcastId }, delta.charged);
    }
    addDelta(total, delta);
  }

  /** What a status reported of one recipient, for the breaker: their order matters, so it is written at once. */
  countStatus(broadcastId: number, signal: BreakerSignal): void {
    const broadcast = this.#deltaOf(broadcastId);
    if (signal.kind === "failed") broadcast.hasStreak = true;
    else if (!broadcast.hasStreak || signal.kind === "accepted") return;
    countStatus(this.#tx, broadcastId, signal);
    if (signal.kind === "arrived") broadcast.hasStreak = false;
  }

  /** Writes what was counted; the tally is then as new. */
  flush(): void {
    for (const { counters, total } of this.#byBroadcast.values()) adjustCounters(this.#tx, counters, total);
    this.#byBroadcast.clear();
  }

  #deltaOf(broadcastId: number): BroadcastDelta {
    const known = this.#byBroadcast.get(broadcastId);
    if (known !== undefined) return known;
    const counters = getCounters(this.#tx, broadcastId);
    const broadcast = {
      counters,
      total: { ...zeroDelta },
      hasStreak: counters.statusRepeats > 0 || counters.statusFailures > 0,
    };
    this.#byBroadcast.set(broadcastId, broadcast);
    return broadcast;
  }
}
