/**
 * The recently active contacts of a workspace, and the newest events about one phone number. Reads only the ends of
 * indexes.
 */
import { and, desc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { broadcasts } from "#src/domain/broadcasts/table.ts";
import { listConversations } from "#src/domain/inbound/conversations.ts";
import { messages } from "#src/domain/messages/table.ts";
import { type EventRow, events } from "#src/domain/webhooks/table.ts";
import { FAILURE_CODE } from "./today-counters.ts";

const SINGLES = 100;
const CONVERSATIONS = 50;
const BROADCASTS = 3;
const RECIPIENTS = 30;
const EVENTS = 200;

/** Contacts that were sent to from these numbers, or that wrote; distinct, in no particular order. */
export function listRecentlyActiveContacts(tx: ReadTx, workspaceId: number, numberIds: readonly number[]): number[] {
  if (numberIds.length === 0) return [];
  const isFromNumbers = inArray(messages.numberId, [...numberIds]);
  const singles = tx.db
    .select({ contactId: messages.contactId })
    .from(messages)
    .where(and(eq(messages.workspaceId, workspaceId), isNull(messages.broadcastId), isFromNumbers))
    .orderBy(desc(messages.id))
    .limit(SINGLES)
    .all();
  const newest = tx.db
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(eq(broadcasts.workspaceId, workspaceId))
    .orderBy(desc(broadcasts.id))
    .limit(BROADCASTS)
    .all();
  const recipients = newest.flatMap(({ id }) =>
    tx.db
      .select({ contactId: messages.contactId })
      .from(messages)
      .where(and(eq(messages.broadcastId, id), isNotNull(messages.broadcastId), isFromNumbers))
      .limit(RECIPIENTS)
      .all(),
  );
  const conversations = listConversations(tx, workspaceId, {}, null, CONVERSATIONS);
  const ids = [...singles, ...recipients, ...conversations].flatMap(({ contactId }) => contactId ?? []);
  return [...new Set(ids)];
}

/** The events about this phone number among the workspace's newest ones, newest first. */
export function listEventsOfPhone(tx: ReadTx, workspaceId: number, phone: string): EventRow[] {
  return tx.db
    .select()
    .from(events)
    .where(eq(events.workspaceId, workspaceId))
    .orderBy(desc(events.seq))
    .limit(EVENTS)
    .all()
    .filter(({ body }) => body.includes(JSON.stringify(phone)));
}

/**
 * Searches the newest messages sent alone below an id: matching ids, newest first, then one row with how many were
 * scanned and the lowest id scanned. A search for rare words continues below that id. Parameters: workspace, below,
 * lowest id, how many to scan; then status, origin, words and code of the failure, each twice (null: any); and how many
 * matches to return.
 */
export const singlesSql = `WITH looked AS MATERIALIZED (
    SELECT id, text, status, origin, outcome_unknown, send_at, error_code FROM messages
      WHERE workspace_id = ? AND broadcast_id IS NULL AND id < ? AND id >= ? ORDER BY id DESC LIMIT ?
  )
  SELECT id, NULL AS looked, NULL AS lowest FROM (SELECT id FROM looked
      WHERE (? IS NULL OR CASE WHEN status = 'failed' AND outcome_unknown = 1 THEN 'unknown'
          WHEN send_at IS NOT NULL AND status = 'pending' THEN 'scheduled'
          WHEN send_at IS NOT NULL AND status = 'skipped' THEN 'cancelled' ELSE status END = ?)
        AND (? IS NULL OR origin = ?)
        AND (? IS NULL OR instr(lower(text), lower(?)) > 0)
        AND (? IS NULL OR ${FAILURE_CODE} = ?)
      ORDER BY id DESC LIMIT ?)
  UNION ALL SELECT NULL, count(*), min(id) FROM looked`;
