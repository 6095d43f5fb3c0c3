/**
 * Conversations as the inbox lists them: the latest writer first. Unread counts belong to the workspace, not to each
 * user: a conversation that one user has read is read for all.
 */
import { and, desc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { conversationById } from "../contacts/conversation-statements.ts";
import { type ConversationState, conversationStates } from "../contacts/conversation-states.ts";
import { type Conversation, conversations } from "../contacts/table.ts";
import { OPENED_AT_SQL } from "../contacts/window.ts";
import { ANSWER_SPAN_MS } from "../messages/answers.ts";
import { isUnindexed } from "../messages/contact-message-statements.ts";
import { IS_ASSIGNED_SQL } from "./assignee.ts";

interface ConversationFilter {
  /** Only conversations with unread inbounds. */
  isUnread?: boolean;
  /** Only conversations whose window was opened after this moment, and is not closed. */
  openedAfter?: number;
  state?: ConversationState;
}

/** The position after which a page begins. */
export interface ConversationPosition {
  wroteAt: number;
  id: number;
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
  { isUnread = false, openedAfter, state }: ConversationFilter,
  before: ConversationPosition | null,
  limit: number,
): Conversation[] {
  return tx.db
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.workspaceId, workspaceId),
        state === undefined ? undefined : eq(conversations.state, state),
        isUnread ? hasUnread : undefined,
        openedAfter === undefined ? undefined : and(gt(conversations.wroteAt, openedAfter), isOpenAfter(openedAfter)),
        before === null ? undefined : isBelow(before),
      ),
    )
    .orderBy(desc(conversations.wroteAt), desc(conversations.id))
    .limit(limit)
    .all();
}

export function isBelow({ wroteAt, id }: ConversationPosition) {
  return and(
    lte(conversations.wroteAt, wroteAt),
    sql`(${conversations.wroteAt}, ${conversations.id}) < (${wroteAt}, ${id})`,
  );
}

/**
 * Those that a user answers, in one state or in all. Each state is read in the order of its index, and the latest of them
 * are taken.
 */
export function listAssigned(
  tx: ReadTx,
  { workspaceId, assigneeId, state }: { workspaceId: number; assigneeId: number; state: ConversationState | null },
  before: ConversationPosition | null,
  limit: number,
): Conversation[] {
  const states = state === null ? conversationStates : [state];
  return states
    .flatMap((one) =>
      tx.db
        .select()
        .from(conversations)
        .where(
          and(
            eq(conversations.assigneeId, assigneeId),
            eq(conversations.workspaceId, workspaceId),
            eq(conversations.state, one),
            before === null ? undefined : isBelow(before),
          ),
        )
        .orderBy(desc(conversations.wroteAt), desc(conversations.id))
        .limit(limit)
        .all(),
    )
    .toSorted((one, other) => other.wroteAt - one.wroteAt || other.id - one.id)
    .slice(0, limit);
}

/**
 * SQL: what people wrote last, the newest first. Parameters: characters of a text; workspace; how many messages. They are
 * in the conversations that were written in last, so no others are read. For the reader's thread.
 */
export const lastWordsSql = `WITH asked AS (SELECT ? AS longest, ? AS workspace, ? AS many), latest AS MATERIALIZED (
    SELECT contact_id, wrote_at FROM conversations WHERE workspace_id = (SELECT workspace FROM asked)
    ORDER BY wrote_at DESC, id DESC LIMIT (SELECT many FROM asked)),
  since AS (SELECT CASE WHEN count(*) = (SELECT many FROM asked) THEN min(wrote_at) ELSE 0 END AS at FROM latest),
  written AS MATERIALIZED (
    SELECT inbounds.id, inbounds.received_at FROM (SELECT DISTINCT contact_id FROM latest) AS people
    CROSS JOIN since CROSS JOIN inbounds
    WHERE inbounds.contact_id = people.contact_id AND inbounds.received_at >= since.at
    ORDER BY inbounds.received_at DESC, inbounds.id DESC LIMIT (SELECT many FROM asked))
  SELECT contacts.id AS contact_id, contacts.phone AS phone,
    contacts.name, contacts.first_name, contacts.last_name, substr(inbounds.text, 1, (SELECT longest FROM asked)) AS text
  FROM written CROSS JOIN inbounds ON inbounds.id = written.id JOIN contacts ON contacts.id = inbounds.contact_id
  ORDER BY written.received_at DESC, written.id DESC`;

