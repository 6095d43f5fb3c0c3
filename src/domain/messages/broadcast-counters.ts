/**
 * How one recipient counts, and what a move of it changes. Pure. When a broadcast is finished, everybody it had not sent
 * to counts as skipped at once, although their rows are written later; when it is settled, what was still held counts
 * as released; and before the cost was blocked, nothing is held. So the rows alone do not say how they count: the
 * broadcast's own state comes in.
 */
import type { BroadcastCounters } from "./table.ts";

/** The states of a recipient; see `messages/message.ts`. */
export type RecipientStatus = "pending" | "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "skipped";
export type RecipientMoney = "none" | "held" | "charged" | "released";

export interface RecipientState {
  status: RecipientStatus;
  money: RecipientMoney;
}

/** Differences, to be added to the figures. */
export interface CounterDelta {
  pending: number;
  sending: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  skipped: number;
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
  held: 0,
  charged: 0,
};

type Counts = Omit<CounterDelta, "held" | "charged">;

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

/** How a recipient's row counts, whatever it says itself. */
export function effectiveState(
  { status, money }: RecipientState,
  { isHeld, isFinished, settledAt }: Pick<BroadcastCounters, "isHeld" | "isFinished" | "settledAt">,
): RecipientState {
  const isSkippedUnsent = isFinished && (status === "pending" || status === "queued");
  const isReleased = money === "held" && (isSkippedUnsent || settledAt !== null || !isHeld);
  return { status: isSkippedUnsent ? "skipped" : status, money: isReleased ? "released" : money };
}

/** What changes when a recipient that counted as `before` counts as `after`; each charge costs `rate`. */
export function computeDelta(before: RecipientState | null, after: RecipientState, rate: number): CounterDelta {
  const delta = { ...zeroDelta };
  for (const [name, count] of Object.entries(COUNTS[after.status])) delta[name as keyof Counts] += count;
  if (before !== null) {
    for (const [name, count] of Object.entries(COUNTS[before.status])) delta[name as keyof Counts] -= count;
  }
  delta.held = rate * (Number(after.money === "held") - Number(before?.money === "held"));
  delta.charged = rate * (Number(after.money === "charged") - Number(before?.money === "charged"));
  return delta;
}

/** Adds the second to the first. */
export function addDelta(sum: CounterDelta, delta: CounterDelta): void {
  for (const name of Object.keys(sum) as (keyof CounterDelta)[]) sum[name] += delta[name];
}

/** What everybody whose end is open may still cost. */
export function openCost({
  pending,
  sending,
  sent,
  delivered,
  rate,
}: Pick<BroadcastCounters, "pending" | "sending" | "sent" | "delivered" | "rate">): number {
  return rate * (pending + sending + sent - delivered);
}

/** Everybody: the figures close. */
export function totalOf({
  pending,
  sending,
  sent,
  failed,
  skipped,
}: Pick<BroadcastCounters, "pending" | "sending" | "sent" | "failed" | "skipped">): number {
  return pending + sending + sent + failed + skipped;
}

/** Nobody's end is open any more: no hand-over under way, and everybody who was sent to has been reported on. */
export function isClosed({
  sending,
  sent,
  delivered,
}: Pick<BroadcastCounters, "sending" | "sent" | "delivered">): boolean {
  return sending === 0 && sent === delivered;
}
