/** Deletes old events with their deliveries, attempts and jobs, in batches of one transaction each. */
import { asc, inArray } from "drizzle-orm";
import { deleteRows } from "#src/db/rows.ts";
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
  deleteRows(tx, burstEvents, inArray(burstEvents.eventSeq, oldest));
  if (gone.length > 0) {
    deleteRows(tx, burstEvents, inArray(burstEvents.deliveryId, gone));
    deleteRows(tx, bursts, inArray(bursts.deliveryId, gone));
    deleteRows(tx, deliveryAttempts, inArray(deliveryAttempts.deliveryId, gone));
    deleteJobs(tx, "deliver_webhook", gone);
    deleteRows(tx, deliveries, inArray(deliveries.id, gone));
  }
  deleteRows(tx, events, inArray(events.seq, oldest));
  return oldest.length;
}