/** SQL: the conversation is on one of the numbers. Parameter: their ids as JSON. */
const IS_ON_NUMBERS = "number_id IN (SELECT value FROM json_each(?))";

const IN_WORKSPACE = "workspace_id = ?";
const IN_STATE = `${IN_WORKSPACE} AND state = ?`;

/**
 * SQL: a note names the user, who has not read it. Parameters: the workspace; the user's id; the workspace. The plus keeps SQLite
 * from reading all conversations of the workspace: it begins with the mentions, which are few.
 */
const IS_MENTIONED = `+workspace_id = ? AND (contact_id, number_id) IN (SELECT contact_id, number_id
        FROM note_mentions INDEXED BY note_mentions_unread WHERE user_id = ? AND workspace_id = ? AND read_at IS NULL)`;

/** `condition`: begins with that of the workspace. */
const examined = (
  condition: string,
) => `SELECT id, workspace_id, contact_id, number_id, wrote_at, unread, state, assignee_id
      FROM conversations WHERE ${condition} AND wrote_at <= ? AND (wrote_at, id) < (?, ?)
      ORDER BY wrote_at DESC, id DESC LIMIT ?`;

/** SQL: the conversation is the assignee's. Parameters: the user's id, `any` or `none`; the id again. */
const IS_ANSWERED_BY = `CASE ? WHEN 'any' THEN 1 WHEN 'none' THEN NOT ${IS_ASSIGNED_SQL} ELSE assignee_id = ? END`;

const filtered = (condition: string) => `WITH looked AS MATERIALIZED (${examined(condition)})
  SELECT id, wrote_at, NULL AS looked FROM (SELECT id, wrote_at FROM looked
    WHERE unread >= ? AND coalesce((SELECT ${OPENED_AT_SQL} FROM contacts WHERE contacts.id = looked.contact_id), 0) >= ?
      AND (? IS NULL OR ${IS_ON_NUMBERS})
      AND ${IS_ANSWERED_BY}
    ORDER BY wrote_at DESC, id DESC LIMIT ?)
  UNION ALL SELECT * FROM (SELECT id, wrote_at, (SELECT count(*) FROM looked) FROM looked
    ORDER BY wrote_at, id LIMIT 1)`;

/**
 * SQL for the conversations that no index lists, with the columns of `waitingSql`. Parameters: workspace; wrote_at, wrote_at
 * and id of the position; how many to examine; lowest count of unread messages; when the window was opened at the
 * earliest (0: open or not); the numbers as JSON (null: all), twice; the assignee's id, `any` or `none`, and the id again;
 * how many to return. For the reader's thread.
 */
export const filteredSql = filtered(IN_WORKSPACE);

/** The same in one state, which is the second parameter. */
export const filteredInStateSql = filtered(IN_STATE);

/** The same among those that mention a user, whose id is the second parameter; the workspace again is the third. */
export const filteredMentioningSql = filtered(IS_MENTIONED);

const MAY_ANSWER = "messages.automated = 0 AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)";

/** SQL: when the last message that is not of a phone's history arrived. */
const ARRIVED_AT = "(SELECT created_at FROM inbounds WHERE inbounds.id = looked.last_inbound_id)";

/**
 * SQL for conversations that wait for an answer, the latest writer first, among a limited number below a position. It
 * also returns the last position examined: nearly all conversations may be answered, so the caller continues from there
 * for more. What answers is said in `messages/answers.ts`. A message that certainly failed is not an answer, one sent on
 * the phone is, and a person who has opted out cannot be answered. A person who only wrote before the number was
 * connected does not wait.
 * Parameters: workspace, twice; wrote_at, wrote_at and id of the position; how many to examine; the numbers as JSON
 * (null: all), twice; the assignee's id, `any` or `none`, and the id again; how many to return.
 * For the reader's thread.
 */
