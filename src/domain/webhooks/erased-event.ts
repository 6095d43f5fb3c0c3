/**
 * `contact.erased` names the person whose data was erased, so that other systems can erase them too. It is the only
 * event that outlives an erasure, and only until it has been delivered: then its body is emptied.
 */
import { eq, inArray } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { isWanted } from "./event-types.ts";
import { publish } from "./publish.ts";
import { findWebhook, listWebhooks } from "./read.ts";
import { emptyErased } from "./statements.ts";
import { deliveries, deliveryAttempts } from "./table.ts";

interface ErasedPerson {
  workspaceId: number;
  phone: string | null;
  networkUserId: string | null;
}

/** Without an address that wants it, the event is never delivered, and the name would stay: the event then contains none. */
export function publishErased(tx: Tx, { workspaceId, phone, networkUserId }: ErasedPerson): void {
  if (phone === null && networkUserId === null) return;
  const forwarding = findWebhook(tx, workspaceId);
  const isDelivered =
    listWebhooks(tx, workspaceId).some(
      ({ types, disabledAt }) => disabledAt === null && isWanted(types, "contact.erased"),
    ) ||
    (forwarding?.forwardUrl != null && isWanted(forwarding.types, "contact.erased"));
  const data = isDelivered ? { phone, user_id: networkUserId } : { phone: null, user_id: null };
  publish(tx, getWorkspace(tx, workspaceId), "contact.erased", data);
}

/** Call when a delivery has ended. Receivers may repeat the body in their responses, so these go too. */
export function emptyErasedEvent(tx: Tx, deliveryId: number): void {
  if (emptyErased(tx).run({ id: deliveryId }) === 0) return;
  const ended = tx.db.select({ seq: deliveries.eventSeq }).from(deliveries).where(eq(deliveries.id, deliveryId));
  const all = tx.db.select({ id: deliveries.id }).from(deliveries).where(inArray(deliveries.eventSeq, ended));
  updateRows(tx, deliveryAttempts, inArray(deliveryAttempts.deliveryId, all), { response: null });
}
