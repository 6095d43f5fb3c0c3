/**
 * Publishes an event: records it and, if the workspace's address wants it, its delivery and the delivery's job, in the
 * transaction of the change.
 */

import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { inboxTopic } from "../workspaces/inbox-topic.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { addToBurst, type Writer } from "./bursts.ts";
import { type EventData, type EventType, isWanted } from "./event-types.ts";
import { findWebhook, findWebhookById, listFurtherWebhooks, queueOf } from "./read.ts";
import { recordEvent } from "./record-event.ts";
import { insertDelivery } from "./statements.ts";
import { type EventRow, FIRST_WEBHOOK, type Webhook } from "./table.ts";

/** `writer`: of something that a person wrote, which an address may get together with what the person writes next. */
export function publish<Type extends EventType>(
  tx: Tx,
  workspace: Workspace,
  type: Type,
  data: EventData<Type>,
  writer: Writer | null = null,
): Pick<EventRow, "seq" | "id"> {
  tx.notify(inboxTopic(workspace.id));
  const event = recordEvent(tx, workspace, type, data);
  // Without an address no delivery is made, not even when one is set later. A replay makes one.
  const first = findWebhook(tx, workspace.id);
  if (first !== undefined && isWanted(first.types, type)) {
    if (first.url !== null && first.disabledAt === null) deliverTo(tx, first, event.seq, writer);
    if (first.forwardUrl !== null) addDelivery(tx, first, event.seq, { isForwarded: true });
  }
  for (const further of listFurtherWebhooks(tx, workspace.id)) {
    if (further.disabledAt === null && isWanted(further.types, type)) deliverTo(tx, further, event.seq, writer);
  }
  return event;
}

function deliverTo(tx: Tx, webhook: Webhook, eventSeq: number, writer: Writer | null): void {
  const { groupBurstsMs } = webhook;
  if (writer === null || groupBurstsMs === null) addDelivery(tx, webhook, eventSeq);
  else {
    const until = tx.now + groupBurstsMs;
    addToBurst(tx, webhook, eventSeq, {
      writer,
      until,
      begin: () => addDelivery(tx, webhook, eventSeq, { dueAt: until }),
    });
  }
}

/** As `publish`, for a type that is recorded only where an address asked for it. `data` is read only then. */
export function publishOnRequest<Type extends EventType>(
  tx: Tx,
  workspace: Workspace,
  type: Type,
  data: () => EventData<Type>,
): void {
  // The console shows the change also where no address asked for it.
  tx.notify(inboxTopic(workspace.id));
  const first = findWebhook(tx, workspace.id);
  const isAsked = (webhook: Pick<Webhook, "types" | "disabledAt">): boolean =>
    webhook.disabledAt === null && isWanted(webhook.types, type);
  const hasFirst = first !== undefined && (first.url ?? first.forwardUrl) !== null && isAsked(first);
  if (hasFirst || listFurtherWebhooks(tx, workspace.id).some(isAsked)) publish(tx, workspace, type, data());
}

/** Adds a delivery of an event to an address, and its job, by default due at once. Returns the delivery's id. */
export function addDelivery(
  tx: Tx,
  webhook: Pick<Webhook, "id" | "workspaceId">,
  eventSeq: number,
  { isForwarded = false, dueAt = tx.now }: { isForwarded?: boolean; dueAt?: number } = {},
): number {
  const { workspaceId } = webhook;
  const webhookId = webhook.id === FIRST_WEBHOOK ? null : webhook.id;
  const delivery = { eventSeq, workspaceId, nextAttemptAt: dueAt, createdAt: tx.now, isForwarded, webhookId };
  const id = insertDelivery(tx).insert(delivery);
  enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: queueOf(webhook), dueAt });
  return id;
}

/**
 * Records a `webhook.test` event and its delivery; returns the delivery's id. Throws `not_found` without an address.
 */
export function sendTestEvent(tx: Tx, workspaceId: number, id = FIRST_WEBHOOK): number {
  const { event, webhook } = recordTestEvent(tx, workspaceId, id);
  return addDelivery(tx, webhook, event.seq);
}

/** Records a `webhook.test` event without a delivery. Throws `not_found` without an address. */
export function recordTestEvent(
  tx: Tx,
  workspaceId: number,
  id: number,
): { event: Pick<EventRow, "seq" | "id">; webhook: Webhook & { url: string } } {
  const workspace = getWorkspace(tx, workspaceId);
  const webhook = requireActive(tx, workspaceId, id);
  return { event: recordEvent(tx, workspace, "webhook.test", {}), webhook };
}

/** Throws `not_found` unless events can be sent to the address. */
export function requireActive(tx: ReadTx, workspaceId: number, id: number): Webhook & { url: string } {
  const webhook = findWebhookById(tx, workspaceId, id);
  if (webhook !== undefined && webhook.url !== null && webhook.disabledAt === null)
    return { ...webhook, url: webhook.url };
  const why =
    webhook !== undefined
      ? `The webhook address ${id} is disabled.`
      : id === FIRST_WEBHOOK
        ? "This workspace has no webhook address: set one with `waxwing webhook set`."
        : `This workspace has no webhook address ${id}.`;
  throw new Problem("not_found", why);
}
