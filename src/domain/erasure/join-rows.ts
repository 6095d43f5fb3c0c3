/**
 * Moves the rows of the past from a contact that a join took away to the one that stays: messages, inbounds, echoes, notes, the
 * search index. Each call is one transaction of a bounded number of rows; what is moved is not found again, so
 * a crash repeats nothing.
 */
import { sql } from "drizzle-orm";
import { findRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { type ContactJoin, contactJoins } from "../contacts/table.ts";
import { isUnindexed } from "../messages/contact-message-statements.ts";
import { moveEntries } from "../search/entries.ts";

/** Messages, each of which is in several indexes. */
export const MESSAGES_AT_ONCE = 50;
export const ROWS_AT_ONCE = 100;
/** Rows of the search index, each of which rewrites the places of all its words. */
const ENTRIES_AT_ONCE = 2;

export function findJoin(tx: ReadTx, id: number): ContactJoin | undefined {
  return findRow(tx, contactJoins, { id });
}

/** Moves one batch. Returns how many rows it moved; 0: all have followed, and the join has ended. */
export function moveRows(tx: Tx, join: ContactJoin): number {
  const moved =
    moveSingles(tx, join) ||
    moveOthers(tx, join) ||
    moveWritten(tx, join, "inbounds") ||
    moveWritten(tx, join, "echoes") ||
    moveWritten(tx, join, "conversation_notes") ||
    moveEntries(tx, { from: join.goneId, to: join.contactId }, ENTRIES_AT_ONCE);
  if (moved > 0) return moved;
  updateRows(tx, contactJoins, { id: join.id, endedAt: null }, { endedAt: tx.now });
  deleteJobs(tx, "join_contacts", [join.id]);
  return 0;
}

/** Single messages, with their place in the index by contact. */
function moveSingles(tx: Tx, { contactId, goneId }: ContactJoin): number {
  const entries = tx.db.all<{ at: number; id: number }>(
    sql`SELECT dispatched_at AS at, message_id AS id FROM contact_messages WHERE contact_id = ${goneId}
      LIMIT ${MESSAGES_AT_ONCE}`,
  );
  for (const { at, id } of entries) {
    tx.db.run(sql`UPDATE messages SET contact_id = ${contactId} WHERE id = ${id} AND contact_id = ${goneId}`);
    tx.db.run(
      sql`DELETE FROM contact_messages WHERE contact_id = ${goneId} AND dispatched_at = ${at} AND message_id = ${id}`,
    );
    tx.db.run(sql`INSERT OR IGNORE INTO contact_messages (contact_id, dispatched_at, message_id)
      SELECT contact_id, dispatched_at, id FROM messages WHERE id = ${id} AND dispatched_at IS NOT NULL`);
  }
  return entries.length;
}

/** Recipients but those that wait, which their claim skips; scheduled ones; single ones that are not in the index yet. */
function moveOthers(tx: Tx, { contactId, goneId, workspaceId }: ContactJoin): number {
  return tx.db.run(sql`UPDATE messages SET contact_id = ${contactId} WHERE id IN (
    SELECT id FROM messages WHERE contact_id = ${goneId} AND broadcast_id IS NOT NULL
      AND status NOT IN ('pending', 'queued')
    UNION ALL SELECT id FROM messages WHERE contact_id = ${goneId} AND send_at IS NOT NULL
    UNION ALL SELECT id FROM messages
      WHERE workspace_id = ${workspaceId} AND ${sql.raw(isUnindexed)} AND contact_id = ${goneId}
    LIMIT ${MESSAGES_AT_ONCE})`).changes;
}

function moveWritten(tx: Tx, { contactId, goneId }: ContactJoin, table: string): number {
  const name = sql.raw(table);
  return tx.db.run(sql`UPDATE ${name} SET contact_id = ${contactId} WHERE id IN
    (SELECT id FROM ${name} WHERE contact_id = ${goneId} LIMIT ${ROWS_AT_ONCE})`).changes;
}
