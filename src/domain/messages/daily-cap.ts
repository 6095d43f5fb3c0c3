/**
 * A workspace's own limit: how many different people it sends templates to in 24 hours, across all its numbers. Each
 * recent recipient is stored with the time of their last template, so that a check costs the same at any volume. A
 * message that the network refused does not count. Workspaces without a cap store nothing: when a cap is set, a trigger
 * collects the last 24 hours. When two contacts turn out to be one person, another trigger merges them.
 */
import { and, asc, eq, gt } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getContact, listLinkedContacts } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { lastTemplateAt } from "./contact-messages.ts";
import {
  countExpired,
  countRecent,
  deleteRecent,
  lastSentTo,
  listExpired,
  upsertRecent,
} from "./counter-statements.ts";
import { isTemplateSend } from "./message.ts";
import { type Message, recentRecipients } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How many expired rows each new recipient removes: more than one, so that expired rows never pile up. */
const PURGE_BATCH = 8;

type CappedWorkspace = Workspace & { dailyCap: number };

export function hasCap(workspace: Workspace): workspace is CappedWorkspace {
  return workspace.dailyCap !== null;
}

/** How many more people may be sent a template now; never negative. Null: there is no cap. */
export function remainingUnderCap(tx: ReadTx, workspace: Workspace): number | null {
  return hasCap(workspace) ? Math.max(0, workspace.dailyCap - countRecentRecipients(tx, workspace.id)) : null;
}

/** Whether this person was sent a template in the last 24 hours: another one does not count against the cap. */
export function isRecentRecipient(tx: ReadTx, workspaceId: number, identityId: number): boolean {
  const lastAt = lastSentTo(tx).get({ workspaceId, identityId })?.lastAt;
  return lastAt !== undefined && lastAt > tx.now - DAY_MS;
}

/**
 * Throws `rate_limited` while the cap is used up. A person who was sent a template in the last 24 hours may get
 * another.
 */
export function requireUnderCap(tx: ReadTx, workspace: Workspace, contact: Contact | null): void {
  if (!hasCap(workspace)) return;
  const count = countRecentRecipients(tx, workspace.id);
  if (count < workspace.dailyCap) return;
  if (contact !== null && isRecentRecipient(tx, workspace.id, identityOf(contact))) return;
  throw new Problem(
    "rate_limited",
    `The daily cap of ${workspace.dailyCap} people is used up: ${count} were sent a template in the last 24 hours.`,
    { retryAfterMs: timeUntilRoom(tx, workspace.id, count - workspace.dailyCap) },
  );
}

function countRecentRecipients(tx: ReadTx, workspaceId: number): number {
  const all = countRecent(tx).get({ workspaceId })?.count ?? 0;
  const expired = countExpired(tx).get({ workspaceId, since: tx.now - DAY_MS })?.count ?? 0;
  return all - expired;
}

/** A lowered cap may be exceeded by many: there is room once enough recent recipients have expired. */
function timeUntilRoom(tx: ReadTx, workspaceId: number, exceededBy: number): number {
  const since = tx.now - DAY_MS;
  const next = tx.db
    .select({ lastAt: recentRecipients.lastAt })
    .from(recentRecipients)
    .where(and(eq(recentRecipients.workspaceId, workspaceId), gt(recentRecipients.lastAt, since)))
    .orderBy(asc(recentRecipients.lastAt))
    .limit(1)
    .offset(exceededBy)
    .get();
  return (next?.lastAt ?? tx.now) - since;
}

/** Call when a template is dispatched to this person. */
export function addRecentRecipient(tx: Tx, workspace: Workspace, identityId: number): void {
  if (!hasCap(workspace)) return;
  const workspaceId = workspace.id;
  for (const expired of listExpired(tx).all({ workspaceId, since: tx.now - DAY_MS, limit: PURGE_BATCH })) {
    deleteRecent(tx).run({ workspaceId, identityId: expired.identityId });
  }
  upsertRecent(tx).run({ workspaceId, identityId, lastAt: tx.now });
}

/**
 * Call when a message failed, was discarded, or turned out to have arrived: recomputes the time of the person's last
 * template.
 */
export function refreshRecentRecipient(
  tx: Tx,
  message: Pick<Message, "workspaceId" | "contactId" | "type" | "templateCategory">,
): void {
  const workspace = getWorkspace(tx, message.workspaceId);
  if (!isTemplateSend(message) || message.contactId === null || !hasCap(workspace)) return;
  const contact = getContact(tx, workspace.id, message.contactId);
  const since = tx.now - DAY_MS;
  const times = [contact, ...listLinkedContacts(tx, contact)].flatMap(
    (linked) => lastTemplateAt(tx, linked, { since, portfolioId: null }) ?? [],
  );
  const identityId = identityOf(contact);
  if (times.length === 0) deleteRecent(tx).run({ workspaceId: workspace.id, identityId });
  else upsertRecent(tx).run({ workspaceId: workspace.id, identityId, lastAt: Math.max(...times) });
}
