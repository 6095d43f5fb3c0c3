/** Stopping a broadcast for a while, and letting it go on: by hand, or by itself once what stopped it is over. */

import { formatDuration } from "#src/core/duration.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { getCounters, scheduleReview } from "../messages/adjust-counters.ts";
import { recordResumed, resetBreaker } from "../messages/breaker.ts";
import { holdCost } from "../messages/broadcast-cost.ts";
import { valueCounts } from "../templates/template.ts";
import { shapeOf } from "../templates/view.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { isFinished, type PauseCause, resumesAutomatically } from "./broadcast.ts";
import { type Blocker, findBlocker, findCurrentTemplate } from "./eligibility.ts";
import { finishBroadcast } from "./finish.ts";
import { mayHaveBeenSent } from "./hold-restored.ts";
import { evaluateLateness, type LatenessRules } from "./lateness.ts";
import { trigger, update } from "./move.ts";
import type { Broadcast } from "./table.ts";

/** Null: it was paused or finished already. */
export function pauseBroadcast(tx: Tx, broadcast: Broadcast, cause: PauseCause, reason: string): Broadcast | null {
  return trigger(tx, broadcast, "pause", { pauseCause: cause, statusReason: reason, waitsUntil: null });
}

/** The same, and one that is paused for something that passes by itself waits for a person from now on. */
export function holdBroadcast(tx: Tx, broadcast: Broadcast, cause: PauseCause, reason: string): void {
  if (pauseBroadcast(tx, broadcast, cause, reason) !== null || broadcast.status !== "paused") return;
  if (!resumesAutomatically(broadcast.pauseCause) || resumesAutomatically(cause)) return;
  update(tx, broadcast, { pauseCause: cause, statusReason: reason });
}

/** Pauses it, or ends it where the obstacle never goes away. */
export function applyBlocker(tx: Tx, broadcast: Broadcast, blocker: Blocker): Broadcast | null {
  if (blocker.kind === "ended") return finishBroadcast(tx, broadcast, "failed", blocker.reason);
  return pauseBroadcast(tx, broadcast, blocker.cause, blocker.reason);
}

/**
 * A person lets it go on. What has changed since is taken as confirmed: a template's new words (where the values still
 * fit), and the time of day. Throws `invalid_request` while something stands in the way that a person cannot wave through.
 * `sendUnknown`: after a restore with a gap, send also to those who may have been sent to since.
 */
export function resumeManually(tx: Tx, broadcast: Broadcast, { sendUnknown } = { sendUnknown: false }): Broadcast {
  if (broadcast.status !== "paused") {
    throw refusal(
      isFinished(broadcast.status)
        ? `Broadcast ${broadcast.id} is ${broadcast.status}; it cannot go on.`
        : `Broadcast ${broadcast.id} is ${broadcast.status}; only a paused one can be resumed.`,
    );
  }
  if (mayHaveBeenSent(broadcast, tx.now) && !sendUnknown) {
    // Nobody is sent to: all who were in the copy are failed one after the other, and then it is complete.
    return resume(tx, update(tx, broadcast, { isFailingUnsent: true, isBuilt: true }), tx.now);
  }
  const confirmed = confirmTemplate(tx, broadcast);
  resetBreaker(tx, broadcast.id);
  const blocker = findBlocker(tx, confirmed);
  if (blocker !== null) {
    if (blocker.kind === "ended") throw refusal(`Broadcast ${broadcast.id} can never go on: ${blocker.reason}.`);
    throw refusal(`Broadcast ${broadcast.id} cannot go on yet: ${blocker.reason}.`);
  }
  return resume(tx, confirmed, tx.now);
}

/** What stopped it may be over. Null: it rests on, or waits for a better hour, or for a person. */
export function resumeAutomatically(tx: Tx, broadcast: Broadcast, rules: LatenessRules): Broadcast | null {
  if (broadcast.status !== "paused" || !resumesAutomatically(broadcast.pauseCause)) return null;
  if (findBlocker(tx, broadcast) !== null) return null;
  if (broadcast.isBuilt && !getCounters(tx, broadcast.id).isHeld && !holdCost(tx, broadcast.id)) return null;
  return applyLateness(tx, resume(tx, broadcast, broadcast.dueSince), rules);
}

function resume(tx: Tx, broadcast: Broadcast, dueSince: number): Broadcast {
  const resumed = trigger(tx, broadcast, "resume", {
    pauseCause: null,
    statusReason: null,
    waitsUntil: null,
    dueSince,
  });
  if (resumed === null) throw new Error(`broadcast ${broadcast.id} could not be resumed from ${broadcast.status}`);
  recordResumed(tx, broadcast.id);
  if (resumed.status === "scheduled" && resumed.sendAt !== null) {
    const job = { kind: "start_broadcast", subject: resumed.id, queueKey: resumed.workspaceId } as const;
    reschedule(tx, { ...job, dueAt: resumed.sendAt });
    return resumed;
  }
  // One that rested may have run empty meanwhile.
  scheduleReview(tx, resumed.id, resumed.workspaceId, tx.now);
  return resumed.startedAt === null ? update(tx, resumed, { startedAt: tx.now }) : resumed;
}

/**
 * Measured once, when it is able to go on: late by too much it waits for a person, at a strange hour for the morning.
 * Returns the broadcast as it is then.
 */
export function applyLateness(tx: Tx, broadcast: Broadcast, rules: LatenessRules): Broadcast {
  const { timezone } = getWorkspace(tx, broadcast.workspaceId);
  const lastSentAt = getCounters(tx, broadcast.id).lastSentAt ?? 0;
  const dueSince = Math.max(broadcast.dueSince, lastSentAt);
  const lateness = evaluateLateness(
    { dueSince, templateCategory: broadcast.templateCategory },
    rules,
    tx.now,
    timezone,
  );
  switch (lateness.kind) {
    case "go_on":
      return broadcast;
    case "late": {
      const reason = `it would go on ${formatDuration(lateness.lateByMs)} late; resume it if it is still wanted`;
      return pauseBroadcast(tx, broadcast, "late", reason) ?? broadcast;
    }
    case "wait":
      return update(tx, broadcast, {
        waitsUntil: lateness.until,
        // From then on it is not late any more.
        dueSince: lateness.until,
        statusReason: `waits until ${clockTime(lateness.until, timezone)}`,
      });
  }
}

function clockTime(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString({ smallestUnit: "minute" });
}

/** The night is over: it goes on. Null: it does not wait. */
export function endWait(tx: Tx, broadcast: Broadcast): Broadcast | null {
  if (broadcast.waitsUntil === null || broadcast.waitsUntil > tx.now) return null;
  return update(tx, broadcast, { waitsUntil: null, statusReason: null });
}

/** Throws where the values no longer fit: then only a new broadcast helps. */
function confirmTemplate(tx: Tx, broadcast: Broadcast): Broadcast {
  const template = findCurrentTemplate(tx, broadcast);
  if (template === undefined) return broadcast;
  const needed = valueCounts(shapeOf(template));
  const current = { header: broadcast.variables.header.length, body: broadcast.variables.body.length };
  if (needed.header !== current.header || needed.body !== current.body) {
    throw refusal(
      `The template ${template.name} takes other values now than this broadcast has. Cancel it and make a new one.`,
    );
  }
  return update(tx, broadcast, {
    templateRefusedAt: null,
    templateCategory: template.category,
    templateFormat: template.parameterFormat,
    templateComponents: template.components,
  });
}

function refusal(message: string): Error {
  return invalidRequest({ broadcast: [message] });
}
