/**
 * Conversations as the inbox lists them: the latest writer first. Unread counts belong to the workspace, not to each
 * user: a conversation that one user has read is read for all.
 */
import { and, desc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { OPENED_AT_SQL } from "../contacts/window.ts";
import { ANSWER_SPAN_MS } from "../messages/answers.ts";
import { isUnindexed } from "../messages/contact-message-statements.ts";
import { type Conversation, conversations, echoes, inbounds } from "./table.ts";

interface ConversationFilter {
  /** Only conversations with unread inbounds. */
  isUnread?: boolean;
  /** Only conversations whose window was opened after this moment, and is not closed. */
  openedAfter?: number;
}

/** The position after which a page begins. */
export interface ConversationPosition {
  wroteAt: number;
  contactId: number;
}

/**
 * Repeats the condition of the index `conversations_unread` literally: with a bound value SQLite could not use the
 * index.
 */
const hasUnread = sql`${conversations.unread} > 0`;

/** The history of a phone, and what is sent from it, opens no window. */
const isOpenAfter = (openedAfter: number) =>
  sql`(SELECT ${sql.raw(OPENED_AT_SQL)} FROM contacts WHERE id = ${conversations.contactId}) > ${openedAfter}`;

export function listConversations(
  tx: ReadTx,
  workspaceId: number,
  { isUnread = false, openedAfter }: ConversationFilter,
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
        openedAfter === undefined ? undefined : and(gt(conversations.wroteAt, openedAfter), isOpenAfter(openedAfter)),
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
 * SQL: the last words of the people who wrote last, the newest first. Parameters: characters of a text; workspace; how many people.
 * For the reader's thread.
 */
export const lastWordsSql = `SELECT contacts.id AS contact_id, contacts.phone AS phone,
    contacts.name, contacts.first_name, contacts.last_name, substr(inbounds.text, 1, ?) AS text
  FROM (SELECT contact_id, last_inbound_id FROM conversations WHERE workspace_id = ?
    ORDER BY wrote_at DESC, contact_id DESC LIMIT ?) AS latest
  JOIN inbounds ON inbounds.id = latest.last_inbound_id
  JOIN contacts ON contacts.id = latest.contact_id`;

/** SQL: the person wrote to one of the numbers, or was written to from its phone. Parameter: their ids as JSON. */
const isOnNumbers = (contact: string) => `EXISTS (
  SELECT 1 FROM json_each(?) AS listed WHERE
    EXISTS (SELECT 1 FROM inbounds WHERE inbounds.contact_id = ${contact} AND number_id = listed.value)
    OR EXISTS (SELECT 1 FROM echoes WHERE echoes.contact_id = ${contact} AND number_id = listed.value))`;

/**
 * SQL for the conversations on some numbers, with the columns of `waitingSql`. Parameters: workspace; wrote_at, wrote_at and
 * contact_id of the position; how many to examine; lowest count of unread messages; when the window was opened at the
 * earliest (0: open or not); the numbers as JSON; how many to return. For the reader's thread.
 */
export const onNumbersSql = `WITH looked AS MATERIALIZED (
    SELECT contact_id, wrote_at, unread FROM conversations
      WHERE workspace_id = ? AND wrote_at <= ? AND (wrote_at, contact_id) < (?, ?)
      ORDER BY wrote_at DESC, contact_id DESC LIMIT ?
  )
  SELECT contact_id, wrote_at, NULL AS looked FROM (SELECT contact_id, wrote_at FROM looked
    WHERE unread >= ? AND coalesce((SELECT ${OPENED_AT_SQL} FROM contacts WHERE id = looked.contact_id), 0) >= ?
      AND ${isOnNumbers("looked.contact_id")}
    ORDER BY wrote_at DESC, contact_id DESC LIMIT ?)
  UNION ALL SELECT * FROM (SELECT contact_id, wrote_at, (SELECT count(*) FROM looked) FROM looked
    ORDER BY wrote_at, contact_id LIMIT 1)`;

const MAY_HAVE_ARRIVED = "(messages.status <> 'failed' OR messages.outcome_unknown = 1)";

/** SQL: when the last message that is not of a phone's history arrived. */
const ARRIVED_AT = "(SELECT created_at FROM inbounds WHERE id = looked.last_inbound_id)";

/**
 * SQL for conversations that wait for an answer, the latest writer first, among a limited number below a position. It
 * also returns the last position examined: nearly all conversations may be answered, so the caller continues from there
 * for more. What answers is said in `messages/answers.ts`. A message that certainly failed is not an answer, one sent on
 * the phone is, and a person who has opted out cannot be answered. A person who only wrote before the number was
 * connected does not wait.
 * Parameters: workspace, twice; wrote_at, wrote_at and contact_id of the position; how many to examine; the numbers as JSON
 * (null: all), twice; how many to return.
 * For the reader's thread.
 */
export const waitingSql = `WITH recent AS MATERIALIZED (
    SELECT contact_id, max(dispatched_at) AS at FROM messages
      WHERE workspace_id = ? AND ${isUnindexed} AND type = 'text' AND ${MAY_HAVE_ARRIVED} GROUP BY contact_id
  ), looked AS MATERIALIZED (
    SELECT contact_id, wrote_at, last_inbound_id FROM conversations
      WHERE workspace_id = ? AND wrote_at <= ? AND (wrote_at, contact_id) < (?, ?)
      ORDER BY wrote_at DESC, contact_id DESC LIMIT ?
  ), waiting AS (
    SELECT looked.contact_id, wrote_at FROM looked LEFT JOIN recent ON recent.contact_id = looked.contact_id
      WHERE last_inbound_id > 0
        AND NOT EXISTS (
          SELECT 1 FROM echoes WHERE echoes.contact_id = looked.contact_id AND origin IN ('phone', 'standby')
            AND coalesce(status, 'sent') <> 'failed' AND sent_at >= (SELECT received_at FROM inbounds WHERE id = looked.last_inbound_id))
        AND NOT EXISTS (
          SELECT 1 FROM messages WHERE messages.contact_id = looked.contact_id AND origin = 'console'
            AND dispatched_at >= ${ARRIVED_AT} AND ${MAY_HAVE_ARRIVED})
        AND NOT EXISTS (
          SELECT 1 FROM contact_messages AS entry JOIN messages ON messages.id = entry.message_id
            WHERE entry.contact_id = looked.contact_id AND entry.dispatched_at >= ${ARRIVED_AT}
            AND entry.dispatched_at <= ${ANSWER_SPAN_MS} +
              max(${ARRIVED_AT}, coalesce((SELECT ${OPENED_AT_SQL} FROM contacts WHERE id = looked.contact_id), 0))
            AND messages.type = 'text' AND ${MAY_HAVE_ARRIVED})
        AND coalesce(recent.at >= ${ARRIVED_AT}, 0) = 0
        AND (SELECT consent FROM contacts WHERE id = looked.contact_id) <> 'opted_out'
      AND (? IS NULL OR ${isOnNumbers("looked.contact_id")})
      ORDER BY wrote_at DESC, looked.contact_id DESC LIMIT ?
  )
  SELECT contact_id, wrote_at, NULL AS looked FROM waiting
  UNION ALL SELECT * FROM (SELECT contact_id, wrote_at, (SELECT count(*) FROM looked) FROM looked
    ORDER BY wrote_at, contact_id LIMIT 1)`;

/** Undefined if the person never wrote and was never written to from the phone, and for a contact of another workspace. */
export function findConversation(tx: ReadTx, workspaceId: number, contactId: number): Conversation | undefined {
  const found = tx.db.select().from(conversations).where(eq(conversations.contactId, contactId)).get();
  return found?.workspaceId === workspaceId ? found : undefined;
}

/** Whether the person wrote to one of the numbers, or was written to from its phone. */
export function isConversationOn(tx: ReadTx, contactId: number, numberIds: readonly number[]): boolean {
  const onNumbers = (table: typeof inbounds | typeof echoes) =>
    tx.db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.contactId, contactId), inArray(table.numberId, [...numberIds])))
      .limit(1)
      .get() !== undefined;
  return onNumbers(inbounds) || onNumbers(echoes);
}

const UNREAD_EXAMINED_MAX = 1_000;

/** Whether a message that is unread came to another number than these. */
export function hasUnreadElsewhere(
  tx: ReadTx,
  { contactId, unread }: Conversation,
  numberIds: readonly number[],
): boolean {
  const newest = tx.db
    .select({ numberId: inbounds.numberId })
    .from(inbounds)
    .where(eq(inbounds.contactId, contactId))
    .orderBy(desc(inbounds.receivedAt), desc(inbounds.id))
    .limit(Math.min(unread, UNREAD_EXAMINED_MAX))
    .all();
  return newest.some(({ numberId }) => !numberIds.includes(numberId));
}

/** How many conversations have unread inbounds, counted up to `max`. */
export function countUnread(tx: ReadTx, workspaceId: number, max: number): number {
  return tx.db
    .select({ id: conversations.contactId })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), hasUnread))
    .limit(max)
    .all().length;
}

/** Marks a conversation as read up to this inbound. If a newer one has arrived meanwhile, it stays unread. */
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
