/** Retries are counted from the first attempt: where the wall clock is set, that moment moves with it. */
import { sql } from "drizzle-orm";
import type { Tx } from "#src/storage/transaction.ts";

/** The deliveries whose work lies in this piece of the outbox: `after` < id <= `last`. */
export function moveRetries({ db }: Tx, { after, last }: { after: number; last: number }, byMs: number): void {
  db.run(sql`UPDATE deliveries
    SET first_attempt_at = first_attempt_at + ${byMs}, next_attempt_at = next_attempt_at + ${byMs}
    WHERE status = 'pending' AND id IN
      (SELECT subject FROM outbox WHERE kind = 'deliver_webhook' AND id > ${after} AND id <= ${last})`);
}
