/** Work that waits for a while, not for a time of day, waits as long whatever is done to the wall clock. */
import { max, sql } from "drizzle-orm";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { outbox } from "./table.ts";

/** Rows `after` < id <= `last`, in a bounded piece. */
export interface Piece {
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
export function lastWorkId(reading: Reading): number {
  return lastId(reading).get()?.id ?? 0;
}

/** The next piece of so many rows; null: there are no more. */
export function nextPiece({ db }: Reading, { after, last }: Piece, size: number): Piece | null {
  const found = db.get<{ id: number | null }>(
    sql`SELECT max(id) AS id FROM (SELECT id FROM outbox WHERE id > ${after} AND id <= ${last} ORDER BY id LIMIT ${size})`,
  );
  return found?.id == null ? null : { after, last: found.id };
}

/** Moves when the rows of a piece are due; a broadcast's `send_at` is a time of day and stays. */
export function moveWork({ db }: Tx, { after, last }: Piece, byMs: number): void {
  db.run(sql`UPDATE outbox SET due_at = due_at + ${byMs}
    WHERE id > ${after} AND id <= ${last} AND kind <> 'start_broadcast'`);
}
