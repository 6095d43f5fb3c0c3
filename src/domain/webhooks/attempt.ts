/** Plans and records one attempt of a delivery. */
import { and, eq, sql } from "drizzle-orm";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { finish, postpone } from "#src/jobs/claim.ts";
import { outbox } from "#src/jobs/table.ts";
import { updateTimeoutStreak } from "./address.ts";
import { nextAttemptAt, type RetrySchedule } from "./delivery.ts";
import { emptyErasedEvent } from "./erased-event.ts";
import { deliveries, deliveryAttempts, events, type Webhook, webhooks } from "./table.ts";

const attemptableDelivery = statement((db) =>
  db
    .select({ id: deliveries.id, eventId: events.id, body: events.body, webhook: webhooks })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .innerJoin(webhooks, eq(webhooks.workspaceId, deliveries.workspaceId))
    .where(and(eq(deliveries.id, sql.placeholder("id")), eq(deliveries.status, "pending")))
    .prepare(),
);

export interface AttemptPlan {
  url: string;
  body: string;
  eventId: string;
  webhook: Webhook;
}

/**
 * Plans an attempt with the current address and secret and the event's fixed body. Undefined if the delivery has ended
 * or has no address.
 */
export function planAttempt(tx: ReadTx, deliveryId: number): AttemptPlan | undefined {
  const found = attemptableDelivery(tx).get({ id: deliveryId });
  if (found?.webhook.url == null) return undefined;
  return { url: found.webhook.url, body: found.body, eventId: found.eventId, webhook: found.webhook };
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

const insertAttempt = statement((db) =>
  db
    .insert(deliveryAttempts)
    .values({
      deliveryId: sql.placeholder("deliveryId"),
      url: sql.placeholder("url"),
      attemptedAt: sql.placeholder("attemptedAt"),
      durationMs: sql.placeholder("durationMs"),
      statusCode: sql.placeholder("statusCode"),
      error: sql.placeholder("error"),
      response: sql.placeholder("response"),
    })
    .prepare(),
);

/** Matches no row if the delivery has ended meanwhile, or a replay has replaced this attempt's job. */
const countAttempt = statement((db) =>
  db
    .update(deliveries)
    .set({
      attemptCount: sql`${deliveries.attemptCount} + 1`,
      firstAttemptAt: sql`coalesce(${deliveries.firstAttemptAt}, ${sql.placeholder("attemptedAt")})`,
    })
    .where(
      and(
        eq(deliveries.id, sql.placeholder("id")),
        eq(deliveries.status, "pending"),
        sql`exists (select 1 from ${outbox} where ${outbox.id} = ${sql.placeholder("outboxId")})`,
      ),
    )
    .returning()
    .prepare(),
);

const existingDelivery = statement((db) =>
  db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.id, sql.placeholder("id")))
    .prepare(),
);

const finishDelivery = statement((db) =>
  db
    .update(deliveries)
    .set({
      status: sql`${sql.placeholder("status")}`,
      nextAttemptAt: null,
      finishedAt: sql`${sql.placeholder("now")}`,
    })
    .where(and(eq(deliveries.id, sql.placeholder("id")), eq(deliveries.status, "pending")))
    .prepare(),
);

const scheduleNextAttempt = statement((db) =>
  db
    .update(deliveries)
    .set({ nextAttemptAt: sql`${sql.placeholder("next")}` })
    .where(and(eq(deliveries.id, sql.placeholder("id")), eq(deliveries.status, "pending")))
    .prepare(),
);

/**
 * Records the attempt and schedules the next one or ends the delivery. An attempt that was superseded by a replay or a
 * cleared address is recorded but has no other effect. If the delivery was purged, nothing is recorded.
 */
export function recordAttempt(
  tx: Tx,
  work: { outboxId: number; deliveryId: number; workspaceId: number },
  result: AttemptResult,
  schedule: RetrySchedule,
): void {
  const { isSuccess, hasTimedOut, ...row } = result;
  const { outboxId, deliveryId } = work;
  updateTimeoutStreak(tx, work.workspaceId, result);
  const delivery = countAttempt(tx).get({ id: deliveryId, outboxId, attemptedAt: result.attemptedAt });
  if (delivery !== undefined || existingDelivery(tx).get({ id: deliveryId }) !== undefined) {
    insertAttempt(tx).run({ deliveryId, ...row });
  }
  if (delivery === undefined) {
    finish(tx, outboxId);
    return;
  }
  const next = isSuccess
    ? null
    : nextAttemptAt(schedule, delivery.firstAttemptAt ?? result.attemptedAt, delivery.attemptCount, tx.now, tx.random);
  if (next === null) {
    finishDelivery(tx).run({ id: delivery.id, status: isSuccess ? "delivered" : "exhausted", now: tx.now });
    emptyErasedEvent(tx, delivery.id);
    finish(tx, outboxId);
    return;
  }
  scheduleNextAttempt(tx).run({ id: delivery.id, next });
  postpone(tx, outboxId, next);
}

/** Shifts the retry times of the pending deliveries whose jobs have `after` < id <= `last`. */
export function shiftRetries({ db }: Tx, { after, last }: { after: number; last: number }, byMs: number): void {
  db.run(sql`UPDATE deliveries
    SET first_attempt_at = first_attempt_at + ${byMs}, next_attempt_at = next_attempt_at + ${byMs}
    WHERE status = 'pending' AND id IN
      (SELECT subject FROM outbox WHERE kind = 'deliver_webhook' AND id > ${after} AND id <= ${last})`);
}
