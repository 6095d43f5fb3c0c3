/**
 * Replaces a secret while the old one keeps working. The receiver must first accept a test event that both have signed: a
 * receiver that cannot read two signatures would refuse every event.
 */
import { readDuration } from "#src/core/duration.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Tx } from "#src/db/transaction.ts";
import { newSecret, openSecret, rotateSecret, type ShownWebhook, type SigningSecrets } from "./address.ts";
import type { AttemptResult } from "./attempt.ts";
import { eventBody } from "./event-log.ts";
import { recordTestEvent } from "./publish.ts";
import { findWebhookById } from "./read.ts";
import { insertAttempt } from "./statements.ts";
import { deliveries, FIRST_WEBHOOK } from "./table.ts";

const DAY_MS = 86_400_000;
const OVERLAP_MIN_MS = 60_000;
const OVERLAP_MAX_MS = 30 * DAY_MS;

/** How long both secrets sign, in milliseconds. Throws `invalid_request`. */
export function readOverlap(text: string): number {
  const duration = readDuration(text.trim());
  if (duration?.kind === "ms" && duration.ms >= OVERLAP_MIN_MS && duration.ms <= OVERLAP_MAX_MS) return duration.ms;
  throw invalidRequest({ overlap: ["Give a duration from 1m to 30 days, such as 24h."] });
}

/** A test event that both secrets sign, before the new one is stored anywhere. */
export interface SecretTrial {
  /** Of the address. */
  id: number;
  workspaceId: number;
  eventSeq: number;
  url: string;
  body: string;
  /** The new one, and the present one as its `previous`. */
  secrets: SigningSecrets;
  /** The present one as it is stored. */
  sealed: string;
}

/** Records the test event. Throws `not_found` without an address. */
export function beginTrial(tx: Tx, box: SecretBox, workspaceId: number, id: number): SecretTrial {
  const { event, webhook } = recordTestEvent(tx, workspaceId, id);
  return {
    id,
    workspaceId,
    eventSeq: event.seq,
    url: webhook.url,
    body: eventBody(tx, event.seq),
    secrets: { secret: newSecret(tx), previous: openSecret(box, webhook) },
    sealed: webhook.secret,
  };
}

/** Records the one attempt of the trial as an ended delivery. It is not repeated. */
export function recordTrial(
  tx: Tx,
  { id: webhookId, workspaceId, eventSeq }: SecretTrial,
  result: AttemptResult,
): number {
  const { isSuccess, hasTimedOut: _, ...attempt } = result;
  const { id } = tx.db
    .insert(deliveries)
    .values({
      eventSeq,
      workspaceId,
      status: isSuccess ? "delivered" : "exhausted",
      attemptCount: 1,
      firstAttemptAt: attempt.attemptedAt,
      createdAt: attempt.attemptedAt,
      finishedAt: tx.now,
      isForwarded: false,
      webhookId: webhookId === FIRST_WEBHOOK ? null : webhookId,
    })
    .returning({ id: deliveries.id })
    .get();
  insertAttempt(tx).run({ deliveryId: id, ...attempt });
  return id;
}

/** Adopts the secret that the receiver accepted; null: the address or its secret was changed meanwhile. */
export function adoptSecret(tx: Tx, box: SecretBox, trial: SecretTrial, overlapMs: number): ShownWebhook | null {
  const { id, workspaceId, url, sealed, secrets } = trial;
  const webhook = findWebhookById(tx, workspaceId, id);
  if (webhook?.url !== url || webhook.secret !== sealed) return null;
  return rotateSecret(tx, box, workspaceId, { secret: secrets.secret, until: tx.now + overlapMs }, id);
}
