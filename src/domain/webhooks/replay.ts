/** Replays events on request: delivers them again, whatever the state of their delivery. */
import { and, eq, gte, isNull, or } from "drizzle-orm";
import { notFound, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { addDelivery } from "./publish.ts";
import { findWebhook } from "./read.ts";
import { deliveries, events } from "./table.ts";

/**
 * Restarts a delivery; its retry delays count from the next attempt. Returns its id. Throws `not_found` without a
 * delivery or its address.
 */
export function replayDelivery(tx: Tx, id: number): number {
  const delivery = tx.db.select().from(deliveries).where(eq(deliveries.id, id)).get();
  if (delivery === undefined) throw notFound("delivery");
  requireAddress(tx, delivery.workspaceId, delivery.isForwarded);
  restart(tx, delivery.id, delivery.workspaceId);
  return delivery.id;
}

/** Number of events that one call restarts; the caller repeats until it returns fewer. */
export const REPLAY_BATCH = 500;

/**
 * Restarts up to `REPLAY_BATCH` failures since an instant: exhausted deliveries, and events without a delivery. Returns
 * the delivery ids.
 */
export function replayFailedSince(tx: Tx, workspaceId: number, since: number): number[] {
  requireAddress(tx, workspaceId);
  const failed = tx.db
    .select({ eventSeq: events.seq, deliveryId: deliveries.id })
    .from(events)
    .leftJoin(deliveries, and(eq(deliveries.eventSeq, events.seq), eq(deliveries.isForwarded, false)))
    .where(
      and(
        eq(events.workspaceId, workspaceId),
        gte(events.createdAt, since),
        or(isNull(deliveries.id), eq(deliveries.status, "exhausted")),
      ),
    )
    .limit(REPLAY_BATCH)
    .all();
  return failed.map(({ eventSeq, deliveryId }) => {
    if (deliveryId === null) return addDelivery(tx, workspaceId, eventSeq);
    restart(tx, deliveryId, workspaceId);
    return deliveryId;
  });
}

/** An attempt in flight continues, but its result no longer counts: its job is deleted here. */
function restart(tx: Tx, id: number, workspaceId: number): void {
  tx.db
    .update(deliveries)
    .set({ status: "pending", attemptCount: 0, firstAttemptAt: null, nextAttemptAt: tx.now, finishedAt: null })
    .where(eq(deliveries.id, id))
    .run();
  deleteJobs(tx, "deliver_webhook", [id]);
  enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: workspaceId, dueAt: tx.now });
}

function requireAddress(tx: Tx, workspaceId: number, isForwarded = false): void {
  const webhook = findWebhook(tx, workspaceId);
  if ((isForwarded ? webhook?.forwardUrl : webhook?.url) != null) return;
  if (isForwarded) throw new Problem("not_found", "The second address of this workspace is gone.");
  throw new Problem("not_found", "This workspace has no webhook address: set one with `waxwing webhook set`.");
}
