/** Queries for webhook addresses, deliveries and attempts. */
import { and, asc, desc, eq, inArray, lt } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { withinBudget } from "#src/db/query-budget.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type DeliveryStatus, deliveryStatuses } from "./delivery.ts";
import { newestDeliveries, webhookOfWorkspace } from "./statements.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  deliveries,
  deliveryAttempts,
  type EventRow,
  events,
  type Webhook,
} from "./table.ts";

/** Undefined: no address was ever set. */
export const findWebhook = remembered((tx, workspaceId: number): Webhook | undefined =>
  webhookOfWorkspace(tx).get({ workspaceId }),
);

export interface DeliveryOfEvent extends Delivery {
  eventId: string;
  eventType: EventRow["type"];
}

interface DeliveryFilter {
  status: DeliveryStatus | null;
  /** Only deliveries with a lower id; null starts at the newest. */
  before: number | null;
  limit: number;
}

/** Newest first. */
export function listDeliveries(tx: ReadTx, workspaceId: number, filter: DeliveryFilter): DeliveryOfEvent[] {
  if (filter.status === null) {
    const { limit, before } = filter;
    const found = newestDeliveries(tx).all({ workspaceId, before: before ?? Number.MAX_SAFE_INTEGER, limit });
    const ids = found.map(({ id }) => id);
    return listDeliveriesById(tx, workspaceId, ids);
  }
  return tx.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        eq(deliveries.status, filter.status),
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

/**
 * Finds the deliveries of one event type, newest first. The reader runs it, because deliveries of a rare type may be far
 * back.
 */
export function deliveryIdsByType(
  workspaceId: number,
  type: string,
  { status, before, limit }: DeliveryFilter,
): { sql: string; values: (string | number)[] } {
  // One list for each status, each ordered by its index.
  const lists = (status === null ? deliveryStatuses : [status]).map((listed) => ({
    sql: `SELECT deliveries.id FROM deliveries CROSS JOIN events ON events.seq = deliveries.event_seq
      WHERE deliveries.workspace_id = ? AND deliveries.status = ? AND deliveries.id < ? AND events.type = ?
        AND ${withinBudget("deliveries.id")}`,
    values: [workspaceId, listed, before ?? Number.MAX_SAFE_INTEGER, type],
  }));
  const sql = `${lists.map((list) => list.sql).join(" UNION ALL ")} ORDER BY 1 DESC LIMIT ?`;
  return { sql, values: [...lists.flatMap(({ values }) => values), limit] };
}

/** The deliveries with these ids that still exist, in the order of the ids. */
export function listDeliveriesById(tx: ReadTx, workspaceId: number, ids: readonly number[]): DeliveryOfEvent[] {
  const found = tx.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(and(eq(deliveries.workspaceId, workspaceId), inArray(deliveries.id, [...ids])))
    .all();
  return ids.flatMap((id) => {
    const one = found.find(({ delivery }) => delivery.id === id);
    return one === undefined ? [] : [{ ...one.delivery, eventId: one.eventId, eventType: one.eventType }];
  });
}

/** Throws `not_found` for a delivery of another workspace. */
export function getDeliveryInWorkspace(tx: ReadTx, workspaceId: number, id: number): DeliveryDetail {
  const delivery = getDelivery(tx, id);
  if (delivery.workspaceId !== workspaceId) throw notFound("delivery");
  return delivery;
}

/** SQL that counts what a replay of all failed events would send. The reader runs it. */
export const countFailedSql = `SELECT count(*) AS total FROM events
  LEFT JOIN deliveries ON deliveries.event_seq = events.seq AND deliveries.is_forwarded = 0
  WHERE events.workspace_id = ? AND events.created_at >= ? AND (deliveries.id IS NULL OR deliveries.status = 'exhausted')
    AND ${withinBudget("events.seq")}`;

/** A delivery of any workspace, for commands. Throws `not_found`. */
export function getDelivery(tx: ReadTx, id: number): DeliveryDetail {
  const found = tx.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(eq(deliveries.id, id))
    .get();
  if (found === undefined) throw notFound("delivery");
  const attempts = tx.db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.deliveryId, id))
    .orderBy(asc(deliveryAttempts.id))
    .all();
  const { delivery, ...rest } = found;
  return { ...delivery, ...rest, attempts };
}

/** An event's deliveries, each with its attempts, in ascending order. */
export function listDeliveriesOfEvent(tx: ReadTx, eventSeq: number): (Delivery & { attempts: DeliveryAttempt[] })[] {
  return tx.db
    .select()
    .from(deliveries)
    .where(eq(deliveries.eventSeq, eventSeq))
    .orderBy(asc(deliveries.id))
    .all()
    .map((delivery) => ({
      ...delivery,
      attempts: tx.db
        .select()
        .from(deliveryAttempts)
        .where(eq(deliveryAttempts.deliveryId, delivery.id))
        .orderBy(asc(deliveryAttempts.id))
        .all(),
    }));
}
