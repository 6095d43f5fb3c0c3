/** Replays events on request: delivers them again, whatever the state of their delivery. */
import { and, eq, gte, inArray, isNull, notExists, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { notFound, Problem } from "#src/core/problem.ts";
import { withinBudget } from "#src/db/query-budget.ts";
import { findRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { defaultTypes, type EventType } from "./event-types.ts";
import { addDelivery, requireActive } from "./publish.ts";
import { listWebhooks, queueOf, webhookOfDelivery } from "./read.ts";
import { burstEvents, deliveries, events, FIRST_WEBHOOK, type Webhook } from "./table.ts";

/**
 * Restarts a delivery; its retry delays count from the next attempt. Returns its id. Throws `not_found` without a
 * delivery or its address.
 */
export function replayDelivery(tx: Tx, id: number): number {
  const delivery = findRow(tx, deliveries, { id });
  if (delivery === undefined) throw notFound("delivery");
  const webhook = webhookOfDelivery(tx, delivery);
  if (webhook === undefined) throw new Problem("not_found", "The webhook address of this delivery was removed.");
  if (!delivery.isForwarded) requireActive(tx, delivery.workspaceId, webhook.id);
  else if (!("forwardUrl" in webhook) || webhook.forwardUrl === null)
    throw new Problem("not_found", "The second address of this workspace is gone.");
  restart(tx, delivery.id, webhook);
  return delivery.id;
}

/** Number of events that one call restarts; the caller repeats until it returns fewer. */
export const REPLAY_BATCH = 500;

/**
 * Restarts up to `REPLAY_BATCH` failures of each active address since an instant: exhausted deliveries, and events without
 * a delivery whose type the address asks for. Of an address that was added later, events count from then on. Returns the
 * delivery ids. Throws `not_found` without an active address.
 */
export function replayFailedSince(tx: Tx, workspaceId: number, since: number): number[] {
  const active = activeWebhooks(tx, workspaceId);
  if (active.length === 0) requireActive(tx, workspaceId, FIRST_WEBHOOK);
  const replayed: number[] = [];
  for (const webhook of active) {
    const limit = REPLAY_BATCH - replayed.length;
    if (limit === 0) break;
    for (const { eventSeq, deliveryId } of listFailed(tx, webhook, since, limit)) {
      if (deliveryId !== null) restart(tx, deliveryId, webhook);
      replayed.push(deliveryId ?? addDelivery(tx, webhook, eventSeq));
    }
  }
  return replayed;
}

function listFailed(tx: Tx, webhook: Webhook, since: number, limit: number) {
  const { id, workspaceId } = webhook;
  const isOfThis = id === FIRST_WEBHOOK ? isNull(deliveries.webhookId) : eq(deliveries.webhookId, id);
  // An event that joined the delivery of another one.
  const leading = alias(deliveries, "leading");
  const joined = tx.db
    .select({ one: sql`1` })
    .from(burstEvents)
    .innerJoin(leading, eq(leading.id, burstEvents.deliveryId))
    .where(
      and(
        eq(burstEvents.eventSeq, events.seq),
        id === FIRST_WEBHOOK ? isNull(leading.webhookId) : eq(leading.webhookId, id),
      ),
    );
  return tx.db
    .select({ eventSeq: events.seq, deliveryId: deliveries.id })
    .from(events)
    .leftJoin(deliveries, and(eq(deliveries.eventSeq, events.seq), eq(deliveries.isForwarded, false), isOfThis))
    .where(
      and(
        eq(events.workspaceId, workspaceId),
        gte(events.createdAt, failuresFrom(webhook, since)),
        or(
          eq(deliveries.status, "exhausted"),
          and(isNull(deliveries.id), inArray(events.type, missedTypes(webhook)), notExists(joined)),
        ),
      ),
    )
    .limit(limit)
    .all();
}

/** Counts what `replayFailedSince` would send, in all its calls. The reader runs it. */
export function countFailed(
  tx: ReadTx,
  workspaceId: number,
  since: number,
): { sql: string; values: (string | number | null)[] } {
  const parts = activeWebhooks(tx, workspaceId).map((webhook) => ({
    sql: `(SELECT count(*) FROM events LEFT JOIN deliveries
        ON deliveries.event_seq = events.seq AND deliveries.is_forwarded = 0 AND deliveries.webhook_id IS ?
      WHERE events.workspace_id = ? AND events.created_at >= ? AND (deliveries.status = 'exhausted'
        OR (deliveries.id IS NULL AND events.type IN (SELECT value FROM json_each(?))
          AND NOT EXISTS (SELECT 1 FROM burst_events JOIN deliveries AS leading ON leading.id = burst_events.delivery_id
            WHERE burst_events.event_seq = events.seq AND leading.webhook_id IS ?)))
        AND ${withinBudget("events.seq")})`,
    values: [
      webhook.id === FIRST_WEBHOOK ? null : webhook.id,
      workspaceId,
      failuresFrom(webhook, since),
      JSON.stringify(missedTypes(webhook)),
      webhook.id === FIRST_WEBHOOK ? null : webhook.id,
    ],
  }));
  return {
    sql: `SELECT ${["0", ...parts.map(({ sql }) => sql)].join(" + ")} AS total`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** What an address may have missed. A test event is for the one address that was tested. */
function missedTypes({ types }: Webhook): EventType[] {
  return (types ?? defaultTypes).filter((type) => type !== "webhook.test");
}

/** An address that was added later has missed nothing before. */
function failuresFrom(webhook: Webhook, since: number): number {
  return "createdAt" in webhook ? Math.max(since, webhook.createdAt) : since;
}

function activeWebhooks(tx: ReadTx, workspaceId: number): Webhook[] {
  return listWebhooks(tx, workspaceId).filter(({ disabledAt }) => disabledAt === null);
}

/** An attempt in flight continues, but its result no longer counts: its job is deleted here. */
function restart(tx: Tx, id: number, webhook: Webhook): void {
  updateRows(
    tx,
    deliveries,
    { id },
    { status: "pending", attemptCount: 0, firstAttemptAt: null, nextAttemptAt: tx.now, finishedAt: null },
  );
  deleteJobs(tx, "deliver_webhook", [id]);
  enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: queueOf(webhook), dueAt: tx.now });
}
