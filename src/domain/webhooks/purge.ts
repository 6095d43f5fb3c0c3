/** Deletes old events with their deliveries, attempts and jobs, in batches of one transaction each. */
import { asc, inArray } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { burstEvents, bursts, deliveries, deliveryAttempts, events } from "./table.ts";

/** Deletes up to `limit` events older than `before`; returns how many. */
export function purgeEvents(tx: Tx, before: number, limit: number): number {
  // Event numbers ascend with time, so the oldest events come first without an index on time.
  const oldest = tx.db
    .select({ seq: events.seq, createdAt: events.createdAt })
    .from(events)
    .orderBy(asc(events.seq))
    .limit(limit)
    .all()
    .filter(({ createdAt }) => createdAt < before)
    .map(({ seq }) => seq);
  if (oldest.length === 0) return 0;
  const gone = tx.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(inArray(deliveries.eventSeq, oldest))
    .all()
    .map(({ id }) => id);
  tx.db.delete(burstEvents).where(inArray(burstEvents.eventSeq, oldest)).run();
  if (gone.length > 0) {
    tx.db.delete(burstEvents).where(inArray(burstEvents.deliveryId, gone)).run();
    tx.db.delete(bursts).where(inArray(bursts.deliveryId, gone)).run();
    tx.db.delete(deliveryAttempts).where(inArray(deliveryAttempts.deliveryId, gone)).run();
    deleteJobs(tx, "deliver_webhook", gone);
    tx.db.delete(deliveries).where(inArray(deliveries.id, gone)).run();
  }
  tx.db.delete(events).where(inArray(events.seq, oldest)).run();
  return oldest.length;
}
