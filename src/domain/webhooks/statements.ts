/** The hot statements of events, deliveries and attempts: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { burstEvents, bursts, deliveries, deliveryAttempts, events, furtherWebhooks, webhooks } from "./table.ts";

const webhook = getTableColumns(webhooks);
const further = getTableColumns(furtherWebhooks);
const delivery = getTableColumns(deliveries);
const event = getTableColumns(events);

export const webhookOfWorkspace = hotFind(webhooks, ["workspaceId"]);

export const furtherWebhooksOfWorkspace = hotFind(furtherWebhooks, ["workspaceId"], { rest: "ORDER BY id" });

export const furtherWebhookById = hotFind(furtherWebhooks, ["id"]);

export const insertEvent = hotInsert(events, ["id", "workspaceId", "type", "body", "createdAt"]);

export const latestEventId = hotQuery(
  "SELECT id FROM events WHERE seq = (SELECT max(seq) FROM events)",
  {},
  { id: event.id },
);

export const insertDelivery = hotWrite(
  `INSERT INTO deliveries (event_seq, workspace_id, status, attempt_count, next_attempt_at, created_at, is_forwarded,
    webhook_id)
  VALUES (:eventSeq, :workspaceId, 'pending', 0, :nextAttemptAt, :createdAt, :isForwarded, :webhookId)`,
  delivery,
);

const burst = getTableColumns(bursts);
const burstEvent = getTableColumns(burstEvents);

/** The delivery that the next event of this person joins, with the number and size of its events. */
export const joinableBurst = hotQuery(
  `SELECT bursts.delivery_id AS deliveryId,
    (SELECT count(*) FROM burst_events WHERE delivery_id = bursts.delivery_id) AS events,
    (SELECT sum(length(events.body)) FROM burst_events JOIN events ON events.seq = burst_events.event_seq
      WHERE burst_events.delivery_id = bursts.delivery_id) AS characters
  FROM bursts JOIN deliveries ON deliveries.id = bursts.delivery_id
  WHERE bursts.contact_id = +:contactId AND bursts.number_id = +:numberId AND bursts.queue_key = +:queueKey
    AND bursts.until > +:now AND deliveries.status = 'pending'`,
  { ...burst, now: integer },
  { deliveryId: burst.deliveryId, events: integer, characters: integer },
);

export const storeBurst = hotInsert(
  bursts,
  ["workspaceId", "contactId", "numberId", "queueKey", "deliveryId", "until"],
  `ON CONFLICT (contact_id, number_id, queue_key)
    DO UPDATE SET delivery_id = excluded.delivery_id, until = excluded.until`,
);

export const insertBurstEvent = hotInsert(burstEvents, ["deliveryId", "eventSeq"]);

/** In the order in which they were recorded. */
export const bodiesOfBurst = hotQuery(
  `SELECT events.body AS body FROM burst_events JOIN events ON events.seq = burst_events.event_seq
  WHERE burst_events.delivery_id = +:deliveryId ORDER BY burst_events.event_seq`,
  burstEvent,
  { body: event.body },
);

export const burstOfDelivery = hotFind(bursts, ["deliveryId"], { take: ["contactId"] });

export const closeBurst = hotDelete(bursts, ["deliveryId"]);

/** Whether the attempt of a delivery's job still counts: a replay gives the delivery another job. */
const HAS_JOB = "EXISTS (SELECT 1 FROM outbox WHERE id = +:outboxId)" as const;

/**
 * What an attempt takes of a delivery that has not ended and whose job no replay has replaced. Its address and secret are
 * remembered.
 */
export const attemptableDelivery = hotQuery(
  `SELECT events.id AS eventId, events.type AS eventType, events.body AS body, deliveries.is_forwarded AS isForwarded
  FROM deliveries JOIN events ON events.seq = deliveries.event_seq
  WHERE deliveries.id = +:id AND deliveries.status = 'pending' AND ${HAS_JOB}`,
  { id: delivery.id, outboxId: integer },
  { eventId: event.id, eventType: event.type, body: event.body, isForwarded: delivery.isForwarded },
);

