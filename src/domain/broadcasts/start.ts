/** The moments at which a broadcast may begin or go on by itself: its time has come, or the server is back. */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { resumesAutomatically } from "./broadcast.ts";
import { findBlocker } from "./eligibility.ts";
import type { LatenessRules } from "./lateness.ts";
import { trigger } from "./move.ts";
import { applyBlocker, applyLateness, endWait, resumeAutomatically } from "./pause.ts";
import { findAnyBroadcast, listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** `send_at` has come. Returns when to try again (wall time); null: it is out of the way. */
export function startBroadcast(tx: Tx, id: number, rules: LatenessRules): number | null {
  const broadcast = findAnyBroadcast(tx, id);
  if (broadcast?.status !== "scheduled" || broadcast.sendAt === null) return null;
  if (broadcast.sendAt > tx.now) return broadcast.sendAt;
  const current = endWait(tx, broadcast) ?? broadcast;
  if (current.waitsUntil !== null) return current.waitsUntil;
  const checked = applyLateness(tx, current, rules);
  if (checked.status !== "scheduled") return null;
  if (checked.waitsUntil !== null) return checked.waitsUntil;
  const started = trigger(tx, checked, "start", { startedAt: tx.now });
  if (started === null) return null;
  const blocker = findBlocker(tx, started);
  if (blocker !== null) applyBlocker(tx, started, blocker);
  return null;
}

/** The server is back: whoever was under way is judged once, by when it last sent. */
export function applyLatenessAfterStart(tx: Tx, rules: LatenessRules): void {
  for (const broadcast of listOpen(tx, ["queueing", "running"])) {
    const current = endWait(tx, broadcast) ?? broadcast;
    // Whoever is on the way needs no permission any more.
    if (current.isBuilt && getCounters(tx, current.id).pending === 0) continue;
    if (current.waitsUntil === null) applyLateness(tx, current, rules);
  }
}

/**
 * Those whom something that may be over has stopped, and those whose night may be over. What can never go on any more
 * fails, whatever it rests for.
 */
export function resumeBroadcasts(tx: Tx, rules: LatenessRules, isReachable: (broadcast: Broadcast) => boolean): void {
  for (const broadcast of listOpen(tx, ["queueing", "running"])) endWait(tx, broadcast);
  for (const broadcast of listOpen(tx, ["paused"])) {
    const blocker = findBlocker(tx, broadcast);
    if (blocker?.kind === "ended") applyBlocker(tx, broadcast, blocker);
    else if (broadcast.pauseCause !== "unreachable" || isReachable(broadcast))
      resumeAutomatically(tx, broadcast, rules);
  }
}

/** Whether waking it would change something, as far as can be told without asking its network. */
export function canResume(tx: ReadTx, broadcast: Broadcast): boolean {
  const blocker = findBlocker(tx, broadcast);
  return blocker === null ? resumesAutomatically(broadcast.pauseCause) : blocker.kind === "ended";
}
