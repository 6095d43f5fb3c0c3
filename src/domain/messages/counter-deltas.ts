/**
 * Collects the counter deltas of many recipients in one operation, so that each broadcast's counters and balance are
 * read once and written once. Nothing is written before `flush`, which must run in the same transaction; a rollback
 * discards the deltas too. Use it only for changes by statuses: no other code may read or write the same counters in
 * between.
 */
import type { Tx } from "#src/db/transaction.ts";
import { bookCharge } from "../billing/hold.ts";
import { hasNetworkTrouble } from "../numbers/network-health.ts";
import { hasUnlistedRefusals } from "../numbers/unlisted-refusals.ts";
import { adjustCounters, getCounters } from "./adjust-counters.ts";
import { type BreakerSignal, countNetworkStatus, countStatus } from "./breaker.ts";
import {
  addDelta,
  type CounterDelta,
  computeDelta,
  effectiveState,
  type RecipientState,
  zeroDelta,
} from "./broadcast-counters.ts";
import { UsageDeltas } from "./network-usage.ts";
import type { BroadcastCounters, Message } from "./table.ts";

type StatusOwner = Pick<
  Message,
  "id" | "numberId" | "contactId" | "type" | "templateCategory" | "broadcastId" | "workspaceId"
>;

interface BroadcastDelta {
  counters: BroadcastCounters;
  total: CounterDelta;
  /** Whether a streak of failures may be running. If not, an arrival has nothing to reset. */
  hasStreak: boolean;
}

export class CounterDeltas {
  readonly #tx: Tx;
  /** Whether the network health of a number may change by a success. */
  readonly #troubledNumbers = new Map<number, boolean>();
  readonly #byBroadcast = new Map<number, BroadcastDelta>();

  /** What the network bills. */
  readonly usage: UsageDeltas;

  constructor(tx: Tx) {
    this.#tx = tx;
    this.usage = new UsageDeltas(tx);
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
   * Counts a reported status for the number's network health and for the circuit breaker. The order of statuses matters
   * there, so it is written at once.
   */
  countStatus(message: StatusOwner, signal: BreakerSignal): void {
    this.#countNetworkStatus(message, signal);
    const { broadcastId } = message;
    if (broadcastId === null) return;
    const broadcast = this.#deltaOf(broadcastId);
    if (signal.kind === "failed") broadcast.hasStreak = true;
    else if (!broadcast.hasStreak || signal.kind === "accepted") return;
    countStatus(this.#tx, broadcastId, signal);
    if (signal.kind === "delivered") broadcast.hasStreak = false;
  }

  #countNetworkStatus(message: StatusOwner, signal: BreakerSignal): void {
    if (signal.kind === "accepted") return;
    const { numberId } = message;
    const isTroubled =
      this.#troubledNumbers.get(numberId) ??
      (hasNetworkTrouble(this.#tx, numberId) || hasUnlistedRefusals(this.#tx, numberId));
    this.#troubledNumbers.set(numberId, isTroubled || signal.kind === "failed");
    if (signal.kind === "failed" || isTroubled) countNetworkStatus(this.#tx, message, signal);
  }

  /** Writes all deltas and starts over with none. */
  flush(): void {
    for (const { counters, total } of this.#byBroadcast.values()) adjustCounters(this.#tx, counters, total);
    this.#byBroadcast.clear();
    this.usage.flush();
  }

  #deltaOf(broadcastId: number): BroadcastDelta {
    const known = this.#byBroadcast.get(broadcastId);
    if (known !== undefined) return known;
    const counters = getCounters(this.#tx, broadcastId);
    const broadcast = {
      counters,
      total: { ...zeroDelta },
      hasStreak: counters.statusRepeats > 0,
    };
    this.#byBroadcast.set(broadcastId, broadcast);
    return broadcast;
  }
}
