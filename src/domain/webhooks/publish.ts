/**
 * Publishes an event: records it and, if the workspace's address wants it, its delivery and the delivery's job, in the
 * transaction of the change.
 */

import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type EventData, type EventType, isWanted } from "./event-types.ts";
import { findWebhook } from "./read.ts";
import { recordEvent } from "./record-event.ts";
import { insertDelivery } from "./statements.ts";
import type { EventRow } from "./table.ts";

export function publish<Type extends EventType>(
  tx: Tx,
  workspace: Workspace,
  type: Type,
  data: EventData<Type>,
): Pick<EventRow, "seq" | "id"> {
  const event = recordEvent(tx, workspace, type, data);
  // Without an address no delivery is made, not even when one is set later. A replay makes one.
  const webhook = findWebhook(tx, workspace.id);
  if (webhook === undefined || !isWanted(webhook.types, type)) return event;
  if (webhook.url !== null) addDelivery(tx, workspace.id, event.seq);
  if (webhook.forwardUrl !== null) addDelivery(tx, workspace.id, event.seq, true);
  return event;
}

/** Adds a delivery of an event and its job, due at once. Returns the delivery's id. */
export function addDelivery(tx: Tx, workspaceId: number, eventSeq: number, isForwarded = false): number {
  const delivery = { eventSeq, workspaceId, nextAttemptAt: tx.now, createdAt: tx.now, isForwarded };
  const id = insertDelivery(tx).insert(delivery);
  enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: workspaceId, dueAt: tx.now });
  return id;
}

/**
 * Records a `webhook.test` event and its delivery; returns the delivery's id. Throws `not_found` without an address.
 */
export function sendTestEvent(tx: Tx, workspaceId: number): number {
  const { seq } = recordTestEvent(tx, workspaceId);
  return addDelivery(tx, workspaceId, seq);
}

/** Records a `webhook.test` event without a delivery. Throws `not_found` without an address. */
export function recordTestEvent(tx: Tx, workspaceId: number): Pick<EventRow, "seq" | "id"> {
  const workspace = getWorkspace(tx, workspaceId);
  if (findWebhook(tx, workspaceId)?.url == null) {
    throw new Problem(
      "not_found",
      "This workspace has no webhook address to test: set one with `waxwing webhook set`.",
    );
  }
  return recordEvent(tx, workspace, "webhook.test", {});
}
