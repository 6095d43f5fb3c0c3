/** Plans and records one attempt of a delivery. */
import { sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { updateTimeoutStreak } from "./address.ts";
import { bodyOfDelivery } from "./burst-body.ts";
import { isGathering } from "./bursts.ts";
import { nextAttemptAt, type RetrySchedule } from "./delivery.ts";
import { exhaust } from "./end.ts";
import { emptyErasedEvent } from "./erased-event.ts";
import type { EventType } from "./event-types.ts";
import { webhookOfQueue } from "./read.ts";
import {
  attemptableDelivery,
  countAttempt,
  countSuccess,
  existingDelivery,
  finishDelivery,
  insertAttempt,
  scheduleNextAttempt,
} from "./statements.ts";
import type { Webhook } from "./table.ts";

export interface AttemptPlan {
  url: string;
  body: string;
  eventId: string;
  eventType: EventType;
  webhook: Webhook;
  /** Further messages may join it until it is closed. */
  isGathering: boolean;
}

/**
 * Plans an attempt with the current address and secret and the event's fixed body. Undefined if the delivery has ended,
 * has no address, or was replayed while `job` waited.
 */
export function planAttempt(tx: ReadTx, job: Pick<OutboxRow, "id" | "subject" | "queueKey">): AttemptPlan | undefined {
  const webhook = webhookOfQueue(tx, job.queueKey);
  const delivery = attemptableDelivery(tx).get({ id: job.subject, outboxId: job.id });
  if (webhook === undefined || delivery === undefined) return undefined;
  const { isForwarded, ...event } = delivery;
  const url = urlOf(webhook, isForwarded);
  if (url === null) return undefined;
  const body = bodyOfDelivery(tx, job.subject, event.eventType, event.body);
  const isOpen = event.eventType === "message.received" && isGathering(tx, job.subject);
  return { url, ...event, body, webhook, isGathering: isOpen };
}

/** Ends a job that has no attempt to make, and its delivery if that has lost its address. */
export function endWithoutAttempt(tx: Tx, job: OutboxRow): void {
  // The address was set again.
  if (planAttempt(tx, job) !== undefined) return;
  exhaust(tx, [job.subject]);
  finish(tx, job.id);
}

/** Null: nothing is sent there now. */
function urlOf(webhook: Webhook, isForwarded: boolean): string | null {
  if (isForwarded) return "forwardUrl" in webhook ? webhook.forwardUrl : null;
  return webhook.disabledAt === null ? webhook.url : null;
}

export interface AttemptResult {
  url: string;
  attemptedAt: number;
  durationMs: number;
  statusCode: number | null;
  /** Why there was no response, in words. */
  error: string | null;
  response: string | null;
  isSuccess: boolean;
  hasTimedOut: boolean;
}

/**
 * Records the attempt and schedules the next one or ends the delivery. An attempt that was superseded by a replay or a
 * cleared address is recorded but has no other effect. If the delivery was purged, nothing is recorded.
 */
export function recordAttempt(
  tx: Tx,
  work: { outboxId: number; deliveryId: number; webhook: Webhook; eventType: EventType },
  result: AttemptResult,
  schedule: RetrySchedule,
): void {
  const { isSuccess, hasTimedOut, ...row } = result;
  const { outboxId, deliveryId, eventType } = work;
  const { attemptedAt } = result;
  updateTimeoutStreak(tx, work.webhook, result);
  if (isSuccess && countSuccess(tx).run({ id: deliveryId, outboxId, attemptedAt, finishedAt: tx.now }) === 1) {
    insertAttempt(tx).run({ deliveryId, ...row });
    if (eventType === "contact.erased") emptyErasedEvent(tx, deliveryId);
    finish(tx, outboxId);
    return;
  }
  const delivery = countAttempt(tx).get({ id: deliveryId, outboxId, attemptedAt });
  if (delivery !== undefined || existingDelivery(tx).get({ id: deliveryId }) !== undefined) {
    insertAttempt(tx).run({ deliveryId, ...row });
  }
  if (delivery === undefined) {
    finish(tx, outboxId);
    return;
  }
  const firstAttemptAt = delivery.firstAttemptAt ?? attemptedAt;
  const next = nextAttemptAt(schedule, firstAttemptAt, delivery.attemptCount, tx.now, tx.random);
  if (next === null) {
    finishDelivery(tx).run({ id: delivery.id, status: "exhausted", finishedAt: tx.now });
    if (eventType === "contact.erased") emptyErasedEvent(tx, delivery.id);
    finish(tx, outboxId);
    return;
  }
  scheduleNextAttempt(tx).run({ id: delivery.id, nextAttemptAt: next });
  postpone(tx, outboxId, next);
}

/** Shifts the retry times of the pending deliveries whose jobs have `after` < id <= `last`. */
export function shiftRetries({ db }: Tx, { after, last }: { after: number; last: number }, byMs: number): void {
  db.run(sql`UPDATE deliveries
    SET first_attempt_at = first_attempt_at + ${byMs}, next_attempt_at = next_attempt_at + ${byMs}
    WHERE status = 'pending' AND id IN
      (SELECT subject FROM outbox WHERE kind = 'deliver_webhook' AND id > ${after} AND id <= ${last})`);
}
