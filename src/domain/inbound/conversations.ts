/**
 * Conversations as the inbox lists them: people who wrote, who wrote last first. What is unread is the workspace's, not
 * each person's own: once somebody of the shop has looked, it has been seen.
 */
import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type Conversation, conversations } from "./table.ts";

export interface ConversationFilter {
  /** Only those with something that nobody has looked at. */
  isUnread?: boolean;
  /** Only those who wrote after this moment. */
  wroteAfter?: number;
}

/** Where a page begins: below this one. */
export interface ConversationPosition {
  wroteAt: number;
  contactId: number;
}

/** The words of the index `conversations_unread`: with a bound value SQLite could not use it. */
const hasUnread = sql`${conversations.unread} > 0`;

export function listConversations(
  tx: ReadTx,
  workspaceId: number,
  { isUnread = false, wroteAfter }: ConversationFilter,
  before: ConversationPosition | null,
  limit: number,
): Conversation[] {
  return tx.db
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.workspaceId, workspaceId),
        isUnread ? hasUnread : undefined,
        wroteAfter === undefined ? undefined : gt(conversations.wroteAt, wroteAfter),
        before === null
          ? undefined
          : and(
              lte(conversations.wroteAt, before.wroteAt),
              sql`(${conversations.wroteAt}, ${conversations.contactId}) < (${before.wroteAt}, ${before.contactId})`,
            ),
      ),
    )
    .orderBy(desc(conversations.wroteAt), desc(conversations.contactId))
    .limit(limit)
    .all();
}

/**
 * SQL of who waits for an answer, who wrote last first, among so many conversations below a position; and down to which
 * one was looked: nearly all may be answered, so whoever wants more goes on from there. A message that certainly failed
 * answered nobody, and who has opted out cannot be answered. Parameters: workspace, wrote_at, wrote_at and contact_id of
 * the position, how many are looked at, how many are wanted. For the reader's thread.
 */
export const waitingSql = `WITH looked AS MATERIALIZED (
    SELECT contact_id, wrote_at, last_inbound_id FROM conversations
      WHERE workspace_id = ? AND wrote_at <= ? AND (wrote_at, contact_id) < (?, ?)
      ORDER BY wrote_at DESC, contact_id DESC LIMIT ?
  ), waiting AS (
    SELECT contact_id, wrote_at FROM looked
      WHERE NOT EXISTS (
          SELECT 1 FROM messages WHERE messages.contact_id = looked.contact_id
            AND dispatched_at >= (SELECT created_at FROM inbounds WHERE id = looked.last_inbound_id)
            AND (status <> 'failed' OR outcome_unknown = 1))
        AND (SELECT consent FROM contacts WHERE id = looked.contact_id) <> 'opted_out'
      ORDER BY wrote_at DESC, contact_id DESC LIMIT ?
  )
  SELECT contact_id, wrote_at, NULL AS looked FROM waiting
  UNION ALL SELECT * FROM (SELECT contact_id, wrote_at, (SELECT count(*) FROM looked) FROM looked
    ORDER BY wrote_at, contact_id LIMIT 1)`;

/** Undefined for somebody who never wrote, and for another workspace's. */
export function findConversation(tx: ReadTx, workspaceId: number, contactId: number): Conversation | undefined {
  const found = tx.db.select().from(conversations).where(eq(conversations.contactId, contactId)).get();
  return found?.workspaceId === workspaceId ? found : undefined;
}

/** How many conversations have something unread, counted up to `most`. */
export function countUnread(tx: ReadTx, workspaceId: number, max: number): number {
  return tx.db
    .select({ id: conversations.contactId })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), hasUnread))
    .limit(max)
    .all().length;
}

/** Somebody has read up to this inbound. Where a newer one came meanwhile, that stays unread. */
export function markSeen(tx: Tx, workspaceId: number, contactId: number, lastInboundId: number): boolean {
  const updated = tx.db
    .update(conversations)
    .set({ unread: 0 })
    .where(
      and(
        eq(conversations.contactId, contactId),
        eq(conversations.workspaceId, workspaceId),
        lte(conversations.lastInboundId, lastInboundId),
        hasUnread,
      ),
    )
    .returning({ contactId: conversations.contactId })
    .get();
  return updated !== undefined;
}
