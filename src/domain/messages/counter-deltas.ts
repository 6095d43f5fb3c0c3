/**
 * Collects the counter deltas of many recipients in one operation, so that each broadcast's counters and balance are
 * read once and written once. Nothing is written before `flush`, which must run in the same transaction; a rollback
 * discards the deltas too. Use it only for changes by statuses: no other code may read or write the same counters in
 * between.
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
  /** Whether a streak of failures may be running. If not, an arrival has nothing to reset. */
  hasStreak: boolean;
}

export class CounterDeltas {
  readonly #tx: Tx;
  readonly #byBroadcast = new Map<number, BroadcastDelta>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /** Counts one recipient's change from `before` to `after`. */
  countMove(broadcastId: number, messageId: number, before: RecipientState, after: RecipientState): void {
    const { counters, total } = this.#deltaOf(broadcastId);
    const delta = computeDelta(effectiveState(before, counters), effectiveState(after, counters), counters.rate);
    if (counters.settledAt !== null && delta.charged > 0) {
      bookCharge(this.#tx, counters.workspaceId, { messageId, broadcastId }, delta.charged);
    }
    addDelta(total, delta);
  }

  /**
   * Counts a reported status for the circuit breaker. The order of statuses matters there, so it is written at once.
   */
  countStatus(broadcastId: number, signal: BreakerSignal): void {
    const broadcast = this.#deltaOf(broadcastId);
    if (signal.kind === "failed") broadcast.hasStreak = true;
    else if (!broadcast.hasStreak || signal.kind === "accepted") return;
    countStatus(this.#tx, broadcastId, signal);
    if (signal.kind === "delivered") broadcast.hasStreak = false;
  }

  /** Writes all deltas and starts over with none. */
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
