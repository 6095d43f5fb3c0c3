/** Pauses and resumes broadcasts: manually, or automatically when the cause of the pause is gone. */

import { formatDuration } from "#src/core/duration.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { clauseOf } from "#src/core/sentence.ts";
import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { getCounters, scheduleReview } from "../messages/adjust-counters.ts";
import { recordResumed, resetBreaker } from "../messages/breaker.ts";
import { holdCost } from "../messages/broadcast-cost.ts";
import { overrideNetworkHealth } from "../numbers/network-health.ts";
import { findNumber } from "../numbers/read.ts";
import { markReady } from "../numbers/readiness.ts";
import { overrideUnlistedRefusals } from "../numbers/unlisted-refusals.ts";
import { decideWithReason } from "../templates/decide.ts";
import { takesTheSame } from "../templates/needs.ts";
import { isApprovedByNetwork } from "../templates/network-status.ts";
import { shapeOf } from "../templates/view.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { isFinished, type PauseCause, resumesAutomatically } from "./broadcast.ts";
import { type Blocker, findBlocker, findCurrentTemplate } from "./eligibility.ts";
import { finishBroadcast } from "./finish.ts";
import { nameUnknown } from "./hold-restored.ts";
import { evaluateLateness, type LatenessRules } from "./lateness.ts";
import { trigger, update } from "./move.ts";
import { confirmedShape, listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";
import { quietWait } from "./wait.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The pause for the network that waits for a person, of those within a day. */
const NETWORK_PAUSES_MAX = 3;

/**
 * Null: it was paused or finished already. `resumeAt`: when a pause that time alone mends ends. A running broadcast that
 * is paused for the network for the third time in a day waits for a person.
 */
export function pauseBroadcast(
  tx: Tx,
  broadcast: Broadcast,
  cause: PauseCause,
  reason: string,
  resumeAt: number | null = null,
): Broadcast | null {
  const changes = { pauseCause: cause, statusReason: clauseOf(reason), waitsUntil: null, waitsFor: null, resumeAt };
  if (cause !== "network" || broadcast.status !== "running") return trigger(tx, broadcast, "pause", changes);
  const networkPauses = [...broadcast.networkPauses.filter((at) => at > tx.now - DAY_MS), tx.now];
  if (networkPauses.length < NETWORK_PAUSES_MAX) return trigger(tx, broadcast, "pause", { ...changes, networkPauses });
  const statusReason = `${clauseOf(reason)}; this happened ${NETWORK_PAUSES_MAX} times within a day, so a person has to resume it`;
  return trigger(tx, broadcast, "pause", { ...changes, networkPauses: [], pauseCause: "network_again", statusReason });
}

/**
 * Pauses the broadcast. One that is paused for a temporary cause now waits for a person, if `cause`
 * requires it.
 */
export function holdBroadcast(
  tx: Tx,
  broadcast: Broadcast,
  cause: PauseCause,
  reason: string,
  resumeAt: number | null = null,
): void {
  if (pauseBroadcast(tx, broadcast, cause, reason, resumeAt) !== null || broadcast.status !== "paused") return;
  if (!resumesAutomatically(broadcast.pauseCause) || resumesAutomatically(cause)) return;
  update(tx, broadcast, { pauseCause: cause, statusReason: clauseOf(reason), resumeAt });
}

const PAUSED_WITH_NUMBER: readonly PauseCause[] = ["network", "breaker"];

/** The network is down for a number, or refuses its templates: pauses its running broadcasts that have recipients left. */
export function pauseForNetwork(tx: Tx, numberId: number): void {
  for (const broadcast of listOpen(tx, ["running"])) {
    if (broadcast.numberId !== numberId || getCounters(tx, broadcast.id).pending === 0) continue;
    const blocker = findBlocker(tx, broadcast);
    if (blocker?.kind === "temporary" && PAUSED_WITH_NUMBER.includes(blocker.cause))
      applyBlocker(tx, broadcast, blocker);
  }
}

/** Pauses the broadcast, or fails it if the blocker is permanent. */
export function applyBlocker(tx: Tx, broadcast: Broadcast, blocker: Blocker): Broadcast | null {
  if (blocker.kind === "permanent") return finishBroadcast(tx, broadcast, "failed", blocker.reason);
  return pauseBroadcast(tx, broadcast, blocker.cause, blocker.reason);
}

/**
 * Resumes a broadcast by a person's decision. Resuming confirms what has changed since: a template's new text (if the
 * values still fit), and the time of day. Throws `invalid_request` while something blocks the broadcast that a person
 * cannot override, and while recipients may have been sent to since a backup, unless `sendUnknown` decides about them:
 * `true` sends to them, `false` fails them.
 */
export function resumeManually(tx: Tx, broadcast: Broadcast, sendUnknown: boolean | null = null): Broadcast {
  if (broadcast.status !== "paused") {
    throw refusal(
      isFinished(broadcast.status)
        ? `Broadcast ${broadcast.id} is ${broadcast.status}; it cannot continue.`
        : `Broadcast ${broadcast.id} is ${broadcast.status}; only a paused one can be resumed.`,
    );
  }
  const unknown = nameUnknown(tx, broadcast);
  if (unknown !== null && sendUnknown === null) {
    const problem = `The restored copy of broadcast ${broadcast.id} does not know whether ${unknown} got the message since the backup. Decide whether it is sent to them (they may get it twice) or not (they fail, and the broadcast ends).`;
    throw invalidRequest({ send_unknown: [problem] });
  }
  if (unknown !== null && sendUnknown === false) {
    // All unsent recipients in the backup are failed batch by batch, and then the broadcast completes.
    return resume(tx, update(tx, broadcast, { isFailingUnsent: true, isBuilt: true }), tx.now);
  }
  const confirmed = confirmTemplate(tx, broadcast);
  overrideRefusal(tx, broadcast);
  resetBreaker(tx, broadcast.id);
  overrideNetworkHealth(tx, broadcast.numberId);
  overrideUnlistedRefusals(tx, broadcast.numberId, "template");
  const blocker = findBlocker(tx, confirmed);
  if (blocker !== null) {
    if (blocker.kind === "permanent")
      throw refusal(`Broadcast ${broadcast.id} can never continue: ${clauseOf(blocker.reason)}.`);
    throw refusal(`Broadcast ${broadcast.id} cannot continue yet: ${clauseOf(blocker.reason)}.`);
  }
  return resume(tx, confirmed, tx.now);
}

/**
 * Resumes a broadcast whose blocker may be gone. Null: it stays paused. The returned broadcast may wait for the end of
 * quiet hours or for a person.
 */
export function resumeAutomatically(tx: Tx, broadcast: Broadcast, rules: LatenessRules): Broadcast | null {
  if (broadcast.status !== "paused" || !resumesAutomatically(broadcast.pauseCause)) return null;
  if (findBlocker(tx, broadcast) !== null || isWaiting(broadcast, tx.now)) return null;
  if (broadcast.isBuilt && !getCounters(tx, broadcast.id).isHeld && !holdCost(tx, broadcast.id)) return null;
  return applyLateness(tx, resume(tx, broadcast, broadcast.dueSince), rules);
}

/** The time that the network named has not passed yet. */
export function isWaiting({ pauseCause, resumeAt }: Broadcast, now: number): boolean {
  return pauseCause === "wait" && resumeAt !== null && resumeAt > now;
}

/** Puts a paused broadcast back, without a decision about what has changed since: that is made when it starts. */
export function resumeAsItWas(tx: Tx, broadcast: Broadcast): Broadcast {
  return resume(tx, broadcast, broadcast.dueSince);
}

function resume(tx: Tx, broadcast: Broadcast, dueSince: number): Broadcast {
  const resumed = trigger(tx, broadcast, "resume", {
    pauseCause: null,
    statusReason: null,
    waitsUntil: null,
    waitsFor: null,
    resumeAt: null,
    dueSince,
  });
  if (resumed === null) throw new Error(`broadcast ${broadcast.id} could not be resumed from ${broadcast.status}`);
  recordResumed(tx, broadcast.id);
  if (resumed.status === "scheduled" && resumed.sendAt !== null) {
    const job = { kind: "start_broadcast", subject: resumed.id, queueKey: resumed.workspaceId } as const;
    reschedule(tx, { ...job, dueAt: resumed.sendAt });
    return resumed;
  }
  // The broadcast may have run out of recipients during the pause.
  scheduleReview(tx, resumed.id, resumed.workspaceId, tx.now);
  return resumed.startedAt === null ? update(tx, resumed, { startedAt: tx.now }) : resumed;
}

/**
 * Evaluates lateness once, when the broadcast could continue: if it is too late, it waits for a person; in quiet hours,
 * it waits for their end. Returns the broadcast as it is afterwards.
 */
export function applyLateness(tx: Tx, broadcast: Broadcast, rules: LatenessRules): Broadcast {
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  const lastSentAt = getCounters(tx, broadcast.id).lastSentAt ?? 0;
  const dueSince = Math.max(broadcast.dueSince, lastSentAt);
  const lateness = evaluateLateness(
    { dueSince, templateCategory: broadcast.templateCategory },
    rules,
    tx.now,
    workspace,
  );
  switch (lateness.kind) {
    case "on_time":
      return broadcast;
    case "late": {
      const reason = `it would continue ${formatDuration(lateness.lateByMs)} late; resume it if it is still wanted`;
      return pauseBroadcast(tx, broadcast, "late", reason) ?? broadcast;
    }
    case "wait":
      return update(tx, broadcast, quietWait(lateness.until, workspace.timezone));
  }
}

/** A person has looked at why the network refused the number or the template: its next answer decides again. */
function overrideRefusal(tx: Tx, broadcast: Broadcast): void {
  if (broadcast.pauseCause === "account") {
    const sender = findNumber(tx, broadcast.numberId);
    if (sender?.ready === false && sender.unreadyBy === "network") markReady(tx, sender.id);
  }
  if (broadcast.pauseCause !== "template") return;
  const template = findCurrentTemplate(tx, broadcast);
  if (template?.status === "PAUSED" && isApprovedByNetwork(template)) decideWithReason(tx, template, "APPROVED", null);
}

/** Throws if the values no longer fit the template: then only a new broadcast helps. */
function confirmTemplate(tx: Tx, broadcast: Broadcast): Broadcast {
  const template = findCurrentTemplate(tx, broadcast);
  if (template === undefined) return broadcast;
  // The values are frozen by position, so as many values under other names would be swapped.
  if (!takesTheSame(shapeOf(template), confirmedShape(broadcast))) {
    throw refusal(
      `The template ${template.name} now takes other values than this broadcast has. Cancel it and create a new one.`,
    );
  }
  return update(tx, broadcast, {
    templateCategory: template.category,
    templateFormat: template.parameterFormat,
    templateComponents: template.components,
    templateOrder: template.parameterOrder,
  });
}

function refusal(message: string): Error {
  return invalidRequest({ broadcast: [message] });
}
