/** Messages as the server's JSON has them, and the summary of one. */
import type { Entry, Output } from "../../data/api.ts";
import { isUnknown } from "./message-state.ts";
import { strings } from "./strings.ts";

type AnyMessage = Entry<"GET /w/{workspace}/messages">;

export type TimelineStep = MessageDetail["steps"][number];

export type MessageDetail = Output<"GET /w/{workspace}/messages/{id}">;

export type ConversationItem = Output<"GET /w/{workspace}/inbox/{contact}">["items"][number];
export type SentItem = Extract<ConversationItem, { kind: "message" }>;

/** Whether no further change is expected. */
export function isTerminal({ status }: Pick<AnyMessage, "status">): boolean {
  return status === "read" || status === "skipped" || status === "cancelled";
}

/** A scheduled message that is not sent yet, or never will be. */
export function isUnsent({ status }: Pick<AnyMessage, "status">): boolean {
  return status === "scheduled" || status === "cancelled";
}

/** The outcome of a message in a sentence. */
export function summaryText(message: MessageDetail): string {
  const { summary } = strings;
  if (isUnknown(message)) return strings.unknownText;
  const startedAt = message.steps.find(({ what }) => what === "request")?.at ?? message.created_at;
  const deliveredAt = message.steps.find(({ what }) => what === "delivered")?.at;
  const took = deliveredAt === undefined ? "" : duration(Date.parse(deliveredAt) - Date.parse(startedAt));
  const isFailedAttempt = ({ what, details }: TimelineStep): boolean =>
    what === "attempt" && details.outcome !== "accepted";
  const attemptCount = 1 + message.steps.filter(isFailedAttempt).length;
  const attemptsText = summary.attempts[attemptCount] ?? summary.attemptsMore(attemptCount);
  switch (message.status) {
    case "pending":
    case "queued":
      return summary.waiting;
    case "sending":
      return summary.sending;
    case "sent":
      return summary.sent;
    case "delivered":
      return summary.delivered(took, attemptsText);
    case "read":
      return summary.read(took, attemptsText);
    case "failed":
      return summary.failed(message.error?.message ?? "");
    case "skipped":
      return summary.skipped;
    case "scheduled":
      return summary.scheduled;
    case "cancelled":
      return message.error?.message ?? summary.skipped;
  }
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** The time of day with milliseconds, in the given timezone. */
export function clockOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZone: zone,
  }).format(Date.parse(at));
}

/** The date in the given timezone. */
export function dayOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: zone,
  }).format(Date.parse(at));
}

export function hourOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone }).format(
    Date.parse(at),
  );
}
