/**
 * How one recipient counts, and what a change of its state changes in the counters. Pure. A row alone does not say how
 * it counts, because the broadcast's state overrides it: when a broadcast is finished, all unsent recipients count as
 * skipped at once, although their rows are written later; when it is settled, what was still held counts as released;
 * and before the cost is held, nothing counts as held.
 */
import type { BroadcastCounters } from "./table.ts";

/** The states of a recipient; see `message.ts`. */
export type RecipientStatus = "pending" | "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "skipped";
export type RecipientMoney = "none" | "held" | "charged" | "released";

export interface RecipientState {
  status: RecipientStatus;
  money: RecipientMoney;
  /** The network holds the message back. It counts only while the message is `sent`. */
  heldBack?: boolean | null;
}

/** Differences to add to the counters. */
export interface CounterDelta {
  pending: number;
  sending: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  skipped: number;
  heldBack: number;
  held: number;
  charged: number;
}

export const zeroDelta: Readonly<CounterDelta> = {
  pending: 0,
  sending: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  skipped: 0,
  heldBack: 0,
  held: 0,
  charged: 0,
};

type Counts = Omit<CounterDelta, "heldBack" | "held" | "charged">;

const COUNTS: Readonly<Record<RecipientStatus, Partial<Counts>>> = {
  pending: { pending: 1 },
  queued: { pending: 1 },
  sending: { sending: 1 },
  sent: { sent: 1 },
  delivered: { sent: 1, delivered: 1 },
  read: { sent: 1, delivered: 1, read: 1 },
  failed: { failed: 1 },
  skipped: { skipped: 1 },
};

/** How a recipient counts, given its row and the state of its broadcast. */
export function effectiveState(
  { status, money, heldBack = null }: RecipientState,
  { isHeld, isFinished, settledAt }: Pick<BroadcastCounters, "isHeld" | "isFinished" | "settledAt">,
): RecipientState {
  const isSkippedUnsent = isFinished && (status === "pending" || status === "queued");
  const isReleased = money === "held" && (isSkippedUnsent || settledAt !== null || !isHeld);
  return { status: isSkippedUnsent ? "skipped" : status, money: isReleased ? "released" : money, heldBack };
}

/**
 * The difference between a recipient that counted as `before` (null: not at all) and counts as `after`. Each charge
 * costs `rate`.
 */
export function computeDelta(before: RecipientState | null, after: RecipientState, rate: number): CounterDelta {
  const delta = { ...zeroDelta };
  for (const [name, count] of Object.entries(COUNTS[after.status])) delta[name as keyof Counts] += count;
  if (before !== null) {
    for (const [name, count] of Object.entries(COUNTS[before.status])) delta[name as keyof Counts] -= count;
  }
  delta.heldBack = Number(isHeldBack(after)) - Number(before !== null && isHeldBack(before));
  delta.held = rate * (Number(after.money === "held") - Number(before?.money === "held"));
  delta.charged = rate * (Number(after.money === "charged") - Number(before?.money === "charged"));
  return delta;
}

function isHeldBack({ status, heldBack }: RecipientState): boolean {
  return status === "sent" && heldBack === true;
}

/** Adds `delta` to `sum`. */
export function addDelta(sum: CounterDelta, delta: CounterDelta): void {
  for (const name of Object.keys(sum) as (keyof CounterDelta)[]) sum[name] += delta[name];
}

/** What all recipients without a final outcome may still cost. */
export function openCost({
  pending,
  sending,
  sent,
  delivered,
  rate,
}: Pick<BroadcastCounters, "pending" | "sending" | "sent" | "delivered" | "rate">): number {
  return rate * (pending + sending + sent - delivered);
}

/** The number of all recipients: the counters always add up to it. */
export function totalOf({
  pending,
  sending,
  sent,
  failed,
  skipped,
}: Pick<BroadcastCounters, "pending" | "sending" | "sent" | "failed" | "skipped">): number {
  return pending + sending + sent + failed + skipped;
}

/**
 * Whether every outcome is final: no dispatch is under way, and every sent message was reported as delivered or failed.
 */
export function isClosed({
  sending,
  sent,
  delivered,
}: Pick<BroadcastCounters, "sending" | "sent" | "delivered">): boolean {
  return sending === 0 && sent === delivered;
}
