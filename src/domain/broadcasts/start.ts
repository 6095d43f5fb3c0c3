/** The moments at which a broadcast may begin or go on by itself: its time has come, or the server is back. */
import type { Reading, Tx } from "#src/db/transaction.ts";
import { getFigures } from "../messages/adjust-counters.ts";
import { goesOnByItself } from "./broadcast.ts";
import { findObstacle } from "./eligibility.ts";
import type { LatenessRules } from "./lateness.ts";
import { trigger } from "./move.ts";
import { endWait, judge, resumeByItself, stopAt } from "./pause.ts";
import { findAnyBroadcast, listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** `send_at` has come. Returns when to try again (wall time); null: it is out of the way. */
export function startBroadcast(tx: Tx, id: number, rules: LatenessRules): number | null {
  const broadcast = findAnyBroadcast(tx, id);
  if (broadcast?.status !== "scheduled" || broadcast.sendAt === null) return null;
  if (broadcast.sendAt > tx.now) return broadcast.sendAt;
  const awake = endWait(tx, broadcast) ?? broadcast;
  if (awake.waitsUntil !== null) return awake.waitsUntil;
  const judged = judge(tx, awake, rules);
  if (judged.status !== "scheduled") return null;
  if (judged.waitsUntil !== null) return judged.waitsUntil;
  const started = trigger(tx, judged, "start", { startedAt: tx.now });
  if (started === null) return null;
  const obstacle = findObstacle(tx, started);
  if (obstacle !== null) stopAt(tx, started, obstacle);
  return null;
}

/** The server is back: whoever was under way is judged once, by when it last sent. */
export function judgeAfterStart(tx: Tx, rules: LatenessRules): void {
  for (const broadcast of listOpen(tx, ["queueing", "running"])) {
    const awake = endWait(tx, broadcast) ?? broadcast;
    // Whoever is on the way needs no permission any more.
    if (awake.isBuilt && getFigures(tx, awake.id).toGo === 0) continue;
    if (awake.waitsUntil === null) judge(tx, awake, rules);
  }
}

/**
 * Those whom something that may be over has stopped, and those whose night may be over. What can never go on any more
 * fails, whatever it rests for.
 */
export function wakeBroadcasts(tx: Tx, rules: LatenessRules, isReachable: (broadcast: Broadcast) => boolean): void {
  for (const broadcast of listOpen(tx, ["queueing", "running"])) endWait(tx, broadcast);
  for (const broadcast of listOpen(tx, ["paused"])) {
    const obstacle = findObstacle(tx, broadcast);
    if (obstacle?.kind === "ended") stopAt(tx, broadcast, obstacle);
    else if (broadcast.pauseCause !== "unreachable" || isReachable(broadcast)) resumeByItself(tx, broadcast, rules);
  }
}

/** Whether waking it would change something, as far as can be told without asking its network. */
export function canWake(reading: Reading, broadcast: Broadcast): boolean {
  const obstacle = findObstacle(reading, broadcast);
  return obstacle === null ? goesOnByItself(broadcast.pauseCause) : obstacle.kind === "ended";
}
