/**
 * The life of a broadcast: its states, the causes of a pause, and the state that each trigger leads to. Pure.
 * Cancelling and failing change only the broadcast: its unsent recipients count as skipped from then on, and
 * housekeeping updates their rows.
 */

export const broadcastStatuses = [
  /** `send_at` lies ahead. Its time, a pause or a cancel ends this state. */
  "scheduled",
  /** Its recipients are being built. Ends when all are built, or by a pause or a cancel. */
  "queueing",
  /** It is being sent. Ends when no recipient is pending, queued or sending, or by a pause, a cancel or a failure. */
  "running",
  /** Not sending; `pauseCause` says why and whether it resumes automatically. */
  "paused",
  /** No recipient is left to send to. Final. */
  "completed",
  /** A person stopped it for good. Final. */
  "cancelled",
  /** It can never continue: its template, number or group is gone. Final. */
  "failed",
] as const;
export type BroadcastStatus = (typeof broadcastStatuses)[number];

/** The topic that notifies the code that builds and sends broadcasts. */
export const BROADCASTS = "broadcasts";

export const finishedStatuses = ["completed", "cancelled", "failed"] as const;
export type FinishedStatus = (typeof finishedStatuses)[number];

export function isFinished(status: BroadcastStatus): status is FinishedStatus {
  return finishedStatuses.some((finished) => finished === status);
}

export const pauseCauses = [
  /** The number cannot send. Resumes when it is ready again. */
  "number",
  /** The workspace is suspended. Resumes when the workspace does. */
  "workspace",
  /** The balance does not cover the cost. Resumes when it does. */
  "balance",
  /** The network has paused the template or is reviewing it again. Resumes when it is approved. */
  "template",
  /** The network could not be reached for 15 minutes. Resumes when it can be reached. */
  "unreachable",
  /** The network is in trouble. Resumes when a probe finds it well. */
  "network",
  /** The network named how long it needs. Resumes when that time has passed. */
  "wait",
  /** The template's text or cost is not what was confirmed. A person decides. */
  "template_changed",
  /** A file that it sends was removed, or the network does not take it. A person decides. */
  "file",
  /** The network refuses the account. A person decides. */
  "account",
  /** The network was in trouble for the third time in a day. A person decides. */
  "network_again",
  /** The network accepted no messages for 15 minutes. A person decides. */
  "throttled",
  /** The server was down for too long. A person decides. */
  "late",
  /** The database was restored, and it is known what was sent since the backup. A person decides. */
  "restored",
  /**
   * The database was restored, and it is not known what was sent since the backup: unsent recipients may have been sent
   * to. A person decides.
   */
  "restored_gap",
  /** The network refused the message itself, or failed on its own side, many consecutive times. A person decides. */
  "breaker",
  /** Paused manually. A person decides. */
  "manual",
  /** A person is changing it before its first message. Ends with the change, or when a person resumes it. */
  "changing",
] as const;
export type PauseCause = (typeof pauseCauses)[number];

const AUTO_RESUMED_CAUSES: readonly PauseCause[] = [
  "number",
  "workspace",
  "balance",
  "template",
  "unreachable",
  "network",
  "wait",
];

export function resumesAutomatically(cause: PauseCause | null): boolean {
  return cause !== null && AUTO_RESUMED_CAUSES.includes(cause);
}

export type Trigger =
  /** `send_at` has come. */
  | "start"
  /** All recipients are built. */
  | "built"
  /** No recipient is pending, queued or sending. */
  | "drained"
  | "pause"
  | "resume"
  /** A person has changed it, before its first message: it is what a new one would be. */
  | "change"
  | "cancel"
  /** It can never continue. */
  | "fail";

interface TransitionContext {
  /** All recipients are built. */
  isBuilt: boolean;
  /** `send_at` lies ahead. */
  isScheduledAhead: boolean;
}

/** The state after a trigger; null: it changes nothing. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a table of moves, one line each; nothing depends on another line.
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
    case "drained":
      // A paused broadcast stays paused: its last message in flight may have been requeued.
      return status === "running" ? "completed" : null;
    case "pause":
      return status === "paused" ? null : "paused";
    case "resume":
      if (status !== "paused") return null;
      if (context.isScheduledAhead) return "scheduled";
      return context.isBuilt ? "running" : "queueing";
    case "change":
      if (status !== "paused") return null;
      return context.isScheduledAhead ? "scheduled" : "queueing";
    case "cancel":
      return "cancelled";
    case "fail":
      return "failed";
  }
}

/** The API's filters. */
export const recipientFilters = ["pending", "sent", "delivered", "read", "failed", "skipped"] as const;
export type RecipientFilter = (typeof recipientFilters)[number];

/**
 * The same plus `unknown`, which the API reports as failed, and the sums of the funnel: `accepted` is sent, delivered and read,
 * `arrived` is delivered and read, `unsuccessful` is failed and unknown.
 */
export const recipientOutcomes = [...recipientFilters, "unknown", "accepted", "arrived", "unsuccessful"] as const;
export type RecipientOutcome = (typeof recipientOutcomes)[number];
