/** Looking webhook addresses, deliveries and attempts up. */
import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import { type Reading, statement } from "#src/storage/transaction.ts";
import { type EventRow, events } from "../events/table.ts";
import type { DeliveryStatus } from "./delivery.ts";
import { type Delivery, type DeliveryAttempt, deliveries, deliveryAttempts, type Webhook, webhooks } from "./table.ts";

const byWorkspace = statement((db) =>
  db
    .select()
    .from(webhooks)
    .where(eq(webhooks.workspaceId, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Undefined: no address was ever set. */
export function findWebhook(reading: Reading, workspaceId: number): Webhook | undefined {
  return byWorkspace(reading).get({ workspaceId });
}

export interface DeliveryOfEvent extends Delivery {
  eventId: string;
  eventType: EventRow["type"];
}

export interface DeliveryFilter {
  status: DeliveryStatus | null;
  /** Only deliveries older than this id; null: from the newest. */
  before: number | null;
  limit: number;
}

/** Newest first. */
export function listDeliveries(reading: Reading, workspaceId: number, filter: DeliveryFilter): DeliveryOfEvent[] {
  return reading.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        filter.status === null ? undefined : eq(deliveries.status, filter.status),
        filter.before === null ? undefined : lt(deliveries.id, filter.before),
      ),
    )
    .orderBy(desc(deliveries.id))
    .limit(filter.limit)
    .all()
    .map(({ delivery, ...event }) => ({ ...delivery, ...event }));
}

export interface DeliveryDetail extends DeliveryOfEvent {
  body: string;
  attempts: DeliveryAttempt[];
}

/** Throws `not_found`; for commands, whose ids are the server's own. */
export function getDelivery(reading: Reading, id: number): DeliveryDetail {
  const found = reading.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(eq(deliveries.id, id))
    .get();
  if (found === undefined) throw notFound("delivery");
  const attempts = reading.db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.deliveryId, id))
    .orderBy(asc(deliveryAttempts.id))
    .all();
  const { delivery, ...rest } = found;
  return { ...delivery, ...rest, attempts };
}

/** An event's deliveries, each with its attempts, in their order. */
export function deliveriesOfEvent(reading: Reading, eventSeq: number): (Delivery & { attempts: DeliveryAttempt[] })[] {
  return reading.db
    .select()
    .from(deliveries)
    .where(eq(deliveries.eventSeq, eventSeq))
    .orderBy(asc(deliveries.id))
    .all()
    .map((delivery) => ({
      ...delivery,
      attempts: reading.db
        .select()
        .from(deliveryAttempts)
        .where(eq(deliveryAttempts.deliveryId, delivery.id))
        .orderBy(asc(deliveryAttempts.id))
        .all(),
    }));
}
