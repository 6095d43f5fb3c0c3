/**
 * Tells the customer: records an event and, where the workspace has an address, the delivery and the work to bring it
 * there, all in the transaction of the change.
 */
import { sql } from "drizzle-orm";
import { enqueue } from "#src/outbox/enqueue.ts";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { recordEvent } from "../events/record.ts";
import type { EventRow, EventType } from "../events/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findWebhook } from "./read.ts";
import { deliveries } from "./table.ts";

export function publish(
  tx: Tx,
  workspace: Workspace,
  type: EventType,
  data: Record<string, unknown>,
): Pick<EventRow, "seq" | "id"> {
  const event = recordEvent(tx, workspace, type, data);
  // Without an address nothing is attempted, now or when one is set later; a replay does.
  if (findWebhook(tx, workspace.id)?.url != null) addDelivery(tx, workspace.id, event.seq);
  return event;
}

const insert = statement((db) =>
  db
    .insert(deliveries)
    .values({
      eventSeq: sql.placeholder("eventSeq"),
      workspaceId: sql.placeholder("workspaceId"),
      status: "pending",
      attemptCount: 0,
      nextAttemptAt: sql.placeholder("now"),
      createdAt: sql.placeholder("now"),
    })
    .returning({ id: deliveries.id })
    .prepare(),
);

/** One more way of an event to the address; its first attempt is due at once. Returns the delivery's id. */
export function addDelivery(tx: Tx, workspaceId: number, eventSeq: number): number {
  const { id } = insert(tx).get({ eventSeq, workspaceId, now: tx.now });
  enqueue(tx, { kind: "deliver_webhook", subject: id, lane: workspaceId, dueAt: tx.now });
  return id;
}
