/**
 * The story of one message, from the request to the last webhook attempt: what its row tells, each attempt at the
 * network, each status that came in, each event and each time that it was posted. Ordered by time.
 */
import type { Reading } from "#src/db/transaction.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { listAttempts } from "#src/domain/messages/provider-requests.ts";
import type { StatusReport } from "#src/domain/messages/status-item.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { deliveriesOfEvent } from "#src/domain/webhooks/read.ts";
import type { EventRow } from "#src/domain/webhooks/table.ts";

/** One thing that happened, at a moment. */
export interface Step {
  at: number;
  what: "request" | "hand-over" | "attempt" | "status" | "sent" | "delivered" | "read" | "failed" | "event" | "webhook";
  /** In words, for a person. */
  says: string;
  details: Record<string, unknown>;
}

/** What was found of a message where nothing is indexed by it. */
export interface Found {
  callbacks: readonly Callback[];
  events: readonly EventRow[];
  /** Reads a callback's body as its network does. */
  parse: (body: string) => readonly { kind: string }[];
}

export function tellStory(reading: Reading, message: Message, { callbacks, events, parse }: Found): Step[] {
  return [
    ...ownSteps(message),
    ...attemptSteps(reading, message),
    ...callbacks.flatMap((callback) => statusSteps(callback, message, parse)),
    ...events.flatMap((event) => eventSteps(reading, event)),
  ].toSorted((one, other) => one.at - other.at);
}

/** What the message's own row tells. */
export function ownSteps(message: Message): Step[] {
  const steps: Step[] = [
    {
      at: message.createdAt,
      what: "request",
      says: `taken from the ${message.origin}`,
      details: { origin: message.origin },
    },
  ];
  const add = (at: number | null, what: Step["what"], says: string): void => {
    if (at !== null) steps.push({ at, what, says, details: {} });
  };
  add(message.handedOverAt, "hand-over", "the last attempt at the network began");
  add(
    message.sentAt,
    "sent",
    `the network took it${message.networkMessageId === null ? "" : ` as ${message.networkMessageId}`}`,
  );
  add(message.deliveredAt, "delivered", "it reached the phone");
  add(message.readAt, "read", "the person saw it");
  add(
    message.failedAt,
    "failed",
    message.errorCode === null ? "and then arrived after all" : `${message.errorCode}: ${message.errorMessage}`,
  );
  return steps;
}

export function attemptSteps(reading: Reading, { reference }: Message): Step[] {
  return listAttempts(reading, reference).map((attempt) => ({
    at: attempt.attemptedAt,
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

/** A callback may carry statuses of a thousand messages; only this one's are shown. */
function statusSteps(
  { id, body, receivedAt, dueAt, doneAt, note }: Callback,
  message: Message,
  parse: Found["parse"],
): Step[] {
  return parse(body).flatMap((item) => {
    if (!isStatus(item)) return [];
    if (item.reference !== message.reference && item.networkMessageId !== message.networkMessageId) return [];
    const error = item.error === null ? "" : ` (${item.error.code}: ${item.error.message})`;
    return [
      {
        // The simulator's callbacks lie there before their time.
        at: Math.max(receivedAt, dueAt),
        what: "status",
        says: `the network said ${item.status}${error}${doneAt === null ? " (not applied yet)" : ""}`,
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

function isStatus(item: { kind: string }): item is StatusReport {
  return item.kind === "status";
}

export function eventSteps(reading: Reading, event: EventRow): Step[] {
  const deliveries = deliveriesOfEvent(reading, event.seq);
  const made: Step = {
    at: event.createdAt,
    what: "event",
    says: `${event.type} ${event.id}${deliveries.length === 0 ? ", no address to send it to" : ""}`,
    details: { event_id: event.id, event_type: event.type },
  };
  const attempts = deliveries.flatMap((delivery) =>
    delivery.attempts.map(
      (attempt): Step => ({
        at: attempt.attemptedAt,
        what: "webhook",
        says: `${event.type} → ${attempt.statusCode ?? attempt.error?.replace(/\.$/, "") ?? "no answer"} after ${attempt.durationMs} ms`,
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
  return [made, ...attempts];
}
