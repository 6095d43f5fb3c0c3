/**
 * The life of a broadcast: states, why it rests, and which trigger moves it where. Pure. Cancelling and failing write the
 * broadcast alone: who has not been sent to counts as skipped from then on, and housekeeping writes the rows.
 */
export const broadcastStatuses = [
  /** `send_at` lies ahead. Its time, a person or a cancel takes it out. */
  "scheduled",
  /** Its recipients are being built. Left when all are there, by a pause or a cancel. */
  "queueing",
  /** It is being sent. Left when nobody is pending, queued or sending any more, by a pause or an end. */
  "running",
  /** It rests; `pauseCause` says why and who may take it out. */
  "paused",
  /** Nobody is left to be sent to. Nothing ends it. */
  "completed",
  /** Somebody stopped it for good. */
  "cancelled",
  /** It can never go on: its template, number or group is gone. */
  "failed",
] as const;
export type BroadcastStatus = (typeof broadcastStatuses)[number];

/** The topic that wakes whoever builds and sends broadcasts. */
export const BROADCASTS = "broadcasts";

export const finishedStatuses = ["completed", "cancelled", "failed"] as const;
export type FinishedStatus = (typeof finishedStatuses)[number];

export function isFinished(status: BroadcastStatus): status is FinishedStatus {
  return finishedStatuses.some((finished) => finished === status);
}

export const pauseCauses = [
  /** The number cannot send. Goes on when it is ready again. */
  "number",
  /** The workspace is suspended. Goes on when it is resumed. */
  "workspace",
  /** The balance does not cover it. Goes on when it does. */
  "balance",
  /** The network has paused the template, or looks at it again. Goes on when it is approved. */
  "template",
  /** The network could not be reached for 15 minutes. Goes on when it can be. */
  "unreachable",
  /** The template says something else, or costs something else, than was confirmed. A person decides. */
  "template_changed",
  /** The network refuses the account. A person decides. */
  "account",
  /** The network took nothing for 15 minutes. A person decides. */
  "throttled",
  /** The server was away too long. A person decides. */
  "late",
  /** The database is a restored copy, with all that was sent since. A person decides. */
  "restored",
  /** The same, but what was sent since is not known. A person decides; whoever is not sent yet may have been. */
  "restored_gap",
  /** The network refused the message itself, or failed on its own side, many times in a row. A person decides. */
  "breaker",
  /** Somebody paused it. A person decides. */
  "hand",
] as const;
export type PauseCause = (typeof pauseCauses)[number];

const AUTO_RESUMED_CAUSES: readonly PauseCause[] = ["number", "workspace", "balance", "template", "unreachable"];

export function resumesAutomatically(cause: PauseCause | null): boolean {
  return cause !== null && AUTO_RESUMED_CAUSES.includes(cause);
}

export type Trigger =
  /** `send_at` has come. */
  | "start"
  /** All recipients are there. */
  | "built"
  /** Nobody is pending, queued or sending any more. */
  | "emptied"
  | "pause"
  | "resume"
  | "cancel"
  /** It can never go on. */
  | "fail";

export interface TransitionContext {
  /** All recipients are there. */
  isBuilt: boolean;
  /** `send_at` lies ahead. */
  isScheduledAhead: boolean;
}

/** The state after a trigger; null: it changes nothing. */
export function nextStatus(
  status: BroadcastStatus,
  trigger: Trigger,
  context: TransitionContext,
): BroadcastStatus | null {
  if (isFinished(status)) return null;
  switch (trigger) {
    case "start":
      return status === "scheduled" ? "queueing" : null;
    case "built":
      return status === "queueing" ? "running" : null;
    case "emptied":
      // One that rests stays so: its last hand-over may have come back to be sent again.
      return status === "running" ? "completed" : null;
    case "pause":
      return status === "paused" ? null : "paused";
    case "resume":
      if (status !== "paused") return null;
      if (context.isScheduledAhead) return "scheduled";
      return context.isBuilt ? "running" : "queueing";
    case "cancel":
      return "cancelled";
    case "fail":
      return "failed";
  }
}
