/**
 * `contact.erased` names the person whose data was erased, so that other systems can erase them too. It is the only
 * event that outlives an erasure, and only until it has been delivered: then its body is emptied.
 */
import { eq, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { publish } from "./publish.ts";
import { findWebhook } from "./read.ts";
import { deliveryAttempts, events } from "./table.ts";

interface ErasedPerson {
  workspaceId: number;
  phone: string | null;
  networkUserId: string | null;
}

/** Without an address nobody would be told, and the name would stay: the event then names nobody. */
export function publishErased(tx: Tx, { workspaceId, phone, networkUserId }: ErasedPerson): void {
  if (phone === null && networkUserId === null) return;
  const isDelivered = findWebhook(tx, workspaceId)?.url != null;
  const data = isDelivered ? { phone, user_id: networkUserId } : { phone: null, user_id: null };
  publish(tx, getWorkspace(tx, workspaceId), "contact.erased", data);
}

const empty = statement((db) =>
  db
    .update(events)
    .set({ body: sql`json_set(${events.body}, '$.data.phone', NULL, '$.data.user_id', NULL)` })
    .where(
      sql`${events.seq} = (SELECT event_seq FROM deliveries WHERE id = ${sql.placeholder("deliveryId")})
        AND ${events.type} = 'contact.erased'`,
    )
    .prepare(),
);

/** Call when a delivery has ended. Receivers may repeat the body in their responses, so these go too. */
export function emptyErasedEvent(tx: Tx, deliveryId: number): void {
  if (empty(tx).run({ deliveryId }).changes === 0) return;
  tx.db.update(deliveryAttempts).set({ response: null }).where(eq(deliveryAttempts.deliveryId, deliveryId)).run();
}