const waiting = (condition: string) => `WITH recent AS MATERIALIZED (
    SELECT contact_id, max(dispatched_at) AS at FROM messages
      WHERE workspace_id = ? AND ${isUnindexed} AND type = 'text' AND ${MAY_ANSWER} GROUP BY contact_id
  ), looked AS MATERIALIZED (
    SELECT id, workspace_id, contact_id, number_id, wrote_at, last_inbound_id, assignee_id FROM conversations
      WHERE ${condition} AND wrote_at <= ? AND (wrote_at, id) < (?, ?)
      ORDER BY wrote_at DESC, id DESC LIMIT ?
  ), waiting AS (
    SELECT looked.id, wrote_at FROM looked LEFT JOIN recent ON recent.contact_id = looked.contact_id
      WHERE last_inbound_id > 0
        AND NOT EXISTS (
          SELECT 1 FROM echoes WHERE echoes.contact_id = looked.contact_id AND origin IN ('phone', 'standby')
            AND coalesce(status, 'sent') <> 'failed' AND sent_at >= (SELECT received_at FROM inbounds WHERE inbounds.id = looked.last_inbound_id))
        AND NOT EXISTS (
          SELECT 1 FROM messages WHERE messages.contact_id = looked.contact_id AND origin = 'console'
            AND dispatched_at >= ${ARRIVED_AT} AND ${MAY_ANSWER})
        AND NOT EXISTS (
          SELECT 1 FROM contact_messages AS entry JOIN messages ON messages.id = entry.message_id
            WHERE entry.contact_id = looked.contact_id AND entry.dispatched_at >= ${ARRIVED_AT}
            AND entry.dispatched_at <= ${ANSWER_SPAN_MS} +
              max(${ARRIVED_AT}, coalesce((SELECT ${OPENED_AT_SQL} FROM contacts WHERE contacts.id = looked.contact_id), 0))
            AND messages.type = 'text' AND ${MAY_ANSWER})
        AND coalesce(recent.at >= ${ARRIVED_AT}, 0) = 0
        AND (SELECT consent FROM contacts WHERE contacts.id = looked.contact_id) <> 'opted_out'
        AND (? IS NULL OR ${IS_ON_NUMBERS})
        AND ${IS_ANSWERED_BY}
      ORDER BY wrote_at DESC, looked.id DESC LIMIT ?
  )
  SELECT id, wrote_at, NULL AS looked FROM waiting
  UNION ALL SELECT * FROM (SELECT id, wrote_at, (SELECT count(*) FROM looked) FROM looked
    ORDER BY wrote_at, id LIMIT 1)`;

export const waitingSql = waiting(IN_WORKSPACE);

/** The same in one state, which is the third parameter. */
export const waitingInStateSql = waiting(IN_STATE);

/** The same among those that mention a user, whose id is the third parameter; the workspace again is the fourth. */
export const waitingMentioningSql = waiting(IS_MENTIONED);

const COUNTED_MAX = 100;

/** How many conversations are in a state, of one user or of all; counted up to `COUNTED_MAX`. */
export function countInState(tx: ReadTx, workspaceId: number, state: ConversationState, assigneeId?: number): number {
  const isOf = assigneeId === undefined ? undefined : eq(conversations.assigneeId, assigneeId);
  return tx.db
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), eq(conversations.state, state), isOf))
    .limit(COUNTED_MAX)
    .all().length;
}

/** Undefined for an id that does not exist, or is another workspace's. */
export function findConversation(tx: ReadTx, workspaceId: number, id: number): Conversation | undefined {
  const found = conversationById(tx).get({ id });
  return found?.workspaceId === workspaceId ? found : undefined;
}

/** The conversations with a contact, on all numbers or on some; none for a contact of another workspace. */
export function listConversationsWith(
  tx: ReadTx,
  workspaceId: number,
  contactId: number,
  numberIds: readonly number[] | null,
): Conversation[] {
  const isOnNumbers = numberIds === null ? undefined : inArray(conversations.numberId, [...numberIds]);
  return (
    tx.db
      .select()
      .from(conversations)
      // The plus keeps SQLite from reading all of the workspace's.
      .where(
        and(eq(conversations.contactId, contactId), sql`+${conversations.workspaceId} = ${workspaceId}`, isOnNumbers),
      )
      .all()
  );
}

/** How many conversations have unread inbounds, counted up to `max`. */
export function countUnread(tx: ReadTx, workspaceId: number, max: number): number {
  return tx.db
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), hasUnread))
    .limit(max)
    .all().length;
}

/** Marks conversations as read up to this inbound. One with a newer inbound stays unread. */
export function markSeen(tx: Tx, ids: readonly number[], lastInboundId: number): boolean {
  const updated = tx.db
    .update(conversations)
    .set({ unread: 0 })
    .where(and(inArray(conversations.id, [...ids]), lte(conversations.lastInboundId, lastInboundId), hasUnread))
    .returning({ id: conversations.id })
    .all();
  return updated.length > 0;
}
