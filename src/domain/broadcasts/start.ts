/**
 * Starts and resumes broadcasts automatically: when their time has come, when the server is back, or when a blocker is
 * gone.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { resumesAutomatically } from "./broadcast.ts";
import { findChange } from "./change.ts";
import { findBlocker } from "./eligibility.ts";
import type { LatenessRules } from "./lateness.ts";
import { trigger } from "./move.ts";
import { applyBlocker, applyLateness, isWaiting, resumeAutomatically } from "./pause.ts";
import { findAnyBroadcast, listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";
import { endWait } from "./wait.ts";

/** Call at `send_at`. Returns when to try again (wall time); null: nothing is left to do for this broadcast. */
export function startBroadcast(tx: Tx, id: number, rules: LatenessRules): number | null {
  const broadcast = findAnyBroadcast(tx, id);
  if (broadcast?.status !== "scheduled" || broadcast.sendAt === null) return null;
  if (broadcast.sendAt > tx.now) return broadcast.sendAt;
  const current = endWait(tx, broadcast, rules) ?? broadcast;
  if (current.waitsUntil !== null) return current.waitsUntil;
  const checked = applyLateness(tx, current, rules);
  if (checked.status !== "scheduled") return null;
  if (checked.waitsUntil !== null) return checked.waitsUntil;
  const started = trigger(tx, checked, "start", { startedAt: tx.now, statusReason: null });
  if (started === null) return null;
  const blocker = findBlocker(tx, started);
  if (blocker !== null) applyBlocker(tx, started, blocker);
  return null;
}

/** After a restart: evaluates the lateness of each active broadcast once, measured from when it last sent. */
export function applyLatenessAfterStart(tx: Tx, rules: LatenessRules): void {
  for (const broadcast of listOpen(tx, ["queueing", "running"])) {
    const current = endWait(tx, broadcast, rules) ?? broadcast;
    // Nothing is left to send: messages in flight are not affected by lateness.
    if (current.isBuilt && getCounters(tx, current.id).pending === 0) continue;
    if (current.waitsUntil === null) applyLateness(tx, current, rules);
  }
}

/**
 * Resumes broadcasts whose blocker is gone, and ends waits for the end of quiet hours. Fails paused broadcasts that can
 * never continue, whatever the cause of their pause.
 */
export function resumeBroadcasts(tx: Tx, rules: LatenessRules, isReachable: (broadcast: Broadcast) => boolean): void {
  for (const broadcast of listOpen(tx, ["queueing", "running", "scheduled"])) endWait(tx, broadcast, rules);
  for (const broadcast of listOpen(tx, ["paused"])) {
    const blocker = findBlocker(tx, broadcast);
    // What a person is changing may mend it.
    const isMended = blocker?.kind === "permanent" && findChange(tx, broadcast) !== undefined;
    if (blocker?.kind === "permanent" && !isMended) applyBlocker(tx, broadcast, blocker);
    else if (broadcast.pauseCause !== "unreachable" || isReachable(broadcast))
      resumeAutomatically(tx, broadcast, rules);
  }
}

/** Whether resuming would change the broadcast, as far as can be told without asking its network. */
export function canResume(tx: ReadTx, broadcast: Broadcast): boolean {
  const blocker = findBlocker(tx, broadcast);
  if (blocker !== null) return blocker.kind === "permanent" && findChange(tx, broadcast) === undefined;
  return resumesAutomatically(broadcast.pauseCause) && !isWaiting(broadcast, tx.now);
}
