/**
 * A workspace's own limit: how many different people it sends templates to in 24 hours, over all its numbers. Who was
 * reached is kept with the time of their last template, so that asking costs the same however many there are; a message
 * that the network refused counts no more. Workspaces without a cap keep nothing: when a cap is set, a trigger gathers
 * the last day, and where two contacts turn out to be one person, another one makes them count once.
 */
import { and, asc, eq, gt, inArray, lte, max, sql } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { listLinkedContacts } from "../contacts/change-consent.ts";
import { getContact } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type Message, messages, recentRecipientCounts, recentRecipients } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How many who have fallen out are forgotten with each new one: more than come in, so that they never pile up. */
const PURGE_BATCH = 8;

const countAll = statement((db) =>
  db
    .select({ count: recentRecipientCounts.count })
    .from(recentRecipientCounts)
    .where(eq(recentRecipientCounts.workspaceId, sql.placeholder("workspaceId")))
    .prepare(),
);

const countExpired = statement((db) =>
  db
    .select({ count: sql<number>`count(*)`.as("people") })
    .from(recentRecipients)
    .where(
      and(
        eq(recentRecipients.workspaceId, sql.placeholder("workspaceId")),
        lte(recentRecipients.lastAt, sql.placeholder("since")),
      ),
    )
    .prepare(),
);

const lastSentTo = statement((db) =>
  db
    .select({ lastAt: recentRecipients.lastAt })
    .from(recentRecipients)
    .where(
      and(
        eq(recentRecipients.workspaceId, sql.placeholder("workspaceId")),
        eq(recentRecipients.identityId, sql.placeholder("identityId")),
      ),
    )
    .prepare(),
);

type CappedWorkspace = Workspace & { dailyCap: number };

export function hasCap(workspace: Workspace): workspace is CappedWorkspace {
  return workspace.dailyCap !== null;
}

/** How many more people may be sent a template now; never negative. Null: there is no cap. */
export function remainingUnderCap(tx: ReadTx, workspace: Workspace): number | null {
  return hasCap(workspace) ? Math.max(0, workspace.dailyCap - countRecentRecipients(tx, workspace.id)) : null;
}

/** Whether this person was sent a template in the last 24 hours: then one more counts for nothing. */
export function isRecentRecipient(tx: ReadTx, workspaceId: number, identityId: number): boolean {
  const lastAt = lastSentTo(tx).get({ workspaceId, identityId })?.lastAt;
  return lastAt !== undefined && lastAt > tx.now - DAY_MS;
}

/** Throws `rate_limited` until somebody falls out of the 24 hours. Who was written to in them may be written to again. */
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
  const all = countAll(tx).get({ workspaceId })?.count ?? 0;
  const expired = countExpired(tx).get({ workspaceId, since: tx.now - DAY_MS })?.count ?? 0;
  return all - expired;
}

/** A cap that was lowered may be exceeded by many: room is there when enough of them have fallen out. */
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

const upsert = statement((db) =>
  db
    .insert(recentRecipients)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      identityId: sql.placeholder("identityId"),
      lastAt: sql.placeholder("lastAt"),
    })
    .onConflictDoUpdate({
      target: [recentRecipients.workspaceId, recentRecipients.identityId],
      set: { lastAt: sql`excluded.last_at` },
    })
    .prepare(),
);

const listExpired = statement((db) =>
  db
    .select({ identityId: recentRecipients.identityId })
    .from(recentRecipients)
    .where(
      and(
        eq(recentRecipients.workspaceId, sql.placeholder("workspaceId")),
        lte(recentRecipients.lastAt, sql.placeholder("since")),
      ),
    )
    .orderBy(asc(recentRecipients.lastAt))
    .limit(PURGE_BATCH)
    .prepare(),
);

const remove = statement((db) =>
  db
    .delete(recentRecipients)
    .where(
      and(
        eq(recentRecipients.workspaceId, sql.placeholder("workspaceId")),
        eq(recentRecipients.identityId, sql.placeholder("identityId")),
      ),
    )
    .prepare(),
);

/** A template is being handed over to this person. */
export function addRecentRecipient(tx: Tx, workspace: Workspace, identityId: number): void {
  if (!hasCap(workspace)) return;
  const workspaceId = workspace.id;
  for (const expired of listExpired(tx).all({ workspaceId, since: tx.now - DAY_MS })) {
    remove(tx).run({ workspaceId, identityId: expired.identityId });
  }
  upsert(tx).run({ workspaceId, identityId, lastAt: tx.now });
}

/** The words that make a message count: handed over, and not refused. */
const countsTowardsCap = sql`${messages.type} = 'template' and ${messages.status} not in ('pending', 'queued', 'skipped') and (${messages.status} <> 'failed' or ${messages.outcomeUnknown} = 1)`;

/** A message failed, was withdrawn, or turned out to have arrived: its person's last template is looked for again. */
export function refreshRecentRecipient(tx: Tx, message: Pick<Message, "workspaceId" | "contactId" | "type">): void {
  const workspace = getWorkspace(tx, message.workspaceId);
  if (message.type !== "template" || message.contactId === null || !hasCap(workspace)) return;
  const contact = getContact(tx, workspace.id, message.contactId);
  const contactIds = [contact, ...listLinkedContacts(tx, contact)].map(({ id }) => id);
  const found = tx.db
    .select({ lastAt: max(messages.dispatchedAt) })
    .from(messages)
    .where(and(inArray(messages.contactId, contactIds), gt(messages.dispatchedAt, tx.now - DAY_MS), countsTowardsCap))
    .get();
  const identityId = identityOf(contact);
  if (found?.lastAt == null) remove(tx).run({ workspaceId: workspace.id, identityId });
  else upsert(tx).run({ workspaceId: workspace.id, identityId, lastAt: found.lastAt });
}
