/** Points what waits to be sent at another number of the person: what is dispatched keeps the number that it went to. */
import { sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { messages, scheduledMessages } from "./table.ts";

interface Redirection {
  fromContactId: number;
  toContactId: number;
  /** A phone number, else a user id. */
  to: string;
}

/**
 * A recipient of a broadcast that has the other contact too stays where it is: its claim skips it as a duplicate. Returns how
 * many messages go to the number now.
 */
export function redirectWaiting(tx: Tx, { fromContactId, toContactId, to }: Redirection): number {
  const isElsewhere =
    fromContactId === toContactId
      ? sql`0`
      : sql`EXISTS (SELECT 1 FROM messages AS other WHERE other.contact_id = ${toContactId}
          AND other.broadcast_id = messages.broadcast_id AND other.status <> 'skipped')`;
  const recipients = tx.db.run(sql`UPDATE messages SET contact_id = ${toContactId}, to_phone = ${to}
    WHERE contact_id = ${fromContactId} AND broadcast_id IS NOT NULL AND status IN ('pending', 'queued')
      AND NOT ${isElsewhere}`);
  const scheduled = tx.db
    .all<{ id: number }>(
      sql`SELECT id FROM ${messages} WHERE contact_id = ${fromContactId} AND send_at IS NOT NULL
        AND dispatched_at IS NULL AND status = 'pending'`,
    )
    .map(({ id }) => id);
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(scheduled)}))`;
  tx.db.run(sql`UPDATE ${scheduledMessages} SET contact_id = ${toContactId} WHERE message_id IN ${ids}`);
  tx.db.run(sql`UPDATE messages SET contact_id = ${toContactId}, to_phone = ${to} WHERE id IN ${ids}`);
  return recipients.changes + scheduled.length;
}
