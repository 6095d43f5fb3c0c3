/** Several webhook addresses of a workspace: adds, changes and removes one, the first one too. */
import { and, eq, isNotNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { deleteRows, insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import {
  clearWebhook,
  newSecret,
  requireRoom,
  requireWebhook,
  sealSecret,
  setWebhook,
  storeWebhook,
} from "./address.ts";
import { endDeliveries } from "./end.ts";
import type { EventType } from "./event-types.ts";
import { findWebhook, findWebhookById } from "./read.ts";
import { FIRST_WEBHOOK, furtherWebhooks, type Webhook, webhooks } from "./table.ts";
import type { WebhookState } from "./webhook.ts";

export function stateOf({ disabledAt }: Webhook): WebhookState {
  return disabledAt === null ? "active" : "disabled";
}

interface NewWebhook {
  /** Validated by the caller. */
  url: string;
  /** Null: the default. */
  types: EventType[] | null;
  /** Null: a person adds it. */
  keyId: number | null;
  /** Null: what a person writes is sent message by message. */
  groupBurstsMs?: number | null | undefined;
}

/**
 * Adds an address with a secret of its own. It receives the events from now on. Where the workspace has no first address, it
 * becomes that. Throws `invalid_request` if there are as many as there may be.
 */
export function addWebhook(
  tx: Tx,
  box: SecretBox,
  workspaceId: number,
  { url, types, keyId, groupBurstsMs = null }: NewWebhook,
): { webhook: Webhook; secret: string } {
  getWorkspace(tx, workspaceId);
  const secret = newSecret(tx);
  const sealed = sealSecret(box, workspaceId, secret);
  if (findWebhook(tx, workspaceId)?.url == null) {
    setWebhook(tx, box, workspaceId, url, { types });
    // A secret of an earlier address is not that of this one.
    storeWebhook(tx, { id: FIRST_WEBHOOK, workspaceId }, { ...ownSecret(sealed), keyId, groupBurstsMs });
    return { webhook: requireWebhook(tx, workspaceId), secret };
  }
  requireRoom(tx, workspaceId);
  const webhook = insertRow(tx, furtherWebhooks, {
    ...{ workspaceId, url, types, keyId, groupBurstsMs },
    ...ownSecret(sealed),
    consecutiveTimeouts: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  return { webhook, secret };
}

function ownSecret(secret: string) {
  return { secret, previousSecret: null, previousUntil: null };
}

interface WebhookChanges {
  url?: string | undefined;
  types?: EventType[] | null | undefined;
  state?: WebhookState | undefined;
  groupBurstsMs?: number | null | undefined;
}

/**
 * Changes what is given. Waiting deliveries go to a new address; those of an address that is disabled become exhausted and
 * can be replayed once it is active again. Throws `not_found`, and `invalid_request` if nothing is given.
 */
export function updateWebhook(tx: Tx, workspaceId: number, id: number, changes: WebhookChanges): Webhook {
  const webhook = requireSet(tx, workspaceId, id);
  const { url, types, state, groupBurstsMs } = changes;
  if (url === undefined && types === undefined && state === undefined && groupBurstsMs === undefined) {
    const nothing = "Give at least one of url, types, state and group_bursts.";
    throw invalidRequest({ url: [nothing], types: [nothing], state: [nothing], group_bursts: [nothing] });
  }
  storeWebhook(tx, webhook, {
    ...(url === undefined || url === webhook.url ? {} : { url, consecutiveTimeouts: 0 }),
    ...(types === undefined ? {} : { types }),
    ...(groupBurstsMs === undefined ? {} : { groupBurstsMs }),
    ...(state === undefined || state === stateOf(webhook)
      ? {}
      : { disabledAt: state === "disabled" ? tx.now : null, consecutiveTimeouts: 0 }),
    updatedAt: tx.now,
  });
  if (state === "disabled" && stateOf(webhook) === "active") endDeliveries(tx, webhook);
  return requireSet(tx, workspaceId, id);
}

/** Removes an address. Its waiting deliveries become exhausted; how many, is returned. Throws `not_found`. */
export function removeWebhook(tx: Tx, workspaceId: number, id: number): { webhook: Webhook; exhausted: number } {
  const webhook = requireSet(tx, workspaceId, id);
  if (id === FIRST_WEBHOOK) return { webhook, ...clearWebhook(tx, workspaceId) };
  deleteRows(tx, furtherWebhooks, { id });
  return { webhook, exhausted: endDeliveries(tx, webhook) };
}

/** Throws `not_found`, also for a first address that was cleared. */
function requireSet(tx: ReadTx, workspaceId: number, id: number): Webhook {
  getWorkspace(tx, workspaceId);
  const webhook = findWebhookById(tx, workspaceId, id);
  if (webhook === undefined) throw notFound("webhook address");
  return webhook;
}
/** The addresses that a key added. They stay when it is revoked. */
export function listWebhooksOfKey({ db }: ReadTx, keyId: number): { id: number; url: string }[] {
  const first = db
    .select({ url: webhooks.url })
    .from(webhooks)
    .where(and(eq(webhooks.keyId, keyId), isNotNull(webhooks.url)))
    .all();
  const further = db
    .select({ id: furtherWebhooks.id, url: furtherWebhooks.url })
    .from(furtherWebhooks)
    .where(eq(furtherWebhooks.keyId, keyId))
    .all();
  return [...first.map(({ url }) => ({ id: FIRST_WEBHOOK, url: url ?? "" })), ...further];
}
