/**
 * The life of a message: states, and which move is legal. Pure; single messages and a broadcast's recipients live by the
 * same machine. It only moves forward, but for three moves, each named below.
 */
export const messageStatuses = [
  /** Planned. Left when its values are frozen. */
  "pending",
  /** Ready to leave, or back from an attempt that proved that the network took nothing. The hand-over takes it out. */
  "queued",
  /** On disk before the request leaves. Found after a crash, it means that nobody knows whether the network has it. */
  "sending",
  /** The network has it. Left by a delivery, a read, or a failure that arrives late. */
  "sent",
  /** On the person's phone. */
  "delivered",
  /** Seen by the person. Nothing ends it. */
  "read",
  /** Refused, or given up. Revived only by proof that the network took it after all. */
  "failed",
  /** Never to be sent; only a proof that another copy of this database sent it moves it. */
  "skipped",
] as const;

export type MessageStatus = (typeof messageStatuses)[number];

/** `api`: sent one at a time through the API, the only ones that emit events. `broadcast`: one of its recipients. */
export type MessageOrigin = "api" | "console" | "broadcast";

/** Where a message's money stands: `none` for one that costs nothing. */
export type MessageMoney = "none" | "held" | "charged" | "released";

/** What the API shows: before, a message does not exist for it. */
export const visibleStatuses = ["sent", "delivered", "read", "failed"] as const;
export type VisibleStatus = (typeof visibleStatuses)[number];

/** What a network's status may do to a message. */
export type StatusEffect =
  /** Enters the state: times, money, event. */
  | "enter"
  /** Nothing but filling in a missing time. */
  | "fill_in"
  /** A known reason replaces "nobody knows": no event, for the message was `failed` already. */
  | "explain"
  | "ignore";

export interface StatusContext {
  /** The message was handed over and nobody knows what became of it. */
  outcomeUnknown: boolean;
}

const RANK: Record<"sent" | "delivered" | "read", number> = { sent: 1, delivered: 2, read: 3 };

/** Decides what a status from the network does, in whatever order and however often statuses come. */
export function decideStatus(
  current: MessageStatus,
  reported: "sent" | "delivered" | "read" | "failed",
  { outcomeUnknown }: StatusContext,
): StatusEffect {
  if (reported === "failed") {
    if (current === "failed") return outcomeUnknown ? "explain" : "ignore";
    // Several phones of one person: one may fail although another has it.
    return current === "delivered" || current === "read" || current === "skipped" ? "ignore" : "enter";
  }
  switch (current) {
    case "sent":
    case "delivered":
    case "read":
      return RANK[reported] > RANK[current] ? "enter" : "fill_in";
    case "failed":
      // "sent" proves something only where nothing was known; a phone that has it always does.
      return reported !== "sent" || outcomeUnknown ? "enter" : "ignore";
    default:
      // pending, queued, sending, skipped: a status with our reference proves that it left.
      return "enter";
  }
}

/** Moves that our own side makes; the network's are decided by `decideStatus`. */
export const ownMoves = {
  /** The hand-over begins: committed before the request leaves. */
  dispatch: { from: ["queued"], to: "sending" },
  /** Backwards: the network took nothing (throttled, or not reached); committed before another attempt is planned. */
  requeue: { from: ["sending"], to: "queued" },
  accept: { from: ["sending"], to: "sent" },
  fail: { from: ["pending", "queued", "sending"], to: "failed" },
  skip: { from: ["pending", "queued"], to: "skipped" },
} as const satisfies Record<string, { from: readonly MessageStatus[]; to: MessageStatus }>;

/** What stands in the place of a number and a text that were erased. */
export const ERASED = "[erased]";

/** Its person was erased: nothing that the network says of it may bring a name of theirs back. */
export function isContactErased({ toPhone }: { toPhone: string }): boolean {
  return toPhone === ERASED;
}
