/**
 * The first webhook address of a workspace, and of every address the secret that signs its events and its streak of
 * timeouts. Further addresses are added in `further.ts`.
 */
import { invalidRequest, Problem, quote } from "#src/core/problem.ts";
import { newToken, openKept, type SecretBox } from "#src/core/secret.ts";
import { updateRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { endDeliveries } from "./end.ts";
import { defaultTypes, type EventType, eventTypes } from "./event-types.ts";
import { findWebhook, findWebhookById, listWebhooks, queueOf, webhookOfQueue } from "./read.ts";
import { addFurtherTimeout, addTimeout, resetFurtherTimeouts, resetTimeouts } from "./statements.ts";
import { FIRST_WEBHOOK, type FurtherWebhook, furtherWebhooks, type Webhook, webhooks } from "./table.ts";

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
  /** How long what a person writes is gathered; null: not at all. Undefined: as before. */
  groupBurstsMs?: number | null | undefined;
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

/** More addresses would multiply the work of every event. */
const WEBHOOKS_MAX = 10;

/**
 * Sets or changes the first address, which the caller has validated. Pending deliveries go to the new address. The secret is
 * created with the first address and stays when the address changes.
 */
export function setWebhook(
  tx: Tx,
  box: SecretBox,
  workspaceId: number,
  url: string,
  { first, types, groupBurstsMs }: WebhookOptions = {},
): ShownWebhook {
  getWorkspace(tx, workspaceId);
  const known = findWebhook(tx, workspaceId);
  if (known?.url == null) requireRoom(tx, workspaceId);
  const secret = known === undefined ? (first ?? newSecret(tx)) : openSecret(box, known);
  const changed = {
    ...{ url, consecutiveTimeouts: 0, disabledAt: null, keyId: null, updatedAt: tx.now },
    ...(groupBurstsMs === undefined ? {} : { groupBurstsMs }),
  };
  upsertRow(
    tx,
    webhooks,
    ["workspaceId"],
    { workspaceId, ...changed, types: types ?? null, secret: sealSecret(box, workspaceId, secret) },
    { ...changed, ...(types === undefined ? {} : { types }) },
  );
  const shownTypes = (types === undefined ? known?.types : types) ?? defaultTypes;
  return { url, types: shownTypes, secret, previousUntil: known === undefined ? null : overlapOf(known, tx.now) };
}

/** Throws `invalid_request` if the workspace has as many addresses as it may have. */
export function requireRoom(tx: ReadTx, workspaceId: number): void {
  if (listWebhooks(tx, workspaceId).length < WEBHOOKS_MAX) return;
  throw invalidRequest({ url: [`A workspace has at most ${WEBHOOKS_MAX} webhook addresses: remove one first.`] });
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
export function overlapOf({ previousSecret, previousUntil }: Webhook, now: number): number | null {
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
  id = FIRST_WEBHOOK,
): ShownWebhook {
  const webhook = requireWebhook(tx, workspaceId, id);
  const secret = overlap?.secret ?? newSecret(tx);
  const rotated = {
    secret: sealSecret(box, workspaceId, secret),
    previousSecret: overlap === null ? null : webhook.secret,
    previousUntil: overlap?.until ?? null,
    updatedAt: tx.now,
  };
  storeWebhook(tx, webhook, rotated);
  return viewWebhook({ ...webhook, ...rotated }, secret, tx.now);
}

/** What the rows of both tables have, but for their keys. */
type Stored = Partial<Omit<FurtherWebhook, "id" | "workspaceId" | "createdAt">>;

export function storeWebhook(tx: Tx, { id, workspaceId }: Pick<Webhook, "id" | "workspaceId">, set: Stored): void {
  if (id === FIRST_WEBHOOK) updateRows(tx, webhooks, { workspaceId }, set);
  else updateRows(tx, furtherWebhooks, { id }, set);
}

/** Clears the first address. Pending deliveries become exhausted: they stay visible and can be replayed. */
export function clearWebhook(tx: Tx, workspaceId: number): { exhausted: number } {
  const webhook = requireWebhook(tx, workspaceId);
  updateRows(
    tx,
    webhooks,
    { workspaceId },
    { url: null, consecutiveTimeouts: 0, disabledAt: null, keyId: null, updatedAt: tx.now },
  );
  return { exhausted: endDeliveries(tx, webhook) };
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

export function sealSecret(box: SecretBox, workspaceId: number, secret: string): string {
  return box.seal(secret, webhookSecretContext(workspaceId));
}

/** What the secret of a workspace is sealed for: it cannot be moved to another workspace. */
export function webhookSecretContext(workspaceId: number): string {
  return `webhook_secret:${workspaceId}`;
}

export function newSecret(tx: Tx): string {
  return newToken(tx.random, SECRET_PREFIX, SECRET_BYTES);
}

/** Throws `not_found` if it was never set. The first one may have been cleared since. */
export function requireWebhook(tx: ReadTx, workspaceId: number, id = FIRST_WEBHOOK): Webhook {
  getWorkspace(tx, workspaceId);
  const webhook = id === FIRST_WEBHOOK ? findWebhook(tx, workspaceId) : findWebhookById(tx, workspaceId, id);
  if (webhook !== undefined) return webhook;
  throw new Problem(
    "not_found",
    id === FIRST_WEBHOOK
      ? "This workspace has no webhook address yet: set one with `waxwing webhook set`."
      : `This workspace has no webhook address ${id}.`,
  );
}

/** After this many consecutive timeouts an address gets one attempt at a time, until one succeeds. */
export const TIMEOUTS_UNTIL_SINGLE = 20;

/**
 * Updates the address's streak of timeouts. Any other result resets a streak below `TIMEOUTS_UNTIL_SINGLE`; a longer
 * streak is reset only by a success. An attempt at an address that was replaced meanwhile changes nothing.
 */
export function updateTimeoutStreak(
  tx: Tx,
  { id, workspaceId }: Pick<Webhook, "id" | "workspaceId">,
  { url, isSuccess, hasTimedOut }: { url: string; isSuccess: boolean; hasTimedOut: boolean },
): void {
  const isFirst = id === FIRST_WEBHOOK;
  if (hasTimedOut) {
    if (isFirst) addTimeout(tx).run({ workspaceId, url });
    else addFurtherTimeout(tx).run({ id, url });
    return;
  }
  // Hardly any address has a streak, and a write to it would forget all remembered settings.
  if ((webhookOfQueue(tx, queueOf({ id, workspaceId }))?.consecutiveTimeouts ?? 0) === 0) return;
  const max = isSuccess ? Number.MAX_SAFE_INTEGER : TIMEOUTS_UNTIL_SINGLE - 1;
  if (isFirst) resetTimeouts(tx).run({ workspaceId, url, max });
  else resetFurtherTimeouts(tx).run({ id, url, max });
}
