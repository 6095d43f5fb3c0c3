/**
 * Delivers events to their webhook: one attempt per job, signed with the current secret. A workspace has a bounded
 * number of attempts in flight, which its addresses share, and an address a single one while it keeps timing out: so a dead
 * receiver delays neither other workspaces nor other addresses.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type SecretBox, SecretUnreadable } from "#src/core/secret.ts";
import { serviceSignature } from "#src/core/service-signature.ts";
import { version } from "#src/core/version.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { openSigningSecrets, type SigningSecrets, TIMEOUTS_UNTIL_SINGLE } from "#src/domain/webhooks/address.ts";
import {
  type AttemptPlan,
  type AttemptResult,
  endWithoutAttempt,
  planAttempt,
  recordAttempt,
} from "#src/domain/webhooks/attempt.ts";
import { closeBurst } from "#src/domain/webhooks/bursts.ts";
import type { RetrySchedule } from "#src/domain/webhooks/delivery.ts";
import { listFurtherWebhooks, listWebhooks, queueOf, webhookOfQueue } from "#src/domain/webhooks/read.ts";
import type { Webhook } from "#src/domain/webhooks/table.ts";
import type { Room } from "#src/jobs/shared-room.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { isSuccess, type PostResult, type WebhookPoster } from "#src/net/post.ts";

export interface DeliveryOptions {
  store: Store;
  clock: Clock;
  /** Tells the time of signatures: receivers compare it with their own, whatever time a test has set here. */
  realClock: Pick<Clock, "now">;
  box: SecretBox;
  poster: WebhookPoster;
  schedule: RetrySchedule;
  /** Maximum number of attempts of one workspace in flight at the same time, over all its addresses. */
  concurrency: number;
  log: Log;
}

export function createDeliveryWorker(options: DeliveryOptions): Worker {
  const { store, clock, concurrency, log } = options;
  return new Worker({
    store,
    clock,
    kind: "deliver_webhook",
    concurrency: (tx, queueKey) => {
      const webhook = webhookOfQueue(tx, queueKey);
      if ((webhook?.consecutiveTimeouts ?? 0) >= TIMEOUTS_UNTIL_SINGLE) return 1;
      return roomOf(tx, webhook, concurrency) === null ? concurrency : Math.ceil(concurrency / 2);
    },
    room: (tx, queueKey) => roomOf(tx, webhookOfQueue(tx, queueKey), concurrency),
    perform: (row) => attemptDelivery(options, row),
    onError: (error, row) =>
      log.error("delivery.job_failed", "Webhook delivery could not be processed", { delivery: row?.subject, error }),
  });
}

/** An address alone has all attempts of its workspace. Several share them, and none has more than half. */
function roomOf(tx: ReadTx, webhook: Webhook | undefined, limit: number): Room | null {
  if (webhook === undefined || listFurtherWebhooks(tx, webhook.workspaceId).length === 0) return null;
  const active = listWebhooks(tx, webhook.workspaceId).filter(({ disabledAt }) => disabledAt === null);
  const queues = active.map(queueOf);
  return queues.length > 1 && queues.includes(queueOf(webhook)) ? { queues, limit } : null;
}

/** Signs and posts the delivery of a job, and records the attempt. */
export async function attemptDelivery(options: DeliveryOptions, row: OutboxRow): Promise<void> {
  const { store, clock, schedule, log } = options;
  let plan = store.read((tx) => planAttempt(tx, row));
  if (plan?.isGathering) {
    await store.writeRepeatable((tx) => closeBurst(tx, row.subject));
    plan = store.read((tx) => planAttempt(tx, row));
  }
  if (plan === undefined) return store.writeRepeatable((tx) => endWithoutAttempt(tx, row));
  const attemptedAt = clock.now();
  const result = toResult(plan.url, attemptedAt, await post(options, plan));
  if (!result.isSuccess) {
    const reason = result.error ?? `the receiver answered ${result.statusCode}`;
    log.warn("delivery.attempt_failed", "Webhook was not accepted", {
      delivery: row.subject,
      eventId: plan.eventId,
      reason,
    });
  }
  const { webhook, eventType } = plan;
  const work = { outboxId: row.id, deliveryId: row.subject, webhook, eventType };
  await store.writeRepeatable((tx) => recordAttempt(tx, work, result, schedule));
}

async function post(options: DeliveryOptions, { url, body, webhook }: AttemptPlan): Promise<PostResult> {
  let secrets: SigningSecrets;
  try {
    secrets = openSigningSecrets(options.box, webhook, options.clock.now());
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { kind: "failed", reason: "protocol", message: error.message, durationMs: 0 };
  }
  return postSigned(options, { workspaceId: webhook.workspaceId, url, body }, secrets);
}

/** Posts an event with the signature of its secrets. */
export function postSigned(
  { poster, realClock }: Pick<DeliveryOptions, "poster" | "realClock">,
  event: { workspaceId: number; url: string; body: string },
  { secret, previous }: SigningSecrets,
): Promise<PostResult> {
  const headers = {
    "content-type": "application/json",
    "user-agent": `Waxwing/${version}`,
    "service-signature": serviceSignature(event.body, secret, realClock.now(), previous),
  };
  return poster.post({ ...event, headers });
}

export function toResult(url: string, attemptedAt: number, answer: PostResult): AttemptResult {
  const isAnswered = answer.kind === "answered";
  return {
    url,
    attemptedAt,
    durationMs: Math.round(answer.durationMs),
    statusCode: isAnswered ? answer.status : null,
    error: isAnswered ? null : answer.message,
    response: isAnswered ? answer.body : null,
    isSuccess: isSuccess(answer),
    hasTimedOut: !isAnswered && answer.reason === "timeout",
  };
}
