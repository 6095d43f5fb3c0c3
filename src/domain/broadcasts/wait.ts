/**
 * Broadcasts that keep their state and wait for a time: the end of quiet hours, or room under the network's limit.
 * They resume automatically, and waiting makes no broadcast late.
 */
import { startOfDay } from "#src/core/instant.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { findLimitedPortfolio, hasRoom, roomAt } from "../messages/portfolio-limit.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type LatenessRules, quietUntil } from "./lateness.ts";
import { update } from "./move.ts";
import type { Broadcast } from "./table.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Wait = Pick<Broadcast, "waitsUntil" | "waitsFor" | "dueSince" | "statusReason">;

export function quietWait(until: number, timezone: string): Wait {
  const statusReason = `waits until ${clockTime(until, timezone)}`;
  // The broadcast is not late when the wait ends.
  return { waitsUntil: until, waitsFor: "quiet_hours", dueSince: until, statusReason };
}

/** The limit of the number's portfolio is used up. Returns when the wait ends. */
export function waitForRoom(tx: Tx, broadcast: Broadcast, sender: SendingNumber): number {
  const limited = findLimitedPortfolio(tx, sender);
  if (limited === null) return tx.now;
  // Full minutes: people leave the count one at a time, and a broadcast would resume for each of them.
  const until = (Math.floor(Math.max(roomAt(tx, limited), tx.now) / MINUTE_MS) + 1) * MINUTE_MS;
  const { timezone } = getWorkspace(tx, broadcast.workspaceId);
  const count = formatCount(getCounters(tx, broadcast.id).pending);
  const statusReason = `Meta's limit of ${formatCount(limited.limit)} people in 24 hours is used up, as far as this server knows: ${count} wait until ${dayTime(until, tx.now, timezone)}`;
  update(tx, broadcast, { waitsUntil: until, waitsFor: "network_limit", dueSince: until, statusReason });
  return until;
}

/** Whether `endWait` would change the broadcast. */
export function isWaitOver(tx: ReadTx, broadcast: Broadcast, rules: LatenessRules): boolean {
  const { waitsUntil, waitsFor, numberId, workspaceId } = broadcast;
  if (waitsUntil === null) return false;
  if (waitsUntil <= tx.now) return true;
  // The workspace may have changed its quiet hours, or its timezone.
  if (waitsFor === "quiet_hours") return quietUntil(rules, tx.now, getWorkspace(tx, workspaceId)) === null;
  // A message failed, or the network raised its limit.
  const sender = findNumber(tx, numberId);
  return sender !== undefined && hasRoom(tx, sender);
}

/**
 * Ends a wait that is over. A marketing broadcast may still have to wait for the end of quiet hours: they have been changed,
 * or it waited for room and began more than an hour ago. Null: the broadcast is not waiting, or has to wait longer.
 */
export function endWait(tx: Tx, broadcast: Broadcast, rules: LatenessRules): Broadcast | null {
  if (!isWaitOver(tx, broadcast, rules)) return null;
  const { waitsFor, templateCategory, startedAt } = broadcast;
  const isLate = waitsFor === "quiet_hours" || isLateForQuiet(startedAt ?? 0, tx.now);
  if (templateCategory === "MARKETING" && isLate) {
    const workspace = getWorkspace(tx, broadcast.workspaceId);
    const until = quietUntil(rules, tx.now, workspace);
    if (until !== null) return update(tx, broadcast, quietWait(until, workspace.timezone));
  }
  if (broadcast.status === "scheduled") {
    const { id: subject, workspaceId: queueKey } = broadcast;
    reschedule(tx, { kind: "start_broadcast", subject, queueKey, dueAt: tx.now });
  }
  return update(tx, broadcast, { waitsUntil: null, waitsFor: null, statusReason: null });
}

/** A broadcast that began at `startedAt` and continues at `now` has left the time that was chosen, so quiet hours hold. */
export function isLateForQuiet(startedAt: number, now: number): boolean {
  return startedAt < now - HOUR_MS;
}

/** `14:32` */
export function clockTime(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString({ smallestUnit: "minute" });
}

/** `14:32`, or `tomorrow, 10:40`, or `2026-11-24, 10:40` */
function dayTime(ms: number, now: number, timezone: string): string {
  const dayOf = (at: number): Temporal.PlainDate =>
    Temporal.Instant.fromEpochMilliseconds(startOfDay(at, timezone)).toZonedDateTimeISO(timezone).toPlainDate();
  const [day, today] = [dayOf(ms), dayOf(now)];
  const time = clockTime(ms, timezone);
  if (day.equals(today)) return time;
  return day.equals(today.add({ days: 1 })) ? `tomorrow, ${time}` : `${day}, ${time}`;
}

/** `1,750` */
function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
