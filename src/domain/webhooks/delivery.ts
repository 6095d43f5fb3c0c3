/** The life of a delivery, and when its next attempt is due. Pure. */
import type { Random } from "#src/core/random.ts";

export const deliveryStatuses = [
  /** Made with its event (or by a replay); an attempt is due or under way. The worker takes it out. */
  "pending",
  /** The receiver answered 2xx. Only a replay brings it back. */
  "delivered",
  /** Every attempt failed, or the address was cleared while it waited. Only a replay brings it back. */
  "exhausted",
] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface RetrySchedule {
  /** When to try again, milliseconds after the first attempt, ascending. */
  retryAfterMs: readonly number[];
  /** Each time moves by up to this share of itself, either way: 0.1 is ±10 %. */
  jitter: number;
}

/**
 * When the attempt after `attemptCount` attempts is due, or null when that was the last one. Times count from the first
 * attempt, so slow attempts don't push the later ones back. What has passed already (the server was off) is made up for
 * one by one, the shortest of the times apart: all at once, they would be spent on a receiver that is only just starting.
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
