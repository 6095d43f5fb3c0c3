/** Shifts due times after the wall clock was set: a delay keeps its length, a time of day stays. */
import { sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";

/** A bounded range of rows: `after` < id <= `last`. */
interface IdRange {
  after: number;
  last: number;
}

/** The next range of up to `size` rows; null: there are no more. */
export function nextRange({ db }: ReadTx, { after, last }: IdRange, size: number): IdRange | null {
  const found = db.get<{ id: number | null }>(
    sql`SELECT max(id) AS id FROM (SELECT id FROM outbox WHERE id > ${after} AND id <= ${last} ORDER BY id LIMIT ${size})`,
  );
  return found?.id == null ? null : { after, last: found.id };
}

/** Shifts the due times of a range of rows, except those of a `send_at` or a snooze, which are times of day. */
export function shiftDelays({ db }: Tx, { after, last }: IdRange, byMs: number): void {
  db.run(sql`UPDATE outbox SET due_at = due_at + ${byMs}
    WHERE id > ${after} AND id <= ${last} AND kind NOT IN ('start_broadcast', 'send_message', 'end_snooze')`);
}
