/** The webhook address of a workspace, the secret that signs its events, and its streak of timeouts. */
import { and, eq } from "drizzle-orm";
import { invalidRequest, Problem, quote } from "#src/core/problem.ts";
import { newToken, openKept, type SecretBox } from "#src/core/secret.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { deleteQueue } from "#src/jobs/outbox.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { emptyErasedEvent } from "./erased-event.ts";
import { defaultTypes, type EventType, eventTypes } from "./event-types.ts";
import { findWebhook } from "./read.ts";
import { addTimeout, resetTimeouts } from "./statements.ts";
import { deliveries, events, type Webhook, webhooks } from "./table.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export interface ShownWebhook {
  url: string | null;
  /** The types of events that it receives. */
  types: readonly EventType[];
  /** In clear, as shown beside the address. */
  secret: string;
}

interface WebhookOptions {
  /** A secret that a test chose for the first address. */
  first?: string | undefined;
  /** The types of events that the address asks for; null: the default. Undefined: as before. */
  types?: EventType[] | null | undefined;
}

/** Reads a list such as `message.received,contact.updated`; `default` alone is null. Throws `invalid_request`. */
export function readTypes(text: string): EventType[] | null {
  if (text.trim() === "default") return null;
  const names = text.split(",").map((name) => name.trim());
  const types = eventTypes.filter((type) => names.includes(type));
  const unknown = names.filter((name) => !eventTypes.some((type) => type === name));
  if (unknown.length === 0) return types;
  const sentence = `${unknown.map(quote).join(", ")}: there is no such type. The types are ${eventTypes.join(", ")}.`;
  throw invalidRequest({ types: [sentence] });
}

/**
 * Sets or changes the address, which the caller has validated. Pending deliveries go to the new address. The secret is
 * created with the first address and stays when the address changes.
 */
export function setWebhook(
  tx: Tx,
  box: SecretBox,
  workspaceId: number,
  url: string,
  { first, types }: WebhookOptions = {},
): ShownWebhook {
  getWorkspace(tx, workspaceId);
  const known = findWebhook(tx, workspaceId);
  const secret = known === undefined ? (first ?? newSecret(tx)) : openSecret(box, known);
  tx.db
    .insert(webhooks)
    .values({
      workspaceId,
      url,
      types: types ?? null,
      secret: sealSecret(box, workspaceId, secret),
      consecutiveTimeouts: 0,
      updatedAt: tx.now,
    })
    .onConflictDoUpdate({
      target: webhooks.workspaceId,
      set: { url, consecutiveTimeouts: 0, updatedAt: tx.now, ...(types === undefined ? {} : { types }) },
    })
    .run();
  return { url, types: (types === undefined ? known?.types : types) ?? defaultTypes, secret };
}

/** Throws `not_found` if no address was ever set. */
export function showWebhook(tx: ReadTx, box: SecretBox, workspaceId: number): ShownWebhook {
  const webhook = requireWebhook(tx, workspaceId);
  return { url: webhook.url, types: webhook.types ?? defaultTypes, secret: openSecret(box, webhook) };
}

/** Creates a new secret. The old one stops working with this commit. */
export function rotateSecret(tx: Tx, box: SecretBox, workspaceId: number): ShownWebhook {
  const webhook = requireWebhook(tx, workspaceId);
  const secret = newSecret(tx);
  tx.db
    .update(webhooks)
    .set({ secret: sealSecret(box, workspaceId, secret), updatedAt: tx.now })
    .where(eq(webhooks.workspaceId, workspaceId))
    .run();
  return { url: webhook.url, types: webhook.types ?? defaultTypes, secret };
}

/** Clears the address. Pending deliveries become exhausted: they stay visible and can be replayed. */
export function clearWebhook(tx: Tx, workspaceId: number): { exhausted: number } {
  const { forwardUrl } = requireWebhook(tx, workspaceId);
  tx.db
    .update(webhooks)
    .set({ url: null, consecutiveTimeouts: 0, updatedAt: tx.now })
    .where(eq(webhooks.workspaceId, workspaceId))
    .run();
  const exhausted = exhaustPending(tx, workspaceId, false);
  // Jobs of deliveries that have ended do nothing. Those to the second address stay.
  if (forwardUrl === null) deleteQueue(tx, "deliver_webhook", workspaceId);
  return { exhausted };
}

/** Ends the pending deliveries to an address that is gone; returns how many. */
export function exhaustPending(tx: Tx, workspaceId: number, isForwarded: boolean): number {
  const isPending = and(
    eq(deliveries.workspaceId, workspaceId),
    eq(deliveries.status, "pending"),
    eq(deliveries.isForwarded, isForwarded),
  );
  const erased = tx.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .innerJoin(events, and(eq(events.seq, deliveries.eventSeq), eq(events.type, "contact.erased")))
    .where(isPending)
    .all();
  const exhausted = tx.db
    .update(deliveries)
    .set({ status: "exhausted", nextAttemptAt: null, finishedAt: tx.now })
    .where(isPending)
    .run().changes;
  for (const { id } of erased) emptyErasedEvent(tx, id);
  return exhausted;
}

/** The secret in clear. Throws `SecretUnreadable` if the key file is not the one that sealed it. */
export function openSecret(box: SecretBox, webhook: Webhook): string {
  return openKept(box, webhook.secret, webhookSecretContext(webhook.workspaceId));
}

function sealSecret(box: SecretBox, workspaceId: number, secret: string): string {
  return box.seal(secret, webhookSecretContext(workspaceId));
}

/** The context binds the sealed secret to its row, so that it cannot be moved to another workspace. */
/** What the secret of a workspace is sealed for. */
export function webhookSecretContext(workspaceId: number): string {
  return `webhook_secret:${workspaceId}`;
}

function newSecret(tx: Tx): string {
  return newToken(tx.random, SECRET_PREFIX, SECRET_BYTES);
}

function requireWebhook(tx: ReadTx, workspaceId: number): Webhook {
  getWorkspace(tx, workspaceId);
  const webhook = findWebhook(tx, workspaceId);
  if (webhook === undefined) {
    throw new Problem("not_found", "This workspace has no webhook address yet: set one with `waxwing webhook set`.");
  }
  return webhook;
}

/** After this many consecutive timeouts an address gets one attempt at a time, until one succeeds. */
export const TIMEOUTS_UNTIL_SINGLE = 20;

/**
 * Updates the address's streak of timeouts. Any other result resets a streak below `TIMEOUTS_UNTIL_SINGLE`; a longer
 * streak is reset only by a success. An attempt at an address that was replaced meanwhile changes nothing.
 */
export function updateTimeoutStreak(
  tx: Tx,
  workspaceId: number,
  { url, isSuccess, hasTimedOut }: { url: string; isSuccess: boolean; hasTimedOut: boolean },
): void {
  if (hasTimedOut) {
    addTimeout(tx).run({ workspaceId, url });
    return;
  }
  // Hardly any address has a streak, and a write to it would forget all remembered settings.
  if ((findWebhook(tx, workspaceId)?.consecutiveTimeouts ?? 0) > 0)
    resetTimeouts(tx).run({ workspaceId, url, max: isSuccess ? Number.MAX_SAFE_INTEGER : TIMEOUTS_UNTIL_SINGLE - 1 });
}
