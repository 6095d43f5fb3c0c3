/** The states of a delivery and the times of its attempts. Pure. */
import type { Random } from "#src/core/random.ts";

export const deliveryStatuses = [
  /** Created with its event or by a replay; an attempt is due or in flight. The worker ends this state. */
  "pending",
  /** The receiver responded with 2xx. Only a replay restarts it. */
  "delivered",
  /** Every attempt failed, or the address was cleared while it was pending. Only a replay restarts it. */
  "exhausted",
] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface RetrySchedule {
  /** Delays of the retries, in milliseconds after the first attempt, ascending. */
  retryAfterMs: readonly number[];
  /** Each delay varies by up to this fraction, in either direction: 0.1 is ±10 %. */
  jitter: number;
}

/**
 * When the next attempt is due after `attemptCount` attempts, or null if that was the last one. Delays count from the
 * first attempt, so that slow attempts do not push later ones back. Attempts that came due while the server was off are
 * made one by one, the shortest delay apart: made all at once, they would be wasted on a receiver that is only just
 * starting.
 */
export function nextAttemptAt(
  schedule: RetrySchedule,
  firstAttemptAt: number,
  attemptCount: number,
  now: number,
  random: Random,
): number | null {
  const afterMs = schedule.retryAfterMs[attemptCount - 1];
  if (afterMs === undefined) return null;
  const jitter = 1 + schedule.jitter * (random.fraction() * 2 - 1);
  const planned = firstAttemptAt + Math.round(afterMs * jitter);
  return planned > now ? planned : now + Math.round((schedule.retryAfterMs[0] ?? afterMs) * jitter);
}
