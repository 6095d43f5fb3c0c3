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
  /** Until when the secret before it signs too, milliseconds; null: it does not. */
  previousUntil: number | null;
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
  const shownTypes = (types === undefined ? known?.types : types) ?? defaultTypes;
  return { url, types: shownTypes, secret, previousUntil: known === undefined ? null : overlapOf(known, tx.now) };
}

/** Throws `not_found` if no address was ever set. */
export function showWebhook(tx: ReadTx, box: SecretBox, workspaceId: number): ShownWebhook {
  const webhook = requireWebhook(tx, workspaceId);
  return viewWebhook(webhook, openSecret(box, webhook), tx.now);
}

function viewWebhook(webhook: Webhook, secret: string, now: number): ShownWebhook {
  return {
    url: webhook.url,
    types: webhook.types ?? defaultTypes,
    secret,
    previousUntil: overlapOf(webhook, now),
  };
}

/** Until when the secret before the present one signs too; null: it does not. */
function overlapOf({ previousSecret, previousUntil }: Webhook, now: number): number | null {
  return previousSecret !== null && previousUntil !== null && previousUntil > now ? previousUntil : null;
}

/**
 * Creates a new secret. The old one stops working with this commit, unless `overlap` says that it signs too until then.
 * `overlap.secret`: the new secret, which the receiver has accepted already.
 */
export function rotateSecret(
  tx: Tx,
  box: SecretBox,
  workspaceId: number,
  overlap: { secret: string; until: number } | null = null,
): ShownWebhook {
  const webhook = requireWebhook(tx, workspaceId);
  const secret = overlap?.secret ?? newSecret(tx);
  const rotated = {
    secret: sealSecret(box, workspaceId, secret),
    previousSecret: overlap === null ? null : webhook.secret,
    previousUntil: overlap?.until ?? null,
    updatedAt: tx.now,
  };
  tx.db.update(webhooks).set(rotated).where(eq(webhooks.workspaceId, workspaceId)).run();
  return viewWebhook({ ...webhook, ...rotated }, secret, tx.now);
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

/** What signs an event, in clear. `previous`: null unless the secret before signs too. */
export interface SigningSecrets {
  secret: string;
  previous: string | null;
}

/** The secrets that sign at this moment. Throws like `openSecret`. */
export function openSigningSecrets(box: SecretBox, webhook: Webhook, now: number): SigningSecrets {
  const { previousSecret, workspaceId } = webhook;
  const signsToo = previousSecret !== null && overlapOf(webhook, now) !== null;
  return {
    secret: openSecret(box, webhook),
    previous: signsToo ? openKept(box, previousSecret, webhookSecretContext(workspaceId)) : null,
  };
}

function sealSecret(box: SecretBox, workspaceId: number, secret: string): string {
  return box.seal(secret, webhookSecretContext(workspaceId));
}

/** What the secret of a workspace is sealed for: it cannot be moved to another workspace. */
export function webhookSecretContext(workspaceId: number): string {
  return `webhook_secret:${workspaceId}`;
}

export function newSecret(tx: Tx): string {
  return newToken(tx.random, SECRET_PREFIX, SECRET_BYTES);
}

export function requireWebhook(tx: ReadTx, workspaceId: number): Webhook {
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
