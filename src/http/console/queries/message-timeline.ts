/**
 * The timeline of one message, from the request to the last webhook attempt: the message's row, provider requests,
 * statuses from the network, events and their deliveries. Ordered by time.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { shownOriginOf } from "#src/domain/messages/message.ts";
import { listProviderRequests } from "#src/domain/messages/provider-requests.ts";
import { scheduledById } from "#src/domain/messages/scheduled-statements.ts";
import type { StatusItem } from "#src/domain/messages/status-item.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { listDeliveriesOfEvent } from "#src/domain/webhooks/read.ts";
import type { EventRow } from "#src/domain/webhooks/table.ts";

export const timelineKinds = [
  "request",
  "scheduled",
  "dispatch",
  "attempt",
  "status",
  "sent",
  "delivered",
  "read",
  "failed",
  "cancelled",
  "event",
  "webhook",
] as const;

/** One step, at a moment. */
export interface TimelineStep {
  at: number;
  what: (typeof timelineKinds)[number];
  /** A sentence for people. */
  says: string;
  details: Record<string, unknown>;
}

/** Callbacks and events about a message, which are found by scanning. */
interface MessageTraces {
  callbacks: readonly Callback[];
  events: readonly EventRow[];
  /** The network's parser for callback bodies. */
  parse: (body: string) => readonly { kind: string }[];
}

export function buildTimeline(
  tx: ReadTx,
  message: Message,
  { callbacks, events, parse }: MessageTraces,
): TimelineStep[] {
  return [
    ...ownSteps(message),
    ...quietSteps(tx, message),
    ...attemptSteps(tx, message),
    ...callbacks.flatMap((callback) => statusSteps(callback, message, parse)),
    ...events.flatMap((event) => eventSteps(tx, event)),
  ].toSorted((one, other) => one.at - other.at);
}

/** A scheduled message of a marketing template waits for the end of quiet hours. */
function quietSteps(tx: ReadTx, { id, sendAt, status }: Message): TimelineStep[] {
  const scheduled = sendAt === null || status !== "pending" ? undefined : scheduledById(tx).get({ messageId: id });
  if (scheduled === undefined || scheduled.dueSince <= (sendAt ?? 0)) return [];
  return [{ at: scheduled.dueSince, what: "scheduled", says: "waits until then: quiet hours", details: {} }];
}

/** Steps that the message's own row records. */
export function ownSteps(message: Message): TimelineStep[] {
  const steps: TimelineStep[] = [
    {
      at: message.createdAt,
      what: "request",
      says: message.automated ? "written with the message that it answers" : `accepted from the ${message.origin}`,
      details: { origin: shownOriginOf(message) },
    },
  ];
  const add = (at: number | null, what: TimelineStep["what"], says: string): void => {
    if (at !== null) steps.push({ at, what, says, details: {} });
  };
  add(message.sendAt, "scheduled", "due to be sent");
  add(message.dispatchedAt, "dispatch", "dispatched to the network");
  add(
    message.sentAt,
    "sent",
    `accepted by the network${message.networkMessageId === null ? "" : ` as ${message.networkMessageId}`}`,
  );
  add(message.deliveredAt, "delivered", "delivered to the phone");
  add(message.readAt, "read", "read by the person");
  const reason = message.errorCode === null ? null : `${message.errorCode}: ${message.errorMessage}`;
  if (message.sendAt !== null && message.status === "skipped") add(message.failedAt, "cancelled", reason ?? "");
  else add(message.failedAt, "failed", reason ?? "failed, then delivered");
  return steps;
}

export function attemptSteps(tx: ReadTx, { sendToken }: Message): TimelineStep[] {
  return listProviderRequests(tx, sendToken).map((attempt) => ({
    at: attempt.requestedAt,
    what: "attempt",
    says: `${attempt.outcome} after ${attempt.durationMs} ms: ${attempt.reason}`,
    details: {
      outcome: attempt.outcome,
      code: attempt.code,
      duration_ms: attempt.durationMs,
      http_status: attempt.httpStatus,
      answer: attempt.answer,
    },
  }));
}

/** A callback may carry a thousand statuses; only those of this message are shown. */
function statusSteps(
  { id, body, receivedAt, dueAt, doneAt, note }: Callback,
  message: Message,
  parse: MessageTraces["parse"],
): TimelineStep[] {
  return parse(body).flatMap((item) => {
    if (!isStatus(item)) return [];
    if (item.sendToken !== message.sendToken && item.networkMessageId !== message.networkMessageId) return [];
    const error = item.error === null ? "" : ` (${item.error.code}: ${item.error.message})`;
    return [
      {
        // The simulator stores callbacks before they are due.
        at: Math.max(receivedAt, dueAt),
        what: "status",
        says: `the network reported ${item.status}${error}${doneAt === null ? " (not applied yet)" : ""}`,
        details: {
          status: item.status,
          network_time: new Date(item.at).toISOString(),
          error: item.error,
          callback: id,
          note,
        },
      },
    ];
  });
}

function isStatus(item: { kind: string }): item is StatusItem {
  return item.kind === "status";
}

export function eventSteps(tx: ReadTx, event: EventRow): TimelineStep[] {
  const deliveries = listDeliveriesOfEvent(tx, event.seq);
  const created: TimelineStep = {
    at: event.createdAt,
    what: "event",
    says: `${event.type} ${event.id}${deliveries.length === 0 ? ", no webhook address" : ""}`,
    details: { event_id: event.id, event_type: event.type },
  };
  const attempts = deliveries.flatMap((delivery) =>
    delivery.attempts.map(
      (attempt): TimelineStep => ({
        at: attempt.attemptedAt,
        what: "webhook",
        says: `${event.type} → ${attempt.statusCode ?? attempt.error?.replace(/\.$/, "") ?? "no response"} after ${attempt.durationMs} ms`,
        details: {
          event_id: event.id,
          delivery: delivery.id,
          delivery_status: delivery.status,
          url: attempt.url,
          status_code: attempt.statusCode,
          error: attempt.error,
          response: attempt.response,
          duration_ms: attempt.durationMs,
        },
      }),
    ),
  );
  return [created, ...attempts];
}
