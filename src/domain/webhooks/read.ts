/** Queries for webhook addresses, deliveries and attempts. */
import { and, asc, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { withinBudget } from "#src/db/query-budget.ts";
import { listRows } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { bodyOfDelivery } from "./burst-body.ts";
import { type DeliveryStatus, deliveryStatuses } from "./delivery.ts";
import { furtherWebhookById, furtherWebhooksOfWorkspace, newestDeliveries, webhookOfWorkspace } from "./statements.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  deliveries,
  deliveryAttempts,
  type EventRow,
  events,
  FIRST_WEBHOOK,
  type FirstWebhook,
  type FurtherWebhook,
  type Webhook,
} from "./table.ts";

/** The first address. Undefined: it was never set. */
export const findWebhook = remembered((tx, workspaceId: number): FirstWebhook | undefined => {
  const found = webhookOfWorkspace(tx).get({ workspaceId });
  return found === undefined ? undefined : { id: FIRST_WEBHOOK, ...found };
});

/** The addresses beside the first one. */
export const listFurtherWebhooks = remembered((tx, workspaceId: number): FurtherWebhook[] =>
  furtherWebhooksOfWorkspace(tx).all({ workspaceId }),
);

const findFurtherWebhook = remembered((tx, id: number): FurtherWebhook | undefined =>
  furtherWebhookById(tx).get({ id }),
);

/** All addresses that are set, the first one first. */
export function listWebhooks(tx: ReadTx, workspaceId: number): Webhook[] {
  const first = findWebhook(tx, workspaceId);
  const further = listFurtherWebhooks(tx, workspaceId);
  return first === undefined || first.url === null ? [...further] : [first, ...further];
}

/** Undefined: the workspace has no such address. */
export function findWebhookById(tx: ReadTx, workspaceId: number, id: number): Webhook | undefined {
  return listWebhooks(tx, workspaceId).find((webhook) => webhook.id === id);
}

/** The workspace of a further address. */
export function workspaceOfWebhook(tx: ReadTx, id: number): number | undefined {
  return findFurtherWebhook(tx, id)?.workspaceId;
}

/**
 * The queue of an address's jobs: that of the first is the workspace's own. Those of further addresses are negative, which
 * an older version never looks at.
 */
export function queueOf({ id, workspaceId }: Pick<Webhook, "id" | "workspaceId">): number {
  return id === FIRST_WEBHOOK ? workspaceId : -id;
}

/** The address whose jobs a queue has. */
export function webhookOfQueue(tx: ReadTx, queueKey: number): Webhook | undefined {
  return queueKey < 0 ? findFurtherWebhook(tx, -queueKey) : findWebhook(tx, queueKey);
}

/** The address that a delivery is for; undefined: it was removed. */
export function webhookOfDelivery(
  tx: ReadTx,
  delivery: Pick<Delivery, "webhookId" | "workspaceId">,
): Webhook | undefined {
  return delivery.webhookId === null
    ? findWebhook(tx, delivery.workspaceId)
    : findFurtherWebhook(tx, delivery.webhookId);
}

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
  if (ids.length === 0) return [];
  const found = tx.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    // The plus keeps SQLite from reading all of the workspace's.
    .where(and(sql`+${deliveries.workspaceId} = ${workspaceId}`, inArray(deliveries.id, [...ids])))
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

/** A delivery of any workspace, for commands. Throws `not_found`. */
export function getDelivery(tx: ReadTx, id: number): DeliveryDetail {
  const found = tx.db
    .select({ delivery: deliveries, eventId: events.id, eventType: events.type, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(eq(deliveries.id, id))
    .get();
  if (found === undefined) throw notFound("delivery");
  const attempts = listRows(tx, deliveryAttempts, { deliveryId: id }, asc(deliveryAttempts.id));
  const { delivery, body, ...rest } = found;
  return { ...delivery, ...rest, body: bodyOfDelivery(tx, id, rest.eventType, body), attempts };
}

/** An event's deliveries, each with its attempts, in ascending order. */
export function listDeliveriesOfEvent(tx: ReadTx, eventSeq: number): (Delivery & { attempts: DeliveryAttempt[] })[] {
  return listRows(tx, deliveries, { eventSeq }, asc(deliveries.id)).map((delivery) => ({
    ...delivery,
    attempts: listRows(tx, deliveryAttempts, { deliveryId: delivery.id }, asc(deliveryAttempts.id)),
  }));
}
