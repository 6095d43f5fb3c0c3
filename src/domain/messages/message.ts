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

/** What the network bills it as, in the words of a request. */
export const messageCategories = ["marketing", "utility", "authentication"] as const;
export type MessageCategory = (typeof messageCategories)[number];

/** Whether it needs an approved template or an open window. */
export type MessageForm = "template" | "text";

/** Whether it counts, and costs, as a template does: it is one, or it goes out by its category alone (`direct-send.ts`). */
export function isTemplateSend({
  type,
  templateCategory,
}: {
  type: MessageForm;
  templateCategory: string | null;
}): boolean {
  return type === "template" || templateCategory !== null;
}

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
const messageOrigins = ["api", "console", "broadcast"] as const;
export type MessageOrigin = (typeof messageOrigins)[number];

/** Who sent it, as conversations show it. `automation`: no person, as an away message or with a key for automation. */
export const shownOrigins = [...messageOrigins, "automation"] as const;
type ShownOrigin = (typeof shownOrigins)[number];

export function shownOriginOf({ origin, automated }: { origin: MessageOrigin; automated: boolean }): ShownOrigin {
  return automated ? "automation" : origin;
}

/** What sent a single message. `agent`: a key that is marked as an AI's. */
export const senderKinds = ["api", "console", "agent", "automation"] as const;
type SenderKind = (typeof senderKinds)[number];

/** Of single messages: who sends a broadcast is said by the broadcast. */
export function senderKindOf(message: { origin: MessageOrigin; automated: boolean; byAi: boolean }): SenderKind {
  if (message.byAi) return "agent";
  if (message.automated) return "automation";
  return message.origin === "console" ? "console" : "api";
}

/** The server's own answer outside the opening hours. */
export function isAwayMessage({ origin, automated }: { origin: MessageOrigin; automated: boolean }): boolean {
  return automated && origin === "console";
}

/** The state of a message's cost: `none` if it costs nothing. */
export type MessageMoney = "none" | "held" | "charged" | "released";

/** The states that customers see of every message. Before them, a message that is sent at once does not exist for the API. */
export const visibleStatuses = ["sent", "delivered", "read", "failed"] as const;

/** What the API shows. Only messages that were made with `send_at` are ever `scheduled` or `cancelled`. */
export const shownStatuses = ["scheduled", ...visibleStatuses, "cancelled"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/** Null: the message is not shown yet. A scheduled one is shown from its creation. */
export function shownStatusOf({
  status,
  sendAt,
}: {
  status: MessageStatus;
  sendAt: number | null;
}): ShownStatus | null {
  const visible = visibleStatuses.find((known) => known === status);
  if (visible !== undefined || sendAt === null) return visible ?? null;
  return status === "skipped" ? "cancelled" : "scheduled";
}

/** What the console shows, which knows more states of a message than the API. */
export const consoleStatuses = [...messageStatuses, "scheduled", "cancelled"] as const;
export type ConsoleStatus = (typeof consoleStatuses)[number];

export function consoleStatusOf({ status, sendAt }: { status: MessageStatus; sendAt: number | null }): ConsoleStatus {
  if (sendAt === null) return status;
  return status === "pending" ? "scheduled" : status === "skipped" ? "cancelled" : status;
}

/** SQL: the message is scheduled. The condition of the index `messages_scheduled`. */
export const SCHEDULED_SQL = "send_at IS NOT NULL AND status IN ('pending', 'sending')";

/** As it is stored; `scheduled` has two states. */
export function storedStatusOf(shown: Exclude<ShownStatus, "scheduled">): MessageStatus {
  return shown === "cancelled" ? "skipped" : shown;
}

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
  /** A scheduled message is due: it is evaluated and dispatched in one step. */
  dispatchScheduled: { from: ["pending"], to: "sending" },
  /**
   * Backwards: the network did not accept the message (throttled or unreachable). Committed before the next attempt is
   * planned.
   */
  requeue: { from: ["sending"], to: "queued" },
  /** The same of a scheduled message, which waits for its next try as it waited for the first. */
  putBack: { from: ["sending"], to: "pending" },
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
