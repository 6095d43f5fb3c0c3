/**
 * The life of a message: its states and the legal moves between them. Pure. Single messages and recipients of a
 * broadcast share this state machine. It only moves forward, with three exceptions: `requeue`, and a status that
 * revives a `failed` or a `skipped` message.
 */
/** What a message can be, in the network's words. */
export const messageTypes = [
  "template",
  "text",
  "image",
  "video",
  "audio",
  "document",
  "sticker",
  "location",
  "contacts",
  "interactive",
  "reaction",
] as const;
export type MessageType = (typeof messageTypes)[number];

/** Whether it needs an approved template or an open window. */
export type MessageForm = "template" | "text";

export const messageStatuses = [
  /** Planned. Leaves this state when its values are frozen. */
  "pending",
  /** Ready to send, or requeued after an attempt that the network provably did not accept. Dispatch moves it on. */
  "queued",
  /** On disk before the request leaves. If found after a crash, it is unknown whether the network has the message. */
  "sending",
  /** The network has it. A delivery, a read, or a late failure moves it on. */
  "sent",
  /** On the person's phone. */
  "delivered",
  /** Seen by the person. Final. */
  "read",
  /** Refused, or given up. Only proof that the network accepted it after all revives it. */
  "failed",
  /** Never to be sent. Only proof that another copy of this database sent it moves it on. */
  "skipped",
] as const;

export type MessageStatus = (typeof messageStatuses)[number];

/** `api`: sent singly through the API; only these emit events. `broadcast`: a recipient of a broadcast. */
export const messageOrigins = ["api", "console", "broadcast"] as const;
export type MessageOrigin = (typeof messageOrigins)[number];

/** The state of a message's cost: `none` if it costs nothing. */
export type MessageMoney = "none" | "held" | "charged" | "released";

/** The states that the API shows. Before them, the message does not exist for the API. */
export const visibleStatuses = ["sent", "delivered", "read", "failed"] as const;
export type VisibleStatus = (typeof visibleStatuses)[number];

/** What a network's status may do to a message. */
export type StatusEffect =
  /** Enter the state: set times, move money, emit the event. */
  | "enter"
  /** Only fill in missing times. */
  | "fill_in"
  /** Replace an unknown outcome by a known reason. No event: the message was `failed` already. */
  | "fill_error"
  | "ignore";

interface StatusContext {
  /** The message was sent and its outcome is unknown. */
  outcomeUnknown: boolean;
}

const RANK: Record<"sent" | "delivered" | "read", number> = { sent: 1, delivered: 2, read: 3 };

/** Decides the effect of a status from the network. Statuses may arrive in any order, any number of times. */
export function decideStatus(
  current: MessageStatus,
  reported: "sent" | "delivered" | "read" | "failed",
  { outcomeUnknown }: StatusContext,
): StatusEffect {
  if (reported === "failed") {
    if (current === "failed") return outcomeUnknown ? "fill_error" : "ignore";
    // A person may have several phones: one can fail although another has the message.
    return current === "delivered" || current === "read" || current === "skipped" ? "ignore" : "enter";
  }
  switch (current) {
    case "sent":
    case "delivered":
    case "read":
      return RANK[reported] > RANK[current] ? "enter" : "fill_in";
    case "failed":
      // "sent" is proof only if the outcome was unknown; "delivered" and "read" always are.
      return reported !== "sent" || outcomeUnknown ? "enter" : "ignore";
    default:
      // For pending, queued, sending and skipped, a status with our send token proves that the message left.
      return "enter";
  }
}

/**
 * The states that a report has overtaken: the network skipped their reports, or they are still on their way. A state
 * whose time is known was entered before.
 */
export function overtakenBy(
  reported: "sent" | "delivered" | "read" | "failed",
  { sentAt, deliveredAt }: { sentAt: number | null; deliveredAt: number | null },
): ("sent" | "delivered")[] {
  if (reported === "failed") return [];
  const earlier = [
    { status: "sent", at: sentAt },
    { status: "delivered", at: deliveredAt },
  ] as const;
  return earlier.filter(({ status, at }) => at === null && RANK[status] < RANK[reported]).map(({ status }) => status);
}

/** Moves that this server makes. `decideStatus` decides those that the network reports. */
export const ownMoves = {
  /** Committed before the request leaves. */
  dispatch: { from: ["queued"], to: "sending" },
  /**
   * Backwards: the network did not accept the message (throttled or unreachable). Committed before the next attempt is
   * planned.
   */
  requeue: { from: ["sending"], to: "queued" },
  accept: { from: ["sending"], to: "sent" },
  fail: { from: ["pending", "queued", "sending"], to: "failed" },
  skip: { from: ["pending", "queued"], to: "skipped" },
} as const satisfies Record<string, { from: readonly MessageStatus[]; to: MessageStatus }>;

/** Replaces an erased phone number and an erased text. */
export const ERASED = "[erased]";

/** Whether the message's contact was erased. Nothing the network reports may then bring personal data back. */
export function isContactErased({ toPhone }: { toPhone: string }): boolean {
  return toPhone === ERASED;
}
