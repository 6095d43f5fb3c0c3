/**
 * Deliveries whose job is in the memory of the server, not in the outbox: new ones, until their first attempt has ended. They
 * are pending and have no time of a next attempt.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { scheduleInMemory } from "./statements.ts";

/** Puts the job of such a delivery into the outbox. Does nothing if the delivery has ended or was replayed meanwhile. */
export function enqueueDelivery(tx: Tx, delivery: { id: number; workspaceId: number }, dueAt: number): void {
  const { id, workspaceId } = delivery;
  if (scheduleInMemory(tx).run({ id, nextAttemptAt: dueAt }) === 0) return;
  enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: workspaceId, dueAt });
}

/**
 * Puts the jobs that an earlier process had in memory into the outbox, due at once: of all workspaces, or of one. Call it while
 * this process has none of them in memory. Returns how many.
 */
export function reclaimDeliveries(tx: Tx, workspaceId: number | null = null): number {
  const isInMemory = sql`status = 'pending' AND next_attempt_at IS NULL
    AND ${workspaceId === null ? sql`TRUE` : sql`workspace_id = ${workspaceId}`}`;
  // An INSERT of no rows would write the table's next id, at each start.
  if (tx.db.all(sql`SELECT 1 FROM deliveries WHERE ${isInMemory} LIMIT 1`).length === 0) return 0;
  tx.db.run(sql`INSERT INTO outbox (kind, subject, queue_key, due_at)
    SELECT 'deliver_webhook', id, workspace_id, ${tx.now} FROM deliveries WHERE ${isInMemory}
    ON CONFLICT DO NOTHING`);
  const { changes } = tx.db.run(sql`UPDATE deliveries SET next_attempt_at = ${tx.now} WHERE ${isInMemory}`);
  return changes;
}