/** One list for each status, each ordered by its index. */
export const newestDeliveries = hotQuery(
  `SELECT id FROM deliveries WHERE workspace_id = +:workspaceId AND status = 'pending' AND id < +:before
  UNION ALL SELECT id FROM deliveries WHERE workspace_id = +:workspaceId AND status = 'delivered' AND id < +:before
  UNION ALL SELECT id FROM deliveries WHERE workspace_id = +:workspaceId AND status = 'exhausted' AND id < +:before
  ORDER BY id DESC LIMIT +:limit`,
  { ...delivery, before: integer, limit: integer },
  { id: delivery.id },
);

export const insertAttempt = hotWrite(
  `INSERT INTO delivery_attempts (delivery_id, id, url, attempted_at, duration_ms, status_code, error, response)
  VALUES (:deliveryId, 1 + coalesce((SELECT max(id) FROM delivery_attempts WHERE delivery_id = +:deliveryId), 0),
    :url, :attemptedAt, :durationMs, :statusCode, :error, :response)`,
  getTableColumns(deliveryAttempts),
);

/** Matches no row if the delivery has ended meanwhile, or a replay has replaced this attempt's job. */
export const countAttempt = hotQuery(
  `UPDATE deliveries SET attempt_count = attempt_count + 1, first_attempt_at = coalesce(first_attempt_at, :attemptedAt)
  WHERE id = +:id AND status = 'pending' AND ${HAS_JOB}
  RETURNING ${columns(delivery)}`,
  { id: delivery.id, attemptedAt: integer, outboxId: integer },
  delivery,
);

/** The attempt and the end of its delivery in one change. It matches no row where `countAttempt` matches none. */
export const countSuccess = hotWrite(
  `UPDATE deliveries SET attempt_count = attempt_count + 1, first_attempt_at = coalesce(first_attempt_at, :attemptedAt),
    status = 'delivered', next_attempt_at = NULL, finished_at = :finishedAt
  WHERE id = +:id AND status = 'pending' AND ${HAS_JOB}`,
  { id: delivery.id, finishedAt: delivery.finishedAt, attemptedAt: integer, outboxId: integer },
);

export const existingDelivery = hotFind(deliveries, ["id"], { take: ["id"] });

export const finishDelivery = hotWrite(
  `UPDATE deliveries SET status = :status, next_attempt_at = NULL, finished_at = :finishedAt
  WHERE id = +:id AND status = 'pending'`,
  delivery,
);

export const scheduleNextAttempt = hotWrite(
  "UPDATE deliveries SET next_attempt_at = :nextAttemptAt WHERE id = +:id AND status = 'pending'",
  delivery,
);

export const addTimeout = hotWrite(
  `UPDATE webhooks SET consecutive_timeouts = consecutive_timeouts + 1
  WHERE workspace_id = +:workspaceId AND url = +:url`,
  webhook,
);

export const addFurtherTimeout = hotWrite(
  "UPDATE further_webhooks SET consecutive_timeouts = consecutive_timeouts + 1 WHERE id = +:id AND url = +:url",
  further,
);

export const resetFurtherTimeouts = hotWrite(
  `UPDATE further_webhooks SET consecutive_timeouts = 0
  WHERE id = +:id AND url = +:url AND consecutive_timeouts BETWEEN 1 AND :max`,
  { ...further, max: integer },
);

export const resetTimeouts = hotWrite(
  `UPDATE webhooks SET consecutive_timeouts = 0
  WHERE workspace_id = +:workspaceId AND url = +:url AND consecutive_timeouts BETWEEN 1 AND :max`,
  { ...webhook, max: integer },
);

/** Changes only an event that tells of an erasure, and that at the end of its last delivery. */
export const emptyErased = hotWrite(
  `UPDATE events SET body = json_set(body, '$.data.phone', NULL, '$.data.user_id', NULL)
  WHERE seq = (SELECT event_seq FROM deliveries WHERE id = +:id) AND type = 'contact.erased'
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_seq = events.seq AND status = 'pending')`,
  { id: delivery.id },
);
