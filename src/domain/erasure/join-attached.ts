/** What is attached to a contact in few rows, and follows within the transaction of a join. */
import { sql } from "drizzle-orm";
import { deleteRows, listRows, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import { type Conversation, conversations } from "../contacts/table.ts";

/** Rows of which a contact has one for each tag, group, field, number, day, file or user: those that the other has already go. */
const ATTACHED = [
  ...["contact_tags", "group_members", "contact_fields", "away_days", "phone_contacts", "upload_people"],
  "conversation_drafts",
];

/** What is about a number of the person, and not about the person. */
const OF_NUMBER = ["blocks", "simulated_blocks"];

export function moveAttached(tx: Tx, staysId: number, goneId: number, isOneNumber: boolean): void {
  for (const table of ATTACHED) moveOr(tx, "IGNORE", table, staysId, goneId);
  for (const table of ATTACHED) tx.db.run(sql`DELETE FROM ${sql.raw(table)} WHERE contact_id = ${goneId}`);
  if (isOneNumber) for (const table of OF_NUMBER) moveOr(tx, "IGNORE", table, staysId, goneId);
  moveOr(tx, "IGNORE", "thread_calls", staysId, goneId);
  moveOr(tx, "IGNORE", "bursts", staysId, goneId);
  moveOr(tx, "IGNORE", "former_phones", staysId, goneId);
  tx.db.run(sql`DELETE FROM contact_people WHERE contact_id = ${goneId}`);
  // A word about the one that goes is a word about the one that stays.
  moveOr(tx, "IGNORE", "different_people", staysId, goneId);
  tx.db.run(sql`UPDATE OR IGNORE different_people SET other_id = ${staysId} WHERE other_id = ${goneId}`);
  tx.db.run(sql`DELETE FROM different_people WHERE contact_id = ${goneId} OR other_id = ${goneId}
    OR contact_id = other_id`);
}

function moveOr(tx: Tx, otherwise: "IGNORE", table: string, staysId: number, goneId: number): void {
  tx.db.run(
    sql`UPDATE OR ${sql.raw(otherwise)} ${sql.raw(table)} SET contact_id = ${staysId} WHERE contact_id = ${goneId}`,
  );
}

/** One conversation on each of our numbers: of two, what was said last decides, and an open one stays open. */
export function moveConversations(tx: Tx, staysId: number, goneId: number): void {
  for (const gone of of(tx, goneId)) {
    const kept = of(tx, staysId).find(({ numberId }) => numberId === gone.numberId);
    if (kept === undefined) {
      updateRows(tx, conversations, { id: gone.id }, { contactId: staysId });
      continue;
    }
    deleteRows(tx, conversations, { id: gone.id });
    deleteJobs(tx, "end_snooze", [gone.id]);
    const isOpened = gone.state === "open" && kept.state !== "open";
    if (isOpened) deleteJobs(tx, "end_snooze", [kept.id]);
    const owner = (gone.ownerAt ?? -1) > (kept.ownerAt ?? -1) ? gone : kept;
    updateRows(
      tx,
      conversations,
      { id: kept.id },
      {
        lastInboundId: Math.max(kept.lastInboundId, gone.lastInboundId),
        wroteAt: Math.max(kept.wroteAt, gone.wroteAt),
        unread: kept.unread + gone.unread,
        ...{ owner: owner.owner, ownerRole: owner.ownerRole, ownerAt: owner.ownerAt, ownerRank: owner.ownerRank },
        ...(isOpened ? { state: "open" as const, snoozedUntil: null } : {}),
        assigneeId: kept.assigneeId ?? gone.assigneeId,
      },
    );
  }
}

function of(tx: Tx, contactId: number): Conversation[] {
  return listRows(tx, conversations, { contactId });
}
