/** Work that waits for a while, not for a time of day, waits as long whatever is done to the wall clock. */
import { max, sql } from "drizzle-orm";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { outbox } from "./table.ts";

/** Rows `after` < id <= `last`, in a bounded piece. */
export interface IdRange {
  after: number;
  last: number;
}

const lastId = statement((db) =>
  db
    .select({ id: max(outbox.id) })
    .from(outbox)
    .prepare(),
);

/** The id that was given out last: what was enqueued so far has none above it. */
export function lastJobId(tx: ReadTx): number {
  return lastId(tx).get()?.id ?? 0;
}

/** The next piece of so many rows; null: there are no more. */
export function nextRange({ db }: ReadTx, { after, last }: IdRange, size: number): IdRange | null {
  const found = db.get<{ id: number | null }>(
    sql`SELECT max(id) AS id FROM (SELECT id FROM outbox WHERE id > ${after} AND id <= ${last} ORDER BY id LIMIT ${size})`,
  );
  return found?.id == null ? null : { after, last: found.id };
}

/** Moves when the rows of a piece are due; a broadcast's `send_at` is a time of day and stays. */
export function shiftDelays({ db }: Tx, { after, last }: IdRange, byMs: number): void {
  db.run(sql`UPDATE outbox SET due_at = due_at + ${byMs}
    WHERE id > ${after} AND id <= ${last} AND kind <> 'start_broadcast'`);
}
